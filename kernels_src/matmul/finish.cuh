// How the sums that several threads have of the same elements become one: through the shared memory
// of a block or a cluster, or through global memory.
#pragma once

#include "common/cluster.cuh"
#include "common/shared.cuh"
#include "common/vector.cuh"

namespace tuner_kernels {

// How the sums of one tile from several blocks become one: there are none such; in the order of k,
// by the block that has the first steps; likewise by the blocks of a cluster, a part of the tile
// each; or as they come, by atomic additions to C, which holds beta * D before.
enum class Finish { whole, ordered, cluster, atomic };

// Adds kWide neighbours.
template <int kWide, typename T>
__device__ __forceinline__ void add_atomic(T* to, const Vector<T, kWide>& piece) {
#if __CUDA_ARCH__ >= 900
  constexpr bool kWhole = kWide == 4 && sizeof(T) == 4;
#else
  constexpr bool kWhole = false;
#endif
  if constexpr (kWhole) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(
                     __cvta_generic_to_global(to)),
                 "f"(piece.at[0]), "f"(piece.at[1]), "f"(piece.at[2]), "f"(piece.at[3])
                 : "memory");
  } else {
#pragma unroll
    for (int e = 0; e < kWide; ++e) atomicAdd(to + e, piece.at[e]);
  }
}

// The sums of a thread, times alpha, on their way to another thread: pieces of 16 bytes, those of
// neighbouring threads side by side. Scaling makes them values of their own: were the sums stored
// as they are, each four would have to be neighbours among the registers, and then some FMAs of the
// inner loop find all their operands in one bank.
//
// kSlices threads have sums of the same elements; in the end each keeps kMine pieces of the total.
// kThreads: of a slice.
template <typename T, int kTM, int kTN, int kThreads, int kSlices>
struct Partial {
  static constexpr int kWide = 16 / sizeof(T);
  static constexpr int kPieces = kTM * kTN / kWide;
  static constexpr int kMine = kPieces / kSlices;
  static_assert(kPieces % kSlices == 0, "slices must share a thread's sums evenly");
  using Piece = Vector<T, kWide>;

  static __device__ __forceinline__ int slice() {
    return kSlices == 1 ? 0 : static_cast<int>(threadIdx.x) / kThreads;
  }
  static __device__ __forceinline__ int thread() {
    return kSlices == 1 ? static_cast<int>(threadIdx.x) : static_cast<int>(threadIdx.x) % kThreads;
  }

  static __device__ __forceinline__ void sync_slice() {
    if constexpr (kSlices == 1) {
      __syncthreads();
    } else {
      asm volatile("bar.sync %0, %1;" ::"r"(slice() + 1), "n"(kThreads) : "memory");
    }
  }

  static __device__ __forceinline__ Piece piece(const T (&sum)[kTM][kTN], T alpha, int i) {
    Piece piece;
#pragma unroll
    for (int e = 0; e < kWide; ++e) {
      const int at = i * kWide + e;
      piece.at[e] = alpha * sum[at / kTN][at % kTN];
    }
    return piece;
  }
  static __device__ __forceinline__ void add(Piece& to, const Piece& piece) {
#pragma unroll
    for (int e = 0; e < kWide; ++e) to.at[e] += piece.at[e];
  }

  // Place i of this thread in `shared`: anything that has kThreads pieces side by side.
  static __device__ __forceinline__ SharedPointer<T> place(SharedPointer<T> shared, int i) {
    return shared + (i * kThreads + thread()) * kWide;
  }

  // Pieces slice() * kMine and following, with those of the other slices added through shared
  // memory, which has kSlices - 1 tiles: to each slice, what the others have for it.
  static __device__ __forceinline__ void add_slices(const T (&sum)[kTM][kTN], T alpha,
                                                    SharedPointer<T> shared, Piece (&mine)[kMine]) {
    if constexpr (kSlices > 1) __syncthreads();  // all have read the tiles that are overwritten now
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const int owner = i / kMine;
      if (kSlices == 1 || owner == slice()) {
        mine[i % kMine] = piece(sum, alpha, i);
      } else {
        const int other = slice() - (slice() > owner ? 1 : 0);
        place(shared, (owner * (kSlices - 1) + other) * kMine + i % kMine)
            .template store<kWide>(piece(sum, alpha, i));
      }
    }
    if constexpr (kSlices > 1) {
      __syncthreads();
#pragma unroll
      for (int other = 0; other < kSlices - 1; ++other) {
#pragma unroll
        for (int i = 0; i < kMine; ++i)
          add(mine[i],
              place(shared, (slice() * (kSlices - 1) + other) * kMine + i).template load<kWide>());
      }
    }
  }

  // This thread's first piece of a share's. Blocks that share k in order have no slices.
  static __device__ __forceinline__ Piece* in_workspace(T* partials, unsigned rank) {
    static_assert(kSlices == 1, "a thread of a slice has no registers for shares as well");
    constexpr long long kElements = kTM * kTN * kThreads;
    return reinterpret_cast<Piece*>(partials + rank * kElements) + threadIdx.x;
  }
  static __device__ __forceinline__ void keep(const Piece (&mine)[kMine], Piece* to) {
#pragma unroll
    for (int i = 0; i < kMine; ++i) store<Cache::l2>(to + i * kThreads, mine[i]);
  }
  static __device__ __forceinline__ void add_kept(Piece (&mine)[kMine], const Piece* from) {
#pragma unroll
    for (int i = 0; i < kMine; ++i) add(mine[i], load<Cache::l2>(from + i * kThreads));
  }
};

// Each of kCluster blocks gets what the others have for its part of a tile, adds it to its own, and
// writes it. `received` has room for as many pieces as all threads have, but their own part.
template <typename Kept, int kCluster, typename T, typename Write>
__device__ __forceinline__ void add_in_cluster(const typename Kept::Piece (&mine)[Kept::kMine],
                                               SharedPointer<T> received,
                                               unsigned long long* barrier, const Write& write) {
#if __CUDA_ARCH__ >= 900
  constexpr int kEach = Kept::kMine / kCluster;
  static_assert(Kept::kMine % kCluster == 0, "blocks must share a thread's sums evenly");
  const int rank = static_cast<int>(blockIdx.x % kCluster);
  const auto place = [&](int other, int i) {
    return Kept::place(received, (Kept::slice() * (kCluster - 1) + other) * kEach + i);
  };
  typename Kept::Piece total[kEach];
  await_cluster();
#pragma unroll
  for (int i = 0; i < Kept::kMine; ++i) {
    const int owner = i / kEach;
    if (owner == rank) {
      total[i % kEach] = mine[i];
    } else {
      send_to_block(mine[i], place(rank - (rank > owner ? 1 : 0), i % kEach), barrier, owner);
    }
  }
  wait_barrier(barrier, 0);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#pragma unroll
    for (int other = 0; other < kCluster - 1; ++other)
      Kept::add(total[i], place(other, i).template load<Kept::kWide>());
    write(Kept::slice() * Kept::kMine + rank * kEach + i, total[i]);
  }
#endif
}

}  // namespace tuner_kernels
