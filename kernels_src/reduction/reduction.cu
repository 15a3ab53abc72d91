// out[0] = the sum, minimum or maximum of n >= 1 elements.
//
// Every thread folds what it reads into registers, the block folds its threads in one of four ways,
// and the blocks' partial results are folded by a second launch, by the block that ends last, or by
// atomic additions. But for the last, the order of operations is fixed by the configuration, never
// by timing, so a result is the same bits each run.
#include "common/vector.cuh"

namespace tuner_kernels {

enum class Op { sum, min, max };

template <typename T>
struct Infinity;
template <>
struct Infinity<float> {
  static __device__ __forceinline__ float value() { return __int_as_float(0x7f800000); }
};
template <>
struct Infinity<double> {
  static __device__ __forceinline__ double value() {
    return __longlong_as_double(0x7ff0000000000000LL);
  }
};

template <Op kOp, typename T>
__device__ __forceinline__ T identity() {
  if constexpr (kOp == Op::sum) {
    return T(0);
  } else {
    return kOp == Op::min ? Infinity<T>::value() : -Infinity<T>::value();
  }
}

template <Op kOp, typename T>
__device__ __forceinline__ T combine(T x, T y) {
  if constexpr (kOp == Op::sum) {
    return x + y;
  } else if constexpr (kOp == Op::min) {
    return min(x, y);
  } else {
    return max(x, y);
  }
}

// How the threads of a block become one value. The first two are the classic mistakes:
// `interleaved` leaves every second, fourth, eighth … thread at work (tid % 2s == 0), so that each
// warp stays busy for a few lanes; `strided` packs the workers (2 * s * tid) but sends them to the
// same shared memory banks.
enum class Tree { interleaved, strided, sequential, shuffle };

template <Op kOp, Tree kTree, int kBlock, typename T>
__device__ __forceinline__ T reduce_in_shared(T value) {
  static_assert(kTree == Tree::sequential || (kBlock & (kBlock - 1)) == 0,
                "this tree halves a power of two");
  __shared__ T values[kBlock];
  const int tid = threadIdx.x;
  values[tid] = value;
  __syncthreads();
  if constexpr (kTree == Tree::interleaved) {
    for (int s = 1; s < kBlock; s *= 2) {
      if (tid % (2 * s) == 0) values[tid] = combine<kOp>(values[tid], values[tid + s]);
      __syncthreads();
    }
  } else if constexpr (kTree == Tree::strided) {
    for (int s = 1; s < kBlock; s *= 2) {
      const int at = 2 * s * tid;
      if (at < kBlock) values[at] = combine<kOp>(values[at], values[at + s]);
      __syncthreads();
    }
  } else {
    // The upper half folds onto the lower one; an odd middle element waits for the next round.
    for (int left = kBlock; left > 1;) {
      const int half = (left + 1) / 2;
      if (tid < left - half) values[tid] = combine<kOp>(values[tid], values[tid + half]);
      left = half;
      __syncthreads();
    }
  }
  return values[0];
}

template <Op kOp, typename T>
__device__ __forceinline__ T reduce_warp(T value) {
#pragma unroll
  for (int s = 16; s > 0; s /= 2)
    value = combine<kOp>(value, __shfl_down_sync(0xffffffffu, value, s));
  return value;
}

template <Op kOp, int kBlock, typename T>
__device__ __forceinline__ T reduce_by_shuffle(T value) {
  constexpr int kWarps = kBlock / 32;
  __shared__ T warps[kWarps];
  const int lane = threadIdx.x % 32;
  value = reduce_warp<kOp>(value);
  if (kWarps == 1) return value;
  if (lane == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return value;
  return reduce_warp<kOp>(lane < kWarps ? warps[lane] : identity<kOp, T>());
}

// The block's value, in thread 0. Called again only after a __syncthreads.
template <Op kOp, Tree kTree, int kBlock, typename T>
__device__ __forceinline__ T reduce_block(T value) {
  static_assert(kBlock % 32 == 0 && kBlock <= 1024, "whole warps");
  if constexpr (kTree == Tree::shuffle) {
    return reduce_by_shuffle<kOp, kBlock>(value);
  } else {
    return reduce_in_shared<kOp, kTree, kBlock>(value);
  }
}

// A thread's share of the block's tiles: tile b, then every gridDim.x-th after it.
template <typename T, Op kOp, int kBlock, int kWidth, int kItems>
__device__ __forceinline__ T reduce_tiles(const T* __restrict__ in, long long n) {
  using V = Vector<T, kWidth>;
  constexpr int kStep = kBlock * kWidth, kTile = kStep * kItems;
  const long long stride = static_cast<long long>(gridDim.x) * kTile;
  T sum[kWidth];
#pragma unroll
  for (int e = 0; e < kWidth; ++e) sum[e] = identity<kOp, T>();
  for (long long first = static_cast<long long>(blockIdx.x) * kTile; first < n; first += stride) {
    if (n - first < kTile) {
      for (long long i = first + threadIdx.x; i < n; i += kBlock)
        sum[0] = combine<kOp>(sum[0], in[i]);
      break;
    }
    V items[kItems];
    const T* const from = in + first + threadIdx.x * kWidth;
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      items[item] = load<Cache::streaming>(reinterpret_cast<const V*>(from + item * kStep));
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
#pragma unroll
      for (int e = 0; e < kWidth; ++e) sum[e] = combine<kOp>(sum[e], items[item].at[e]);
    }
  }
#pragma unroll
  for (int e = 1; e < kWidth; ++e) sum[0] = combine<kOp>(sum[0], sum[e]);
  return sum[0];
}

// Past L1, which may not see what other blocks of this launch wrote.
template <typename T, Op kOp, int kBlock>
__device__ __forceinline__ T reduce_values(const T* values, unsigned count) {
  T sum = identity<kOp, T>();
  for (unsigned i = threadIdx.x; i < count; i += kBlock)
    sum = combine<kOp>(sum, __ldcg(values + i));
  return sum;
}

// First of two launches: partial[b] is block b's value.
template <typename T, Op kOp, Tree kTree, int kBlock, int kWidth, int kItems, int kMinBlocks>
__global__ void __launch_bounds__(kBlock, kMinBlocks)
    reduce_blocks(const T* __restrict__ in, T* __restrict__ partial, long long n) {
  const T value =
      reduce_block<kOp, kTree, kBlock>(reduce_tiles<T, kOp, kBlock, kWidth, kItems>(in, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = value;
}

// Second launch: one block, any number of partial results.
template <typename T, Op kOp, Tree kTree, int kBlock, int kMinBlocks>
__global__ void __launch_bounds__(kBlock, kMinBlocks)
    reduce_partials(const T* __restrict__ partial, T* __restrict__ out, long long count) {
  const T value = reduce_block<kOp, kTree, kBlock>(
      reduce_values<T, kOp, kBlock>(partial, static_cast<unsigned>(count)));
  if (threadIdx.x == 0) out[0] = value;
}

// One launch: the block that finds all others done folds the partial results. `done` is zero before
// the launch, and is zero again after it: atomicInc wraps at the last block.
template <typename T, Op kOp, Tree kTree, int kBlock, int kWidth, int kItems, int kMinBlocks>
__global__ void __launch_bounds__(kBlock, kMinBlocks)
    reduce_once(const T* __restrict__ in, T* partial, unsigned* done, T* __restrict__ out,
                long long n) {
  __shared__ bool is_last;
  const T value =
      reduce_block<kOp, kTree, kBlock>(reduce_tiles<T, kOp, kBlock, kWidth, kItems>(in, n));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = value;
    __threadfence();  // the value before the count, for whoever reads the count
    is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();  // and the count before the values, for us
  }
  __syncthreads();
  if (!is_last) return;
  const T total =
      reduce_block<kOp, kTree, kBlock>(reduce_values<T, kOp, kBlock>(partial, gridDim.x));
  if (threadIdx.x == 0) out[0] = total;
}

__device__ __forceinline__ float take(float* from) { return atomicExch(from, 0.0f); }
__device__ __forceinline__ double take(double* from) {
  return __longlong_as_double(
      static_cast<long long>(atomicExch(reinterpret_cast<unsigned long long*>(from), 0ull)));
}

// One launch, sums only, in the order in which blocks happen to end: every block adds to one value,
// and the last one takes it. `total` and `done` are zero before the launch, and again after it.
template <typename T, Tree kTree, int kBlock, int kWidth, int kItems, int kMinBlocks>
__global__ void __launch_bounds__(kBlock, kMinBlocks)
    sum_atomic(const T* __restrict__ in, T* total, unsigned* done, T* __restrict__ out,
               long long n) {
  const T value =
      reduce_block<Op::sum, kTree, kBlock>(reduce_tiles<T, Op::sum, kBlock, kWidth, kItems>(in, n));
  if (threadIdx.x != 0) return;
  atomicAdd(total, value);
  __threadfence();  // the sum before the count, for whoever reads the count
  if (atomicInc(done, gridDim.x - 1) != gridDim.x - 1) return;
  __threadfence();
  out[0] = take(total);
}

}  // namespace tuner_kernels
