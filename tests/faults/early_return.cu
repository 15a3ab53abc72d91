// Fast, since it writes nothing.
extern "C" __global__ void early_return(const float* x, float* y, long long n, float a) {
  if (n >= 0) return;
  y[0] = a * x[0];
}
