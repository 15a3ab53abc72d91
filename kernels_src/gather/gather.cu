// out[i] = in[where(i)]: reads that jump, writes that do not.
//
// `where` is a permutation either way: the elements of a class modulo `stride` one after another
// (strided), or whatever an index array says (indexed).
#include "common/vector.cuh"

namespace tuner_kernels {

// The n elements at stride `stride`: 0, stride, 2 stride …, then 1, 1 + stride, …. Where stride
// does not divide n, the first n % stride classes have one element more. Index is the integer that
// the division is made in: 32 bits are right while n < 2^32 and several times cheaper.
template <typename Index>
struct Strided {
  Index stride, rest, size, long_end;  // long_end: where the classes of size + 1 end

  __device__ __forceinline__ Strided(long long n, long long stride_in)
      : stride(static_cast<Index>(stride_in < n ? stride_in : n)),
        rest(static_cast<Index>(n % stride)),
        size(static_cast<Index>(n / stride)),
        long_end(rest * (size + 1)) {}

  __device__ __forceinline__ Index operator()(Index i) const {
    const bool in_long = i < long_end;
    const Index length = in_long ? size + 1 : size;
    const Index from = in_long ? i : i - long_end;
    const Index which = from / length;
    return (from - which * length) * stride + which + (in_long ? 0 : rest);
  }
};

// kItems groups of kWidth neighbours each, kBlock * kWidth apart; a thread's loads are all
// independent.
template <typename T, typename Where, int kBlock, int kWidth, int kItems, typename Load>
__device__ __forceinline__ void gather_tile(const T* __restrict__ in, T* __restrict__ out,
                                            long long n, const Load& load_where) {
  using V = Vector<T, kWidth>;
  constexpr int kStep = kBlock * kWidth;
  const long long first =
      static_cast<long long>(blockIdx.x) * (kStep * kItems) + threadIdx.x * kWidth;
  if (first + (kItems - 1) * kStep + kWidth > n) {
#pragma unroll 1  // one block in all comes here: not worth compiling many times over
    for (int item = 0; item < kItems; ++item) {
#pragma unroll 1
      for (int e = 0; e < kWidth; ++e) {
        const long long i = first + item * kStep + e;
        if (i < n) out[i] = in[load_where.one(i)];
      }
    }
    return;
  }
  Where where[kItems][kWidth];
#pragma unroll
  for (int item = 0; item < kItems; ++item) load_where.all(first + item * kStep, where[item]);
  V values[kItems];
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
#pragma unroll
    for (int e = 0; e < kWidth; ++e) values[item].at[e] = in[where[item][e]];
  }
#pragma unroll
  for (int item = 0; item < kItems; ++item)
    *reinterpret_cast<V*>(out + first + item * kStep) = values[item];
}

template <typename Index, int kWidth>
struct StridedWhere {
  Strided<Index> strided;
  __device__ __forceinline__ Index one(long long i) const { return strided(static_cast<Index>(i)); }
  __device__ __forceinline__ void all(long long i, Index (&where)[kWidth]) const {
#pragma unroll
    for (int e = 0; e < kWidth; ++e) where[e] = strided(static_cast<Index>(i) + e);
  }
};

template <typename Index, int kWidth>
struct IndexedWhere {
  const Index* __restrict__ index;
  __device__ __forceinline__ Index one(long long i) const { return index[i]; }
  __device__ __forceinline__ void all(long long i, Index (&where)[kWidth]) const {
    constexpr int kPiece =
        kWidth * sizeof(Index) <= 16 ? kWidth : static_cast<int>(16 / sizeof(Index));
#pragma unroll
    for (int e = 0; e < kWidth; e += kPiece) {
      const auto piece =
          load<Cache::streaming>(reinterpret_cast<const Vector<Index, kPiece>*>(index + i + e));
#pragma unroll
      for (int p = 0; p < kPiece; ++p) where[e + p] = piece.at[p];
    }
  }
};

// No __launch_bounds__: maxrregcount is this kernel's way of trading registers for warps.
template <typename T, typename Index, int kBlock, int kWidth, int kItems>
__global__ void gather_strided(const T* __restrict__ in, T* __restrict__ out, long long n,
                               long long stride) {
  const StridedWhere<Index, kWidth> where{Strided<Index>(n, stride)};
  gather_tile<T, Index, kBlock, kWidth, kItems>(in, out, n, where);
}

template <typename T, typename Index, int kBlock, int kWidth, int kItems>
__global__ void gather_indexed(const T* __restrict__ in, const Index* __restrict__ index,
                               T* __restrict__ out, long long n) {
  const IndexedWhere<Index, kWidth> where{index};
  gather_tile<T, Index, kBlock, kWidth, kItems>(in, out, n, where);
}

}  // namespace tuner_kernels
