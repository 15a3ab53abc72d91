// C = alpha * A * B + beta * D: A is m x k, B is k x n, C and D are m x n and row-major.
//
// Three ways, as they are taught: `naive` (an element a thread, everything from global memory),
// `tile` (square tiles of A and B in shared memory), and `register` (each thread keeps kTM x kTN
// elements of C in registers). Any m, n, k from 1 is right for all of them; addresses are 64-bit.
// Blocks are numbered along grid.x alone, since grid.y ends at 65535.
#include "common/cluster.cuh"
#include "common/flag.cuh"
#include "common/shared.cuh"
#include "common/vector.cuh"
#include "matmul/shares.cuh"
#include "matmul/tile_loader.cuh"

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

// Which neighbours of A and B are contiguous: those of a row or those of a column.
enum class Layout { row, column };

template <Layout kLayout, typename T>
__device__ __forceinline__ T element(const T* matrix, long long row, long long column,
                                     long long rows, long long columns) {
  return kLayout == Layout::row ? matrix[row * columns + column] : matrix[column * rows + row];
}

// What is kept of a sum. D is not read where beta is 0: it may then hold anything.
template <typename T>
__device__ __forceinline__ T scaled(T sum, T alpha, T beta, const T* d) {
  return beta == T(0) ? alpha * sum : alpha * sum + beta * *d;
}

// ---- naive ----

template <typename T, int kTile, Layout kLayoutA, Layout kLayoutB>
__global__ void __launch_bounds__(kTile* kTile)
    matmul_naive(const T* __restrict__ a, const T* __restrict__ b, const T* d, T* c, T alpha,
                 T beta, long long m, long long n, long long k) {
  const TilePosition at = tile_position(blockIdx.x, tiles(m, kTile), tiles(n, kTile), 1);
  const long long row = static_cast<long long>(at.row) * kTile + threadIdx.y;
  const long long column = static_cast<long long>(at.column) * kTile + threadIdx.x;
  if (row >= m || column >= n) return;
  T sum = 0;
  for (long long i = 0; i < k; ++i)
    sum += element<kLayoutA>(a, row, i, m, k) * element<kLayoutB>(b, i, column, k, n);
  c[row * n + column] = scaled(sum, alpha, beta, d + row * n + column);
}

// ---- tile ----

template <typename T, int kTile, Layout kLayoutA, Layout kLayoutB>
__global__ void __launch_bounds__(kTile* kTile)
    matmul_tile(const T* __restrict__ a, const T* __restrict__ b, const T* d, T* c, T alpha, T beta,
                long long m, long long n, long long k) {
  __shared__ T a_tile[kTile][kTile];
  __shared__ T b_tile[kTile][kTile];
  const TilePosition at = tile_position(blockIdx.x, tiles(m, kTile), tiles(n, kTile), 1);
  const int x = threadIdx.x, y = threadIdx.y;
  const long long row = static_cast<long long>(at.row) * kTile + y;
  const long long column = static_cast<long long>(at.column) * kTile + x;
  T sum = 0;
  for (long long k0 = 0; k0 < k; k0 += kTile) {
    a_tile[y][x] = row < m && k0 + x < k ? element<kLayoutA>(a, row, k0 + x, m, k) : T(0);
    b_tile[y][x] = k0 + y < k && column < n ? element<kLayoutB>(b, k0 + y, column, k, n) : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = scaled(sum, alpha, beta, d + row * n + column);
}

// ---- register ----

// kCount elements in vectors of kVec, the vectors `step` apart.
template <int kVec, int kCount, typename T>
__device__ __forceinline__ void load_fragment(SharedPointer<T> from, int step,
                                              T (&fragment)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; i += kVec) {
    const Vector<T, kVec> v = (from + i / kVec * step).template load<kVec>();
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

// The sums of a thread, times alpha, on their way to another block: vectors of 16 bytes, those of
// neighbouring threads side by side. Scaling makes them values of their own: were the sums stored
// as they are, each four would have to be neighbours among the registers, and then some FMAs of the
// inner loop find all their operands in one bank.
template <typename T, int kTM, int kTN, int kThreads>
struct Partial {
  static constexpr int kWide = 16 / sizeof(T);
  static constexpr int kPieces = kTM * kTN / kWide;  // a thread
  using Piece = Vector<T, kWide>;

  static __device__ __forceinline__ Piece piece(const T (&sum)[kTM][kTN], T alpha, int i) {
    Piece piece;
#pragma unroll
    for (int e = 0; e < kWide; ++e) {
      const int at = i * kWide + e;
      piece.at[e] = alpha * sum[at / kTN][at % kTN];
    }
    return piece;
  }

  // This thread's first vector of a share's.
  static __device__ __forceinline__ Piece* in_workspace(T* partials, unsigned rank) {
    constexpr long long kElements = kTM * kTN * kThreads;
    return reinterpret_cast<Piece*>(partials + rank * kElements) + threadIdx.x;
  }

  static __device__ __forceinline__ void keep(const T (&sum)[kTM][kTN], T alpha, Piece* to) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) store<Cache::l2>(to + i * kThreads, piece(sum, alpha, i));
  }

  static __device__ __forceinline__ void add(T (&sum)[kTM][kTN], const Piece* from) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const Piece piece = load<Cache::l2>(from + i * kThreads);
#pragma unroll
      for (int e = 0; e < kWide; ++e) {
        const int at = i * kWide + e;
        sum[at / kTN][at % kTN] += piece.at[e];
      }
    }
  }

  // The same in shared memory.
  static __device__ __forceinline__ SharedPointer<T> in_shared(const void* shared, int i) {
    return SharedPointer<T>(shared) + (i * kThreads + static_cast<int>(threadIdx.x)) * kWide;
  }
  static __device__ __forceinline__ void keep(const T (&sum)[kTM][kTN], T alpha,
                                              const void* shared) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i)
      in_shared(shared, i).template store<kWide>(piece(sum, alpha, i));
  }
};

