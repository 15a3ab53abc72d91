// y = a * x + y. A plain kernel: its parameters are macros that the tuner defines (-DBLOCK=256
// -DITEMS=4). Nothing here knows of the tuner.
extern "C" __global__ void __launch_bounds__(BLOCK)
    saxpy(float a, const float* __restrict__ x, float* __restrict__ y, long long n) {
  const long long first = static_cast<long long>(blockIdx.x) * (BLOCK * ITEMS) + threadIdx.x;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const long long i = first + item * BLOCK;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
