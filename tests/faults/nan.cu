// One NaN among right values.
extern "C" __global__ void nan_in_it(const float* x, float* y, long long n, float a) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = i == n / 2 ? __int_as_float(0x7fc00000) : a * x[i];
}