// Each of kCluster blocks adds up its part of the tile, in the order of k, and writes it.
template <typename Kept, int kTN, int kWideC, int kCluster, typename Sums, typename T,
          typename Write>
__device__ __forceinline__ void add_in_cluster(const Sums& sum, T alpha, const void* shared,
                                               const Write& write) {
#if __CUDA_ARCH__ >= 900
  constexpr int kMine = Kept::kPieces / kCluster;
  static_assert(Kept::kPieces % kCluster == 0, "blocks must share a thread's sums evenly");
  __syncthreads();  // all have read the tiles that are overwritten now
  Kept::keep(sum, alpha, shared);
  sync_cluster();
  const int first = static_cast<int>(blockIdx.x % kCluster) * kMine;
#pragma unroll 4
  for (int i = first; i < first + kMine; ++i) {
    typename Kept::Piece total = load_from_block(Kept::in_shared(shared, i), 0);
#pragma unroll
    for (int rank = 1; rank < kCluster; ++rank) {
      const typename Kept::Piece piece = load_from_block(Kept::in_shared(shared, i), rank);
#pragma unroll
      for (int e = 0; e < Kept::kWide; ++e) total.at[e] += piece.at[e];
    }
#pragma unroll
    for (int e = 0; e < Kept::kWide; e += kWideC) {
      Vector<T, kWideC> piece;
#pragma unroll
      for (int f = 0; f < kWideC; ++f) piece.at[f] = total.at[e + f];
      write((i * Kept::kWide + e) / kTN, (i * Kept::kWide + e) % kTN, piece);
    }
  }
  sync_cluster();  // the others read this block's memory until here
#endif
}

// C = beta * D, to which the blocks of an atomic finish add.
template <typename T>
__global__ void matmul_scale(const T* d, T* c, T beta, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) c[i] = beta * d[i];
}

// kBM x kBN of C a block, in steps of kBK along k. A warp has kLanesM x (32 / kLanesM) lanes over
// its part of the tile, a lane kTM x kTN elements, in vectors of kVec that are interleaved among
// the lanes: neighbouring lanes read neighbouring vectors, so that shared memory serves them
// without conflicts.
//
// kAsync: the next kStages - 1 tiles are on their way into shared memory while one is multiplied.
// Otherwise the next tile is fetched into registers during this one, and put into the other half of
// shared memory (kStages 2: one barrier a tile) or over this one (kStages 1: two). kCluster: blocks
// of a cluster, which share the k of a tile where kFinish says so; else 1. kWideA, kWideB,
// kWideC: elements that one access moves, which lines of the matrix come in multiples of. kAligned:
// the tile divides m, n and k, so nothing needs a guard.
template <typename T, int kBM, int kBN, int kBK, int kTM, int kTN, int kLanesM, int kVec, int kPad,
          bool kAsync, int kStages, int kGroup, int kMinBlocks, Layout kLayoutA, Layout kLayoutB,
          Finish kFinish, int kCluster, int kWideA, int kWideB, int kWideC, bool kAligned>
