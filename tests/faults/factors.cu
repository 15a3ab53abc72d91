// y[i] = factors[i % 4] x[i], with the factors in constant memory.
__constant__ float factors[4];

extern "C" __global__ void scale_by_factors(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = factors[i & 3] * x[i];
}
