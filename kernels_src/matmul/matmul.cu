// C = A * B, row-major: A is m x k, B is k x n, C is m x n.
//
// Three ways, as they are taught: `naive` (an element a thread, everything from global memory),
// `tile` (square tiles of A and B in shared memory), and `register` (each thread keeps kTM x kTN
// elements of C in registers). Any m, n, k from 1 is right for all of them; addresses are 64-bit.
// Blocks are numbered along grid.x alone, since grid.y ends at 65535.
#include "common/vector.cuh"

namespace tuner_kernels {

// Which tile of C a block computes. Blocks that run at the same time should share rows of A and
// columns of B while these are in L2: they go down `group` tile rows before they step to the next
// tile column.
struct TilePosition {
  int row, column;
};

__device__ __forceinline__ TilePosition tile_position(unsigned block, unsigned tile_rows,
                                                      unsigned tile_columns, unsigned group) {
  const unsigned group_rows = min(group, tile_rows);
  const unsigned group_tiles = group_rows * tile_columns;  // at most the whole grid: no overflow
  const unsigned first_row = block / group_tiles * group_rows;
  const unsigned rows = min(tile_rows - first_row, group_rows);  // the last group may be lower
  const unsigned in_group = block % group_tiles;
  return {static_cast<int>(first_row + in_group % rows), static_cast<int>(in_group / rows)};
}

__device__ __forceinline__ unsigned tiles(long long size, int tile) {
  return static_cast<unsigned>((size + tile - 1) / tile);
}

// ---- naive ----

template <typename T, int kTile>
__global__ void __launch_bounds__(kTile* kTile)
    matmul_naive(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, long long m,
                 long long n, long long k) {
  const TilePosition at = tile_position(blockIdx.x, tiles(m, kTile), tiles(n, kTile), 1);
  const long long row = static_cast<long long>(at.row) * kTile + threadIdx.y;
  const long long column = static_cast<long long>(at.column) * kTile + threadIdx.x;
  if (row >= m || column >= n) return;
  T sum = 0;
  for (long long i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// ---- tile ----

template <typename T, int kTile>
__global__ void __launch_bounds__(kTile* kTile)
    matmul_tile(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, long long m,
                long long n, long long k) {
  __shared__ T a_tile[kTile][kTile];
  __shared__ T b_tile[kTile][kTile];
  const TilePosition at = tile_position(blockIdx.x, tiles(m, kTile), tiles(n, kTile), 1);
  const int x = threadIdx.x, y = threadIdx.y;
  const long long row = static_cast<long long>(at.row) * kTile + y;
  const long long column = static_cast<long long>(at.column) * kTile + x;
  T sum = 0;
  for (long long k0 = 0; k0 < k; k0 += kTile) {
    a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : T(0);
    b_tile[y][x] = k0 + y < k && column < n ? b[(k0 + y) * n + column] : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// ---- register ----

// How the threads of a block share the pieces (kWide neighbours) of a row-major kRows x kColumns
// tile, and a thread's place in global memory.
template <typename T, int kRows, int kColumns, int kThreads, int kWide>
struct TileLoader {
  using Piece = Vector<T, kWide>;
  static constexpr int kPerRow = kColumns / kWide;
  static constexpr int kCount = kRows * kPerRow;
  static constexpr int kPieces = (kCount + kThreads - 1) / kThreads;  // a thread
  static constexpr bool kRowsFirst = kThreads >= kPerRow;
  static_assert(kColumns % kWide == 0, "pieces must divide the tile's rows");
  static_assert(kRowsFirst ? kThreads % kPerRow == 0 : kPerRow % kThreads == 0,
                "threads must share rows evenly");
  static_assert(kCount < kThreads || kCount % kThreads == 0, "threads must share the tile evenly");

  static constexpr int kRowStep = kRowsFirst ? kThreads / kPerRow : 0;
  static constexpr int kPiecesPerRow = kRowsFirst ? 1 : kPerRow / kThreads;  // a thread's

  const T* from;  // piece 0 of this thread, in the current tile
  long long pitch;
  Piece pieces[kPieces];

  // Rows and columns of piece i from those of piece 0: known when compiling.
  static constexpr __device__ int row_offset(int i) {
    return kRowsFirst ? i * kRowStep : i / kPiecesPerRow;
  }
  static constexpr __device__ int column_offset(int i) {
    return kRowsFirst ? 0 : i % kPiecesPerRow * kThreads * kWide;
  }
  static __device__ __forceinline__ int row(int i) {
    return (kRowsFirst ? static_cast<int>(threadIdx.x) / kPerRow : 0) + row_offset(i);
  }
  static __device__ __forceinline__ int column(int i) {
    return (kRowsFirst ? static_cast<int>(threadIdx.x) % kPerRow : static_cast<int>(threadIdx.x)) *
               kWide +
           column_offset(i);
  }
  static __device__ __forceinline__ bool mine() {
    return kCount >= kThreads || threadIdx.x < kCount;
  }

  __device__ __forceinline__ TileLoader(const T* tile, long long row_pitch)
      : from(tile + row(0) * row_pitch + column(0)), pitch(row_pitch) {}

  // Into registers; what lies outside the matrix (kGuard) becomes zero.
  template <bool kGuard>
  __device__ __forceinline__ void fetch(int rows_left, int columns_left) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const bool inside = mine() && (!kGuard || (row(i) < rows_left && column(i) < columns_left));
      if (inside) {
        pieces[i] =
            *reinterpret_cast<const Piece*>(from + row_offset(i) * pitch + column_offset(i));
      } else {
#pragma unroll
        for (int e = 0; e < kWide; ++e) pieces[i].at[e] = T(0);
      }
    }
  }

  __device__ __forceinline__ void put(T* tile, int tile_pitch) const {
    if (!mine()) return;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      *reinterpret_cast<Piece*>(tile + row(i) * tile_pitch + column(i)) = pieces[i];
    }
  }

  // Tile element (r, c) goes to (c, r): A's columns become rows, so that a thread's rows of A are
  // neighbours.
  __device__ __forceinline__ void put_transposed(T* tile, int tile_pitch) const {
    if (!mine()) return;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
#pragma unroll
      for (int e = 0; e < kWide; ++e) tile[(column(i) + e) * tile_pitch + row(i)] = pieces[i].at[e];
    }
  }
};

// kCount elements in vectors of kVec, the vectors `step` apart.
template <int kVec, int kCount, typename T>
__device__ __forceinline__ void load_fragment(const T* from, int step, T (&fragment)[kCount]) {
  using V = Vector<T, kVec>;
#pragma unroll
  for (int i = 0; i < kCount; i += kVec) {
    const V v = *reinterpret_cast<const V*>(from + i / kVec * step);
#pragma unroll
    for (int e = 0; e < kVec; ++e) fragment[i + e] = v.at[e];
  }
}

// Every other column goes backwards: consecutive FMAs then share an operand, which the reuse cache
// of the register file serves; three fresh registers would issue at half rate.
template <typename T, int kTM, int kTN>
__device__ __forceinline__ void outer_product(T (&sum)[kTM][kTN], const T (&a)[kTM],
                                              const T (&b)[kTN]) {
#pragma unroll
  for (int j = 0; j < kTN; ++j) {
#pragma unroll
    for (int i = 0; i < kTM; ++i) {
      const int row = j % 2 == 0 ? i : kTM - 1 - i;
      sum[row][j] += a[row] * b[j];
    }
  }
}

// kBM x kBN of C a block, in steps of kBK along k. A warp has kLanesM x (32 / kLanesM) lanes over
// its part of the tile, a lane kTM x kTN elements, in vectors of kVec that are interleaved among
// the lanes: neighbouring lanes read neighbouring vectors, so that shared memory serves them
// without conflicts.
//
// kStages 2: the next tile is fetched into registers during this one, and put into the other half
// of shared memory: one barrier a tile. kStages 1: half the shared memory, two barriers. kWide:
// elements that every row of A, B and C comes in multiples of (loads and stores of that width are
// aligned). kAligned: the tile divides m, n and k, so nothing needs a guard.
template <typename T, int kBM, int kBN, int kBK, int kTM, int kTN, int kLanesM, int kVec, int kPad,
          int kStages, int kGroup, int kMinBlocks, int kWide, bool kAligned>
__global__ void __launch_bounds__(kBM / kTM * (kBN / kTN), kMinBlocks)
    matmul_register(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                    long long m, long long n, long long k) {
  constexpr int kThreads = kBM / kTM * (kBN / kTN);
  constexpr int kLanesN = 32 / kLanesM;
  constexpr int kWarpM = kLanesM * kTM, kWarpN = kLanesN * kTN;  // a warp's part of the tile
  constexpr int kPitchA = kBM + kPad, kPitchB = kBN;
  constexpr int kSharedA = kBK * kPitchA, kShared = kSharedA + kBK * kPitchB;  // elements a stage
  static_assert(kLanesM == 4 || kLanesM == 8, "the lane pattern is made for 4 x 8 and 8 x 4");
  static_assert(kBM % kWarpM == 0 && kBN % kWarpN == 0, "warps must divide the tile");
  static_assert(kTM % kVec == 0 && kTN % kVec == 0 && kPad % kVec == 0,
                "vectors must divide rows of shared memory");
  static_assert(kVec % kWide == 0 && kBK % kWide == 0,
                "global pieces must divide the tiles and vectors");
  static_assert(kBK % 2 == 0, "fragments alternate between two sets of registers");
  static_assert(kStages == 1 || kStages == 2, "one or two halves of shared memory");

  extern __shared__ __align__(16) unsigned char shared_bytes[];
  T* const shared = reinterpret_cast<T*>(shared_bytes);

  const TilePosition at = tile_position(blockIdx.x, tiles(m, kBM), tiles(n, kBN), kGroup);
  const long long row0 = static_cast<long long>(at.row) * kBM;
  const long long column0 = static_cast<long long>(at.column) * kBN;
  const int rows_left = static_cast<int>(min(m - row0, static_cast<long long>(kBM)));
  const int columns_left = static_cast<int>(min(n - column0, static_cast<long long>(kBN)));

  // Neighbouring lanes alternate along m and n (bits 0, 2 and 1, 3): both reads of a half warp then
  // find pairs with equal addresses, which the shared memory pipe joins.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_m = (lane & 1) | ((lane >> 1) & 2) | (kLanesM == 8 ? (lane >> 2) & 4 : 0);
  const int lane_n = ((lane >> 1) & 1) | ((lane >> 2) & 2) | (kLanesN == 8 ? (lane >> 2) & 4 : 0);
  const int row = warp / (kBN / kWarpN) * kWarpM + lane_m * kVec;
  const int column = warp % (kBN / kWarpN) * kWarpN + lane_n * kVec;

  TileLoader<T, kBM, kBK, kThreads, kWide> a_loader(a + row0 * k, k);
  TileLoader<T, kBK, kBN, kThreads, kWide> b_loader(b + column0, n);
  T sum[kTM][kTN] = {};
  T a_fragment[2][kTM], b_fragment[2][kTN];

  long long k_left = k;
  const auto fetch = [&] {
    const int depth_left = static_cast<int>(min(k_left, static_cast<long long>(kBK)));
    a_loader.template fetch<!kAligned>(rows_left, depth_left);
    b_loader.template fetch<!kAligned>(depth_left, columns_left);
    a_loader.from += kBK;
    b_loader.from += kBK * n;
  };
  int stage = 0;
  const auto put = [&] {
    T* const to = shared + stage * kShared;
    a_loader.put_transposed(to, kPitchA);
    b_loader.put(to + kSharedA, kPitchB);
  };
  const auto load_fragments = [&](int depth, int set) {
    const T* const from = shared + stage * kShared;
    load_fragment<kVec>(from + depth * kPitchA + row, kLanesM * kVec, a_fragment[set]);
    load_fragment<kVec>(from + kSharedA + depth * kPitchB + column, kLanesN * kVec,
                        b_fragment[set]);
  };

  fetch();
  put();
  __syncthreads();
  load_fragments(0, 0);
  for (;;) {
    k_left -= kBK;
    const bool more = k_left > 0;
#pragma unroll
    for (int depth = 0; depth < kBK; ++depth) {
      if (depth == 0 && more) fetch();
      if (depth + 1 < kBK) {
        load_fragments(depth + 1, (depth + 1) % 2);
      } else if (more) {
        if constexpr (kStages == 1) {
          __syncthreads();  // all have read the tile that is overwritten now
        } else {
          stage ^= 1;
        }
        put();
        __syncthreads();
        load_fragments(0, 0);
      }
      outer_product(sum, a_fragment[depth % 2], b_fragment[depth % 2]);
    }
    if (!more) break;
  }

  using Piece = Vector<T, kWide>;
#pragma unroll
  for (int i = 0; i < kTM; ++i) {
    const int r = row + i / kVec * (kLanesM * kVec) + i % kVec;
    T* const to = c + (row0 + r) * n + column0;
#pragma unroll
    for (int j = 0; j < kTN; j += kWide) {
      const int s = column + j / kVec * (kLanesN * kVec) + j % kVec;
      Piece piece;
#pragma unroll
      for (int e = 0; e < kWide; ++e) piece.at[e] = sum[i][j + e];
      if (kAligned || (r < rows_left && s < columns_left))
        *reinterpret_cast<Piece*>(to + s) = piece;
    }
  }
}

}  // namespace tuner_kernels
