// FMAs by the kind of their operands and the number of independent chains, and a mix that keeps the
// schedulers busy rather than any one pipe. No memory is read: each thread makes its own values, so
// that factors lie in registers. Results are stored only where they have a value that they never
// have, which the compiler cannot know.
namespace tuner_calibrate {

// What an FMA reads: three distinct registers, two, or one besides an immediate and a third.
enum class Operands { three, two, immediate };

template <Operands kOperands, typename T>
__device__ __forceinline__ T advance(T x, T a, T b) {
  if constexpr (kOperands == Operands::three) return fma(x, a, b);
  if constexpr (kOperands == Operands::two) return fma(x, x, b);
  return fma(x, T(0.75), b);
}

// Between 0 and 1/8, different in every lane: powers of such a number stay finite.
template <typename T>
__device__ __forceinline__ T small_value(int salt) {
  return T(static_cast<int>(threadIdx.x) + salt) * T(1.0 / 16384);
}

// kChains chains a thread, each advanced by `steps` FMAs (a multiple of 256 / kChains).
template <typename T, Operands kOperands, int kChains>
__global__ void fmas(int steps, T* never) {
  constexpr int kUnroll = 256 / kChains;
  const T a = small_value<T>(17), b = small_value<T>(31);
  T x[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) x[chain] = small_value<T>(chain);
#pragma unroll 1
  for (int step = 0; step < steps; step += kUnroll) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain) x[chain] = advance<kOperands>(x[chain], a, b);
    }
  }
  T sum = 0;
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) sum += x[chain];
  if (sum == T(-1)) *never = sum;
}

// Exclusive or, then minimum: the compiler can neither drop nor merge them, and both belong to the
// integer pipe.
__device__ __forceinline__ void mix(int& y, int a) {
  asm volatile("xor.b32 %0, %0, %1;\n\tmin.s32 %0, %0, %2;" : "+r"(y) : "r"(a), "r"(a + 1));
}

// `steps` times 8 FMAs of two registers and 2 * kPairs integer instructions a thread (a multiple of
// 16 steps).
template <int kPairs>
__global__ void issue(int steps, int* never) {
  constexpr int kFmas = 8, kUnroll = 16;
  const float b = small_value<float>(31);
  const int a = static_cast<int>(threadIdx.x) * 1001;
  float x[kFmas];
  int y[kPairs];
#pragma unroll
  for (int i = 0; i < kFmas; ++i) x[i] = small_value<float>(i);
#pragma unroll
  for (int i = 0; i < kPairs; ++i) y[i] = a + i;
#pragma unroll 1
  for (int step = 0; step < steps; step += kUnroll) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
      for (int j = 0; j < kFmas; ++j) {
        x[j] = fmaf(x[j], x[j], b);
        if (j < kPairs) mix(y[j], a);
      }
    }
  }
  float sum = 0;
  int all = 0;
#pragma unroll
  for (int i = 0; i < kFmas; ++i) sum += x[i];
#pragma unroll
  for (int i = 0; i < kPairs; ++i) all ^= y[i];
  if (sum == -1 && all == 12345) *never = all;
}

}  // namespace tuner_calibrate
