// From a matrix in global memory to a tile in shared memory.
#pragma once

#include "common/async_copy.cuh"
#include "common/shared.cuh"

namespace tuner_kernels {

// How the threads of a block share the pieces (kWide neighbours) of a kLines x kRun tile, whose
// lines are contiguous in global memory, and a thread's place there. In shared memory the tile lies
// as it is, or turned.
template <typename T, int kLines, int kRun, int kThreads, int kWide, bool kTurned>
struct TileLoader {
  using Piece = Vector<T, kWide>;
  static constexpr int kPerLine = kRun / kWide;
  static constexpr int kCount = kLines * kPerLine;
  static constexpr int kPieces = (kCount + kThreads - 1) / kThreads;  // a thread
  static constexpr bool kLinesFirst = kThreads >= kPerLine;
  static_assert(kRun % kWide == 0, "pieces must divide the tile's lines");
  static_assert(kLinesFirst ? kThreads % kPerLine == 0 : kPerLine % kThreads == 0,
                "threads must share lines evenly");
  static_assert(kCount < kThreads || kCount % kThreads == 0, "threads must share the tile evenly");

  static constexpr int kLineStep = kLinesFirst ? kThreads / kPerLine : 0;
  static constexpr int kPiecesPerLine = kLinesFirst ? 1 : kPerLine / kThreads;  // a thread's

  const T* from;  // piece 0 of this thread, in the current tile
  long long pitch;
  Piece pieces[kPieces];

  // Lines and positions of piece i from those of piece 0: known when compiling.
  static constexpr __device__ int line_offset(int i) {
    return kLinesFirst ? i * kLineStep : i / kPiecesPerLine;
  }
  static constexpr __device__ int run_offset(int i) {
    return kLinesFirst ? 0 : i % kPiecesPerLine * kThreads * kWide;
  }
  // Of kThreads: a block may have several such sets of threads.
  static __device__ __forceinline__ int thread() {
    return static_cast<int>(threadIdx.x) % kThreads;
  }
  static __device__ __forceinline__ int line(int i) {
    return (kLinesFirst ? thread() / kPerLine : 0) + line_offset(i);
  }
  static __device__ __forceinline__ int run(int i) {
    return (kLinesFirst ? thread() % kPerLine : thread()) * kWide + run_offset(i);
  }
  static __device__ __forceinline__ bool mine() { return kCount >= kThreads || thread() < kCount; }

  __device__ __forceinline__ TileLoader(const T* tile, long long line_pitch)
      : from(tile + line(0) * line_pitch + run(0)), pitch(line_pitch) {}

  __device__ __forceinline__ const T* source(int i) const {
    return from + line_offset(i) * pitch + run_offset(i);
  }
  static __device__ __forceinline__ SharedPointer<T> place(SharedPointer<T> tile, int tile_pitch,
                                                           int i) {
    return tile + (kTurned ? run(i) * tile_pitch + line(i) : line(i) * tile_pitch + run(i));
  }
  template <bool kGuard>
  static __device__ __forceinline__ bool inside(int i, int lines_left, int run_left) {
    return !kGuard || (line(i) < lines_left && run(i) < run_left);
  }

  // Straight into shared memory; what lies outside the matrix (kGuard) becomes zero.
  template <bool kGuard>
  __device__ __forceinline__ void copy(SharedPointer<T> tile, int tile_pitch, int lines_left,
                                       int run_left) const {
    static_assert(!kTurned || kWide == 1, "a copy cannot part what lies side by side");
    if (!mine()) return;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const SharedPointer<T> to = place(tile, tile_pitch, i);
      if constexpr (kGuard) {
        copy_async<sizeof(Piece)>(to, source(i), inside<true>(i, lines_left, run_left));
      } else {
        copy_async<sizeof(Piece)>(to, source(i));
      }
    }
  }

  // Into registers, likewise; and from there into shared memory.
  template <bool kGuard>
  __device__ __forceinline__ void fetch(int lines_left, int run_left) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      if (mine() && inside<kGuard>(i, lines_left, run_left)) {
        pieces[i] = *reinterpret_cast<const Piece*>(source(i));
      } else {
#pragma unroll
        for (int e = 0; e < kWide; ++e) pieces[i].at[e] = T(0);
      }
    }
  }

  __device__ __forceinline__ void put(SharedPointer<T> tile, int tile_pitch) const {
    if (!mine()) return;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const SharedPointer<T> to = place(tile, tile_pitch, i);
      if constexpr (kTurned) {
#pragma unroll
        for (int e = 0; e < kWide; ++e)
          (to + e * tile_pitch).template store<1>({{pieces[i].at[e]}});
      } else {
        to.template store<kWide>(pieces[i]);
      }
    }
  }
};

// Which way a tile lies in shared memory: its lines are steps along k, as threads that multiply one
// step after the other like it; or they are as in a matrix whose lines go along k, and a thread
// reads several steps at a time.
enum class Lines { steps, along_k };

// A strip of A or B, kAlong wide along m or n, that is loaded in tiles of kDepth steps along k.
// kAlongK: in global memory k is what is contiguous. Where k is contiguous on either side, lines of
// the tile are kPad elements longer: what threads read or write down its columns then meets in
// fewer banks.
template <typename T, int kAlong, int kDepth, int kThreads, int kWide, bool kAlongK, Lines kLines,
          int kPad>
struct Strip {
  static_assert(kAlongK || kLines == Lines::steps, "only lines along k can be kept");
  static constexpr bool kTurned = kAlongK && kLines == Lines::steps;
  static constexpr int kPitch =
      kLines == Lines::along_k ? kDepth + kPad : kAlong + (kTurned ? kPad : 0);
  static constexpr int kElements = (kLines == Lines::along_k ? kAlong : kDepth) * kPitch;
  using Loader =
      TileLoader<T, kAlongK ? kAlong : kDepth, kAlongK ? kDepth : kAlong, kThreads, kWide, kTurned>;

  Loader loader;
  int along_left;

  // From element `along` of `size` and step `first` of k.
  __device__ __forceinline__ Strip(const T* matrix, long long along, long long size,
                                   long long first, long long k)
      : loader(kAlongK ? matrix + along * k + first : matrix + first * size + along,
               kAlongK ? k : size),
        along_left(static_cast<int>(min(size - along, static_cast<long long>(kAlong)))) {}

  template <bool kGuard>
  __device__ __forceinline__ void copy(SharedPointer<T> tile, int depth_left) const {
    loader.template copy<kGuard>(tile, kPitch, kAlongK ? along_left : depth_left,
                                 kAlongK ? depth_left : along_left);
  }
  template <bool kGuard>
  __device__ __forceinline__ void fetch(int depth_left) {
    loader.template fetch<kGuard>(kAlongK ? along_left : depth_left,
                                  kAlongK ? depth_left : along_left);
  }
  __device__ __forceinline__ void put(SharedPointer<T> tile) const { loader.put(tile, kPitch); }
  __device__ __forceinline__ void advance() {
    loader.from += kAlongK ? kDepth : kDepth * loader.pitch;
  }
};

}  // namespace tuner_kernels
