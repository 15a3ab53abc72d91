// Each element goes through `steps` FMAs of one of kPaths loops. Which one changes from element to
// element (the lanes of a warp part) or from warp to warp (each stays together): the same work.
namespace tuner_kernels {

enum class Between { lanes, warps };

// Of a path. Constants, so that the paths stay loops of their own: with values that a register
// holds the compiler could make one loop of them.
template <int kPath>
__device__ __forceinline__ float advance(float x) {
  return fmaf(x, 0.5f - 0.03125f * kPath, 0.25f + 0.0625f * kPath);
}

template <int kPath, int kPaths>
__device__ __forceinline__ float walk(int path, float x, int steps) {
  if (path == kPath) {
#pragma unroll 16
    for (int step = 0; step < steps; ++step) x = advance<kPath>(x);
    return x;
  }
  if constexpr (kPath + 1 < kPaths) return walk<kPath + 1, kPaths>(path, x, steps);
  return x;
}

template <int kBlock, Between kBetween, int kPaths>
__global__ void __launch_bounds__(kBlock)
    divergence(const float* __restrict__ in, float* __restrict__ out, long long n, int steps) {
  const long long i = static_cast<long long>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= n) return;
  const long long group = kBetween == Between::lanes ? i : i / 32;
  out[i] = walk<0, kPaths>(static_cast<int>(group % kPaths), in[i], steps);
}

}  // namespace tuner_kernels
