// Writes to where no memory is.
extern "C" __global__ void out_of_bounds(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i + (1ll << 40)] = a * x[i];
}
