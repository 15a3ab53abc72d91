// out[i] = in[i] after `steps` dependent fused multiply-adds: nothing but the FMA pipe, its latency
// and the register ports. A thread advances kChains elements side by side, which are its
// independent chains.
namespace tuner_kernels {

// What an FMA reads: three distinct registers, two, or one besides an immediate and a third.
enum class Operands { three, two, immediate };

template <Operands kOperands>
__device__ __forceinline__ float advance(float x, float a, float b) {
  if constexpr (kOperands == Operands::three) return fmaf(x, a, b);
  if constexpr (kOperands == Operands::two) return fmaf(x, x, b);
  return fmaf(x, 0.75f, b);
}

// Neighbouring threads have neighbouring elements; the chains of a thread are kBlock apart. Factors
// differ from lane to lane, so that the compiler keeps them in registers of the lanes.
template <int kBlock, int kChains, int kMinBlocks, Operands kOperands>
__global__ void __launch_bounds__(kBlock, kMinBlocks)
    fma_chain(const float* __restrict__ in, const float* __restrict__ factors,
              float* __restrict__ out, long long n, int steps) {
  const long long first = static_cast<long long>(blockIdx.x) * kBlock * kChains + threadIdx.x;
  const float a = factors[threadIdx.x % 32], b = factors[32 + threadIdx.x % 32];
  float x[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) {
    const long long i = first + chain * kBlock;
    x[chain] = i < n ? in[i] : 0;
  }
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int chain = 0; chain < kChains; ++chain) x[chain] = advance<kOperands>(x[chain], a, b);
  }
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) {
    const long long i = first + chain * kBlock;
    if (i < n) out[i] = x[chain];
  }
}

}  // namespace tuner_kernels
