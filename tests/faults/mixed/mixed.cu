// Sound and broken ways to compute y[i] = 2 x[i], as variants of one space.
namespace faults {

template <int BLOCK>
__device__ long long element() {
  return static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
}

template <int BLOCK>
__global__ void good(const float* x, float* y, long long count) {
  const long long i = element<BLOCK>();
  if (i < count) y[i] = 2 * x[i];
}

template <int BLOCK>
__global__ void out_of_bounds(const float* x, float* y, long long count) {
  const long long i = element<BLOCK>();
  if (i < count) y[i + (1LL << 40)] = 2 * x[i];
}

template <int BLOCK>
__global__ void endless(const float* x, float* y, long long count) {
  const long long i = element<BLOCK>();
  volatile const float* value = x;
  while (value[0] != 0) {
  }
  if (i < count) y[i] = 2 * x[i];
}

// Every thousandth element is off.
template <int BLOCK>
__global__ void wrong(const float* x, float* y, long long count) {
  const long long i = element<BLOCK>();
  if (i < count) y[i] = (i % 1000 == 999 ? 3 : 2) * x[i];
}

template <int BLOCK>
__global__ void does_not_compile(const float* x, float* y, long long count) {
  static_assert(BLOCK > 1000, "this variant takes blocks of over 1000 threads");
}

// One element behind the last.
template <int BLOCK>
__global__ void past_the_end(const float* x, float* y, long long count) {
  const long long i = element<BLOCK>();
  if (i < count) y[i] = 2 * x[i];
  if (i == 0) y[count] = 1;
}

}  // namespace faults
