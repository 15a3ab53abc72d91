// One element past its buffer, which the allocation's slack would take without a word.
extern "C" __global__ void writes_past_end(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
  if (i == 0) y[n] = 0;
}

// One element before it.
extern "C" __global__ void writes_before_start(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
  if (i == 0) y[-1] = 0;
}
