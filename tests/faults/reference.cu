// The references, in double.
extern "C" __global__ void reference(const float* x, double* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = (double)a * x[i];
}

// y = a x + (initial y)
extern "C" __global__ void reference_inout(const float* x, const float* initial, double* y,
                                           long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = (double)a * x[i] + initial[i];
}

// y[0] counts the positive elements of x. y is zeroed before.
extern "C" __global__ void reference_count(const float* x, unsigned long long* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(y, 1ull);
}

extern "C" __global__ void reference_factors(const float* x, const float* factors, double* y,
                                             long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = (double)factors[i & 3] * x[i];
}

// Reads far beyond its input.
extern "C" __global__ void reference_crash(const float* x, double* y, long long n, float a) {
  y[0] = x[n + (1ll << 40)] * a;
}
