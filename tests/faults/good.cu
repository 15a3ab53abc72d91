// y = a x, as the other kernels here should.
extern "C" __global__ void good(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

// With any grid, cluster or cooperative launch.
extern "C" __global__ void strided(const float* x, float* y, long long n, float a) {
  const long long step = gridDim.x * (long long)blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += step)
    y[i] = a * x[i];
}

// The same, some hundred times slower: each element goes through a long chain that changes nothing.
extern "C" __global__ void slow(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float factor = a == 0 ? 2.0f : 1.0f;
  float value = a * x[i];
  for (int k = 0; k < 20000; ++k) value *= factor;
  y[i] = value;
}
