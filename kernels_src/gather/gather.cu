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

// The elements of class c are those at c, c + stride, …, and go to `out` side by side. The host
// divides: size = n / stride, rest = n % stride, and the first `rest` classes have one more.
struct Classes {
  long long size, rest;
  __device__ __forceinline__ long long length(long long c) const { return size + (c < rest); }
  __device__ __forceinline__ long long to(long long c) const {
    return c * size + (c < rest ? c : rest);
  }
};

// Which of the classes' tiles are read one after the other. by_class: all of a class, then the next
// one's, so that `in` is streamed through once for each class. by_tile: the same tile of every
// class, so that what one class leaves of a sector is still in L2 when the next one comes for it.
enum class Order { by_class, by_tile };

// A block stays within one class, so its threads only add. `tiles`: of the longest class.
template <typename T, Order kOrder, int kBlock, int kWidth, int kItems>
__global__ void gather_classes(const T* __restrict__ in, T* __restrict__ out, long long stride,
                               long long size, long long rest, unsigned tiles) {
  using V = Vector<T, kWidth>;
  constexpr int kStep = kBlock * kWidth, kTile = kStep * kItems;
  const unsigned slow = kOrder == Order::by_class ? tiles : static_cast<unsigned>(stride);
  const unsigned outer = blockIdx.x / slow, inner = blockIdx.x - outer * slow;
  const long long c = kOrder == Order::by_class ? outer : inner;
  const Classes classes{size, rest};
  const long long length = classes.length(c);
  const long long first = static_cast<long long>(kOrder == Order::by_class ? inner : outer) * kTile;
  if (first >= length) return;
  in += c;
  out += classes.to(c);
  if (first + kTile > length) {
    for (long long j = first + threadIdx.x; j < length; j += kBlock) out[j] = in[j * stride];
    return;
  }
  const long long j = first + threadIdx.x * kWidth;
  V values[kItems];
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
#pragma unroll
    for (int e = 0; e < kWidth; ++e) values[item].at[e] = in[(j + item * kStep + e) * stride];
  }
#pragma unroll
  for (int item = 0; item < kItems; ++item)
    store<Cache::streaming>(reinterpret_cast<V*>(out + j + item * kStep), values[item]);
}

// Where element `at` of a staged tile lies in shared memory: one word of padding behind 32 words
// and another behind 1024, so that lanes a power of two apart meet different banks. Neighbours up
// to the next multiple of 32 stay neighbours.
__device__ __forceinline__ unsigned staged(unsigned at) { return at + at / 32 + at / 1024; }

// A tile is read as it lies: kItems accesses of kWidth elements at a time are in flight.
template <typename T, int kBlock, int kWidth, int kItems>
__device__ __forceinline__ void read_tile(const T* __restrict__ in, T* tile, int elements) {
  using V = Vector<T, kWidth>;
  constexpr int kStep = kBlock * kWidth;
  for (int base = threadIdx.x * kWidth; base < elements; base += kStep * kItems) {
    V values[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const int at = base + item * kStep;
      if (at < elements) values[item] = load<Cache::streaming>(reinterpret_cast<const V*>(in + at));
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const int at = base + item * kStep;
      if (at >= elements) break;
      T* const to = tile + staged(at);
#pragma unroll
      for (int e = 0; e < kWidth; ++e) to[e] = values[item].at[e];
    }
  }
}

// Writes the kRows rows of each class: a block takes kSteps steps for one class, or kAtOnce classes
// in one step, so that a thread only adds.
template <typename T, int kBlock, int kRows>
__device__ __forceinline__ void write_classes(const T* tile, T* __restrict__ out, int stride,
                                              const Classes& classes) {
  constexpr int kAtOnce = kBlock > kRows ? kBlock / kRows : 1;
  constexpr int kSteps = kBlock > kRows ? 1 : kRows / kBlock;
  constexpr int kUnrolled = kSteps < 4 ? 4 / kSteps : 1;
  const int row = static_cast<int>(threadIdx.x) % kRows;
  const int first_class = static_cast<int>(threadIdx.x) / kRows;
  const long long apart = kAtOnce * classes.size;
  int longer = static_cast<int>(classes.rest) - first_class;  // classes from here on with one more
  int at = row * stride + first_class;
  out += row + classes.to(first_class);
#pragma unroll kUnrolled
  for (int c = first_class; c < stride; c += kAtOnce) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
      store<Cache::streaming>(out + step * kBlock, tile[staged(at + step * kBlock * stride)]);
    at += kAtOnce;
    out += apart;
    out += min(max(longer, 0), kAtOnce);
    longer -= kAtOnce;
  }
}

// kRows elements of every class are kRows * stride elements side by side: they are read as they
// lie, and written from shared memory as a piece of kRows for each class. The whole is a
// permutation, so both sides are contiguous. Dynamic shared memory: staged(kRows * stride)
// elements.
template <typename T, int kBlock, int kWidth, int kRows, int kItems>
__global__ void gather_staged(const T* __restrict__ in, T* __restrict__ out, long long n,
                              int stride, long long size, long long rest) {
  static_assert((kRows & (kRows - 1)) == 0 && kRows % kWidth == 0, "a power of two of whole loads");
  static_assert(kRows % kBlock == 0 || kBlock % kRows == 0, "whole steps for a class, or classes");
  static_assert(kWidth <= 32, "what a thread reads at once has no padding in it");
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  T* const tile = reinterpret_cast<T*>(dynamic_shared);
  const long long first_row = static_cast<long long>(blockIdx.x) * kRows;
  const long long begin = first_row * stride;
  const int elements = kRows * stride;
  const Classes classes{size, rest};
  in += begin;
  out += first_row;
  if (first_row + kRows <= size) {  // rows that every class has
    read_tile<T, kBlock, kWidth, kItems>(in, tile, elements);
    __syncthreads();
    write_classes<T, kBlock, kRows>(tile, out, stride, classes);
    return;
  }
  for (int at = threadIdx.x; at < elements && begin + at < n; at += kBlock)
    tile[staged(at)] = in[at];
  __syncthreads();
  for (int at = threadIdx.x; at < elements; at += kBlock) {
    const int c = at / kRows, row = at % kRows;
    if (first_row + row < classes.length(c))
      out[classes.to(c) + row] = tile[staged(row * stride + c)];
  }
}

template <typename T, typename Index, int kBlock, int kWidth, int kItems>
__global__ void gather_indexed(const T* __restrict__ in, const Index* __restrict__ index,
                               T* __restrict__ out, long long n) {
  const IndexedWhere<Index, kWidth> where{index};
  gather_tile<T, Index, kBlock, kWidth, kItems>(in, out, n, where);
}

}  // namespace tuner_kernels
