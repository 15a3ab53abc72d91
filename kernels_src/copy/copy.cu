// out = in: as one run of n elements, through registers or through shared memory, or as a matrix of
// m rows and n columns.
//
// All sizes are 64-bit: nothing here overflows at 2^31 elements and beyond.
#include "common/bulk_copy.cuh"
#include "common/vector.cuh"

namespace tuner_kernels {

// One tile of kBlock * kItems vectors, `left` elements of which are inside. All loads of a thread
// are issued before its first store, so that kItems of them are in flight.
template <typename T, int kBlock, int kWidth, int kItems, Cache kLoad, Cache kStore>
__device__ __forceinline__ void copy_tile(const T* __restrict__ in, T* __restrict__ out,
                                          long long left) {
  using V = Vector<T, kWidth>;
  constexpr int kStep = kBlock * kWidth;
  const int first = threadIdx.x * kWidth;
  V items[kItems];
  if (left >= static_cast<long long>(kStep) * kItems) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      items[item] = load<kLoad>(reinterpret_cast<const V*>(in + first + item * kStep));
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      store<kStore>(reinterpret_cast<V*>(out + first + item * kStep), items[item]);
    }
    return;
  }
  for (int i = threadIdx.x; i < left; i += kBlock) out[i] = in[i];
}

// Block `b` copies tile b, then, where kGridStride, every gridDim.x-th tile after it.
template <typename T, int kBlock, int kWidth, int kItems, bool kGridStride, Cache kLoad,
          Cache kStore>
__global__ void __launch_bounds__(kBlock)
    copy_linear(const T* __restrict__ in, T* __restrict__ out, long long n) {
  constexpr int kTile = kBlock * kWidth * kItems;
  const long long stride = static_cast<long long>(gridDim.x) * kTile;
  long long first = static_cast<long long>(blockIdx.x) * kTile;
  do {
    if (first >= n) return;
    copy_tile<T, kBlock, kWidth, kItems, kLoad, kStore>(in + first, out + first, n - first);
    first += stride;
  } while (kGridStride);
}

#if __CUDA_ARCH__ >= 900
// A ring of kStages chunks in shared memory, filled and emptied by one thread: no register holds
// data, and each chunk is one request. A chunk that has been stored is filled again kLag chunks
// later, so that up to kLag stores and the other chunks' loads are in flight at once. Chunk b of a
// block is followed by chunk b + gridDim.x. What is no whole chunk goes element by element.
template <typename T, int kChunkBytes, int kStages>
__global__ void __launch_bounds__(32)
    copy_bulk(const T* __restrict__ in, T* __restrict__ out, long long n) {
  constexpr int kChunk = kChunkBytes / static_cast<int>(sizeof(T));
  constexpr int kLag = kStages / 2;
  extern __shared__ __align__(128) unsigned char chunks[];  // kStages of kChunkBytes
  __shared__ unsigned long long barriers[kStages];
  const long long whole = n / kChunk, step = gridDim.x;
  for (long long i = whole * kChunk + blockIdx.x * 32LL + threadIdx.x; i < n; i += step * 32)
    out[i] = in[i];
  if (threadIdx.x != 0) return;

  const long long mine = (whole - blockIdx.x + step - 1) / step;
  const auto load_chunk = [&](long long i) {
    const int stage = static_cast<int>(i % kStages);
    load_bulk(chunks + stage * kChunkBytes, in + (blockIdx.x + i * step) * kChunk, kChunkBytes,
              &barriers[stage]);
  };
  for (int stage = 0; stage < kStages; ++stage) init_barrier(&barriers[stage]);
  publish_barriers();
  for (long long i = 0; i < kStages && i < mine; ++i) load_chunk(i);
  int stage = 0;
  unsigned parity = 0;
  for (long long i = 0; i < mine; ++i) {
    wait_barrier(&barriers[stage], parity);
    store_bulk(out + (blockIdx.x + i * step) * kChunk, chunks + stage * kChunkBytes, kChunkBytes);
    if (i >= kLag && i - kLag + kStages < mine) {
      wait_stores_read<kLag>();
      load_chunk(i - kLag + kStages);
    }
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
  wait_stores();
}
#endif

// threadIdx.x walks along a row (`columns`: neighbours touch neighbouring addresses) or down a
// column (`rows`: neighbours are n elements apart).
enum class Walk { columns, rows };

// A block covers kBlockX * (kBlockY * kItems) elements, x in the direction of the walk. The grid's
// y is at most 65535, so blocks stride over what lies beyond.
template <typename T, int kBlockX, int kBlockY, int kItems, Walk kWalk, Cache kLoad, Cache kStore>
__global__ void __launch_bounds__(kBlockX* kBlockY)
    copy_matrix(const T* __restrict__ in, T* __restrict__ out, long long m, long long n) {
  const long long across = kWalk == Walk::columns ? n : m;  // the walk's direction
  const long long along = kWalk == Walk::columns ? m : n;
  const long long x_step = kWalk == Walk::columns ? 1 : n;
  const long long y_step = kWalk == Walk::columns ? n : 1;
  const long long x = static_cast<long long>(blockIdx.x) * kBlockX + threadIdx.x;
  if (x >= across) return;
  constexpr int kTile = kBlockY * kItems;
  const long long stride = static_cast<long long>(gridDim.y) * kTile;
  for (long long y0 = static_cast<long long>(blockIdx.y) * kTile + threadIdx.y; y0 < along;
       y0 += stride) {
    T items[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const long long y = y0 + item * kBlockY;
      if (y < along) items[item] = load<kLoad>(in + x * x_step + y * y_step);
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const long long y = y0 + item * kBlockY;
      if (y < along) store<kStore>(out + x * x_step + y * y_step, items[item]);
    }
  }
}

}  // namespace tuner_kernels
