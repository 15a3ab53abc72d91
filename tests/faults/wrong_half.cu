// Writes the first half only, which the output of an earlier kernel would hide.
extern "C" __global__ void wrong_half(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = a * x[i];
}

// Wrong in its last element alone.
extern "C" __global__ void wrong_last(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + (i == n - 1 ? 1.0f : 0.0f);
}
