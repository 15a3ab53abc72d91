// Right, but leaves its input changed for whoever comes next.
extern "C" __global__ void modifies_input(float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = a * x[i];
  if (i == n / 3) x[i] += 1;
}