__global__ void __launch_bounds__(kBM / kTM * (kBN / kTN), kMinBlocks)
    matmul_register(const T* __restrict__ a, const T* __restrict__ b, const T* d, T* c,
                    T* __restrict__ partials, unsigned* __restrict__ flags, T alpha, T beta,
                    long long m, long long n, long long k) {
  constexpr int kThreads = kBM / kTM * (kBN / kTN);
  constexpr int kLanesN = 32 / kLanesM;
  constexpr int kWarpM = kLanesM * kTM, kWarpN = kLanesN * kTN;  // a warp's part of the tile
  using StripA = Strip<T, kBM, kBK, kThreads, kWideA, kLayoutA == Layout::row, kPad>;
  using StripB = Strip<T, kBN, kBK, kThreads, kWideB, kLayoutB == Layout::column, kPad>;
  constexpr int kStage = StripA::kElements + StripB::kElements;
  static_assert(kLanesM == 4 || kLanesM == 8, "the lane pattern is made for 4 x 8 and 8 x 4");
  static_assert(kBM % kWarpM == 0 && kBN % kWarpN == 0, "warps must divide the tile");
  static_assert(kTM % kVec == 0 && kTN % kVec == 0 && kPad % kVec == 0,
                "vectors must divide lines of shared memory");
  static_assert(kBK % 2 == 0, "fragments alternate between two sets of registers");
  static_assert(kAsync ? kStages >= 2 : kStages <= 2, "a tile is used while another one comes");

  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const SharedPointer<T> shared(shared_bytes);

  // Neighbouring lanes alternate along m and n (bits 0, 2 and 1, 3): both reads of a half warp then
  // find pairs with equal addresses, which the shared memory pipe joins.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_m = (lane & 1) | ((lane >> 1) & 2) | (kLanesM == 8 ? (lane >> 2) & 4 : 0);
  const int lane_n = ((lane >> 1) & 1) | ((lane >> 2) & 2) | (kLanesN == 8 ? (lane >> 2) & 4 : 0);
  const int row = warp / (kBN / kWarpN) * kWarpM + lane_m * kVec;
  const int column = warp % (kBN / kWarpN) * kWarpN + lane_n * kVec;

  const long long steps = (k + kBK - 1) / kBK;
  constexpr bool kShares = kFinish == Finish::ordered || kFinish == Finish::atomic;
  __shared__ Shares shares;
  if (kShares && threadIdx.x == 0) shares.begin(tiles(m, kBM) * tiles(n, kBN), steps);
  // Asked for again where it is needed, lest it takes registers from the sums.
  const auto segment = [&]() -> Segment {
    if constexpr (kShares) return shares.segment();
    const unsigned part = blockIdx.x % kCluster;
    return {blockIdx.x / kCluster, steps * part / kCluster, steps * (part + 1) / kCluster};
  };
  const auto place = [&] {
    return tile_position(segment().tile, tiles(m, kBM), tiles(n, kBN), kGroup);
  };
  do {
    if (kShares) {
      __syncthreads();  // all are done with the segment before
      if (threadIdx.x == 0) shares.next();
      __syncthreads();
      if (shares.none()) return;
    }
    const long long first_k = segment().first * kBK;
    StripA a_strip(a, static_cast<long long>(place().row) * kBM, m, first_k, k);
    StripB b_strip(b, static_cast<long long>(place().column) * kBN, n, first_k, k);
    T sum[kTM][kTN] = {};
    T a_fragment[2][kTM], b_fragment[2][kTN];

    long long k_left = k - first_k;
    int stage = 0;
    const auto depth_left = [&] {
      return static_cast<int>(min(k_left, static_cast<long long>(kBK)));
    };
    const auto advance = [&] {
      a_strip.advance();
      b_strip.advance();
      k_left -= kBK;
    };
    const auto copy_to = [&](int to_stage) {
      if constexpr (kAsync) {
        const SharedPointer<T> to = shared + to_stage * kStage;
        a_strip.template copy<!kAligned>(to, depth_left());
        b_strip.template copy<!kAligned>(to + StripA::kElements, depth_left());
        advance();
      }
    };
    const auto fetch = [&] {
      a_strip.template fetch<!kAligned>(depth_left());
      b_strip.template fetch<!kAligned>(depth_left());
      advance();
    };
    const auto put = [&] {
      const SharedPointer<T> to = shared + stage * kStage;
      a_strip.put(to);
      b_strip.put(to + StripA::kElements);
    };
    const auto load_fragments = [&](int depth, int set) {
      const SharedPointer<T> from = shared + stage * kStage;
      load_fragment<kVec>(from + depth * StripA::kPitch + row, kLanesM * kVec, a_fragment[set]);
      load_fragment<kVec>(from + StripA::kElements + depth * StripB::kPitch + column,
                          kLanesN * kVec, b_fragment[set]);
    };

    // Tiles of this segment that are still to be multiplied, and to be asked for.
    int left = static_cast<int>(segment().last - segment().first), to_come = left;
    int free_stage = kStages - 1;
    if constexpr (kAsync) {
#pragma unroll
      for (int i = 0; i < kStages - 1; ++i) {
        if (to_come > 0) copy_to(i);
        --to_come;
        commit_copies();
      }
      wait_copies<kStages - 2>();
    } else {
      fetch();
      put();
    }
    __syncthreads();
    load_fragments(0, 0);
    for (;;) {
      --left;
#pragma unroll
      for (int depth = 0; depth < kBK; ++depth) {
        if (depth == 0) {
          if constexpr (kAsync) {
            if (to_come > 0) copy_to(free_stage);
            --to_come;
            commit_copies();
            free_stage = stage;
          } else if (left > 0) {
            fetch();
          }
        }
        if (depth + 1 < kBK) {
          load_fragments(depth + 1, (depth + 1) % 2);
        } else if (left > 0) {
          if constexpr (kAsync) {
            stage = stage + 1 == kStages ? 0 : stage + 1;
            wait_copies<kStages - 2>();
          } else {
            if constexpr (kStages == 1) {
              __syncthreads();  // all have read the tile that is overwritten now
            } else {
              stage ^= 1;
            }
            put();
          }
          __syncthreads();
          load_fragments(0, 0);
        }
        outer_product(sum, a_fragment[depth % 2], b_fragment[depth % 2]);
      }
      if (left == 0) break;
    }

    using Kept = Partial<T, kTM, kTN, kThreads>;
    T scale = alpha;
    if constexpr (kFinish == Finish::ordered) {
      if (shares.segment().first > 0) {
        Kept::keep(sum, alpha, Kept::in_workspace(partials, shares.rank()));
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) raise_flag(flags + shares.rank());
        continue;
      }
      long long done = shares.segment().last;
      if (done < steps) {
#pragma unroll
        for (int i = 0; i < kTM * kTN; ++i) sum[i / kTN][i % kTN] *= alpha;
        scale = T(1);
      }
      for (unsigned rank = shares.rank() + 1; done < steps; ++rank) {
        const long long end = shares.end_in(shares.segment().tile, rank);
        if (end == done) continue;  // an empty share: more blocks than steps
        done = end;
        if (threadIdx.x == 0) await_flag(flags + rank);
        __syncthreads();
        Kept::add(sum, Kept::in_workspace(partials, rank));
      }
    }

    const bool add = kFinish == Finish::atomic && segment().last - segment().first < steps;
    const long long row0 = static_cast<long long>(place().row) * kBM + row;
    const long long column0 = static_cast<long long>(place().column) * kBN + column;
    // kWideC neighbours of C, from element (i, j) of a thread's.
    const auto write = [&](int i, int j, Vector<T, kWideC> piece) {
      const long long r = row0 + i / kVec * (kLanesM * kVec) + i % kVec;
      const long long s = column0 + j / kVec * (kLanesN * kVec) + j % kVec;
      if (!kAligned && (r >= m || s >= n)) return;
      const long long at = r * n + s;
      if (kFinish == Finish::atomic && add) {
        add_atomic<kWideC>(c + at, piece);
        return;
      }
      using Piece = Vector<T, kWideC>;
      if (beta != T(0)) {
        const Piece old = load<Cache::cached>(reinterpret_cast<const Piece*>(d + at));
#pragma unroll
        for (int e = 0; e < kWideC; ++e) piece.at[e] += beta * old.at[e];
      }
      store<Cache::l2>(reinterpret_cast<Piece*>(c + at), piece);
    };
    if constexpr (kFinish == Finish::cluster) {
      add_in_cluster<Kept, kTN, kWideC, kCluster>(sum, alpha, shared_bytes, write);
    } else {
#pragma unroll
      for (int i = 0; i < kTM; ++i) {
#pragma unroll
        for (int j = 0; j < kTN; j += kWideC) {
          Vector<T, kWideC> piece;
#pragma unroll
          for (int e = 0; e < kWideC; ++e) piece.at[e] = scale * sum[i][j + e];
          write(i, j, piece);
        }
      }
    }
  } while (kShares);
}

}  // namespace tuner_kernels
