// C = alpha * A * B + beta * D: A is m x k, B is k x n, C and D are m x n and row-major.
//
// Three ways, as they are taught: `naive` (an element a thread, everything from global memory),
// `tile` (square tiles of A and B in shared memory), and `register` (each thread keeps kTM x kTN
// elements of C in registers). Any m, n, k from 1 is right for all of them; addresses are 64-bit.
// Blocks are numbered along grid.x alone, since grid.y ends at 65535.
#include "common/flag.cuh"
#include "common/shared.cuh"
#include "common/vector.cuh"
#include "matmul/finish.cuh"
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

// What a thread has of A for the step that is multiplied and the next ones. Lines::steps: kTM
// elements of a step, from two sets of registers in turn. Lines::along_k: kVec steps of each row.
template <typename T, int kTM, int kVec, Lines kLines>
struct FragmentA {
  static constexpr bool kRows = kLines == Lines::along_k;
  T of_step[kRows ? 1 : 2][kRows ? 1 : kTM];
  Vector<T, kVec> of_row[kRows ? kTM : 1];

  __device__ __forceinline__ T at(int depth, int i) const {
    return kRows ? of_row[kRows ? i : 0].at[depth % kVec]
                 : of_step[kRows ? 0 : depth % 2][kRows ? 0 : i];
  }
};

// Consecutive FMAs share an operand, since every other line of the sums goes backwards: the reuse
// cache of the register file serves it, and three fresh registers would issue at half rate. With
// kRows line by line, and after_row(i) where the elements of row i are no longer needed.
template <bool kRows, typename T, int kTM, int kTN, typename A, typename AfterRow>
__device__ __forceinline__ void outer_product(T (&sum)[kTM][kTN], const A& a, const T (&b)[kTN],
                                              const AfterRow& after_row) {
  constexpr int kLines = kRows ? kTM : kTN, kInLine = kRows ? kTN : kTM;
#pragma unroll
  for (int line = 0; line < kLines; ++line) {
#pragma unroll
    for (int e = 0; e < kInLine; ++e) {
      const int in_line = line % 2 == 0 ? e : kInLine - 1 - e;
      const int i = kRows ? line : in_line, j = kRows ? in_line : line;
      sum[i][j] += a(i) * b[j];
    }
    if (kRows) after_row(line);
  }
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
// without conflicts. kLinesA: how tiles of A lie in shared memory.
//
// kAsync: the next kStages - 1 tiles are on their way into shared memory while one is multiplied.
// Otherwise the next tile is fetched into registers during this one, and put into the other half of
// shared memory (kStages 2: one barrier a tile) or over this one (kStages 1: two). kSlices: so many
// parts of a block have all of its tile each, and a part of its k; they add up in the end.
// kCluster: blocks of a cluster, which share the k of a tile where kFinish says so; else 1. kWideA,
// kWideB, kWideC: elements that one access moves, which lines of the matrix come in multiples of.
// kAligned: the tile divides m, n and k, so nothing needs a guard.
template <typename T, int kBM, int kBN, int kBK, int kTM, int kTN, int kLanesM, int kVec, int kPad,
          Lines kLinesA, bool kAsync, int kStages, int kSlices, int kGroup, int kMinBlocks,
          Layout kLayoutA, Layout kLayoutB, Finish kFinish, int kCluster, int kWideA, int kWideB,
          int kWideC, bool kAligned>
__global__ void __launch_bounds__(kBM / kTM * (kBN / kTN) * kSlices, kMinBlocks)
    matmul_register(const T* __restrict__ a, const T* __restrict__ b, const T* d, T* c,
                    T* __restrict__ partials, unsigned* __restrict__ flags, T alpha, T beta,
                    long long m, long long n, long long k) {
  constexpr int kSliceThreads = kBM / kTM * (kBN / kTN);
  constexpr int kLanesN = 32 / kLanesM;
  constexpr int kWarpM = kLanesM * kTM, kWarpN = kLanesN * kTN;  // a warp's part of the tile
  using StripA = Strip<T, kBM, kBK, kSliceThreads, kWideA, kLayoutA == Layout::row, kLinesA, kPad>;
  using StripB =
      Strip<T, kBN, kBK, kSliceThreads, kWideB, kLayoutB == Layout::column, Lines::steps, kPad>;
  constexpr int kStage = StripA::kElements + StripB::kElements;
  static_assert(kLanesM == 4 || kLanesM == 8, "the lane pattern is made for 4 x 8 and 8 x 4");
  static_assert(kBM % kWarpM == 0 && kBN % kWarpN == 0, "warps must divide the tile");
  static_assert(kTM % kVec == 0 && kTN % kVec == 0 && kPad % kVec == 0,
                "vectors must divide lines of shared memory");
  static_assert(kSliceThreads % 32 == 0, "slices must be whole warps");
  static_assert(kBK % 2 == 0, "fragments alternate between two sets of registers");
  static_assert(kAsync ? kStages >= 2 : kStages <= 2, "a tile is used while another one comes");

  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const SharedPointer<T> shared(shared_bytes);

  using Kept = Partial<T, kTM, kTN, kSliceThreads, kSlices>;
  // Neighbouring lanes alternate along m and n (bits 0, 2 and 1, 3): both reads of a half warp then
  // find pairs with equal addresses, which the shared memory pipe joins.
  const int lane = threadIdx.x % 32, warp = Kept::thread() / 32;
  const int lane_m = (lane & 1) | ((lane >> 1) & 2) | (kLanesM == 8 ? (lane >> 2) & 4 : 0);
  const int lane_n = ((lane >> 1) & 1) | ((lane >> 2) & 2) | (kLanesN == 8 ? (lane >> 2) & 4 : 0);
  constexpr int kVecM = kLinesA == Lines::along_k ? 1 : kVec;  // neighbouring rows of a thread
  const int row = warp / (kBN / kWarpN) * kWarpM + lane_m * kVecM;
  const int column = warp % (kBN / kWarpN) * kWarpN + lane_n * kVec;
  constexpr int kTileElements = kBM * kBN, kSliceElements = (kSlices - 1) * kTileElements;
  constexpr int kWorking =  // elements of shared memory, of which the slices' sums reuse the tiles'
      kSlices * kStages * kStage > kSliceElements ? kSlices * kStages * kStage : kSliceElements;
  const SharedPointer<T> stages = shared + Kept::slice() * (kStages * kStage);
  __shared__ unsigned long long barrier;

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
    // This slice's part of the segment.
    const long long segment_steps = segment().last - segment().first;
    const long long first = segment().first + segment_steps * Kept::slice() / kSlices;
    const long long last = segment().first + segment_steps * (Kept::slice() + 1) / kSlices;
    const long long first_k = first * kBK;
    StripA a_strip(a, static_cast<long long>(place().row) * kBM, m, first_k, k);
    StripB b_strip(b, static_cast<long long>(place().column) * kBN, n, first_k, k);
    T sum[kTM][kTN] = {};
    FragmentA<T, kTM, kVec, kLinesA> a_fragment;
    T b_fragment[2][kTN];

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
        const SharedPointer<T> to = stages + to_stage * kStage;
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
      const SharedPointer<T> to = stages + stage * kStage;
      a_strip.put(to);
      b_strip.put(to + StripA::kElements);
    };
    const auto load_row = [&](int i, int depth) {
      if constexpr (kLinesA == Lines::along_k)
        a_fragment.of_row[i] =
            (stages + stage * kStage + (row + i * kLanesM) * StripA::kPitch + depth)
                .template load<kVec>();
    };
    const auto load_fragments = [&](int depth, int set) {
      const SharedPointer<T> from = stages + stage * kStage;
      if constexpr (kLinesA == Lines::steps)
        load_fragment<kVec>(from + depth * StripA::kPitch + row, kLanesM * kVec,
                            a_fragment.of_step[set]);
      load_fragment<kVec>(from + StripA::kElements + depth * StripB::kPitch + column,
                          kLanesN * kVec, b_fragment[set]);
    };

    // Tiles that are still to be multiplied, and to be asked for.
    int left = static_cast<int>(last - first), to_come = left;
    int free_stage = kStages - 1;
    const bool any = kSlices == 1 || left > 0;
    if constexpr (kAsync) {
#pragma unroll
      for (int i = 0; i < kStages - 1; ++i) {
        if (to_come > 0) copy_to(i);
        --to_come;
        commit_copies();
      }
    } else if (any) {
      fetch();
    }
#if __CUDA_ARCH__ >= 900
    if constexpr (kFinish == Finish::cluster) {  // takes its time while the first tiles come
      if (threadIdx.x == 0)
        init_cluster_barrier(&barrier, kTileElements / kCluster * (kCluster - 1) * sizeof(T));
      arrive_at_cluster();
    }
#endif
    if constexpr (kAsync) {
      wait_copies<kStages - 2>();
    } else if (any) {
      put();
    }
    Kept::sync_slice();
    if (any) {
      load_fragments(0, 0);
#pragma unroll
      for (int i = 0; i < kTM; ++i) load_row(i, 0);
    }
    while (any) {
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
              Kept::sync_slice();  // all have read the tile that is overwritten now
            } else {
              stage ^= 1;
            }
            put();
          }
          Kept::sync_slice();
          load_fragments(0, 0);
        }
        // At the last step of a row's elements, those of the next steps come in their place. After
        // the last tile, nobody asks for what comes.
        const auto a_at = [&](int i) { return a_fragment.at(depth, i); };
        const auto load_next = [&](int i) {
          if ((depth + 1) % kVec == 0) load_row(i, (depth + 1) % kBK);
        };
        outer_product<kLinesA == Lines::along_k>(sum, a_at, b_fragment[depth % 2], load_next);
      }
      if (left == 0) break;
    }

    typename Kept::Piece mine[Kept::kMine];
    Kept::add_slices(sum, alpha, shared, mine);
    if constexpr (kFinish == Finish::ordered) {
      if (shares.segment().first > 0) {
        Kept::keep(mine, Kept::in_workspace(partials, shares.rank()));
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) raise_flag(flags + shares.rank());
        continue;
      }
      long long done = shares.segment().last;
      for (unsigned rank = shares.rank() + 1; done < steps; ++rank) {
        const long long end = shares.end_in(shares.segment().tile, rank);
        if (end == done) continue;  // an empty share: more blocks than steps
        done = end;
        if (threadIdx.x == 0) await_flag(flags + rank);
        __syncthreads();
        Kept::add_kept(mine, Kept::in_workspace(partials, rank));
      }
    }

    const bool add = kFinish == Finish::atomic && segment().last - segment().first < steps;
    const long long row0 = static_cast<long long>(place().row) * kBM + row;
    const long long column0 = static_cast<long long>(place().column) * kBN + column;
    // Piece i of a thread's to C, kWideC neighbours at a time.
    const auto write = [&](int i, const typename Kept::Piece& sums) {
#pragma unroll
      for (int e = 0; e < Kept::kWide; e += kWideC) {
        const int r_in = (i * Kept::kWide + e) / kTN, s_in = (i * Kept::kWide + e) % kTN;
        const long long r = row0 + r_in / kVecM * (kLanesM * kVecM) + r_in % kVecM;
        const long long s = column0 + s_in / kVec * (kLanesN * kVec) + s_in % kVec;
        if (!kAligned && (r >= m || s >= n)) continue;
        const long long at = r * n + s;
        using Written = Vector<T, kWideC>;
        Written piece;
#pragma unroll
        for (int f = 0; f < kWideC; ++f) piece.at[f] = sums.at[e + f];
        if (add) {
          add_atomic<kWideC>(c + at, piece);
          continue;
        }
        if (beta != T(0)) {
          const Written old = load<Cache::cached>(reinterpret_cast<const Written*>(d + at));
#pragma unroll
          for (int f = 0; f < kWideC; ++f) piece.at[f] += beta * old.at[f];
        }
        store<Cache::l2>(reinterpret_cast<Written*>(c + at), piece);
      }
    };
    if constexpr (kFinish == Finish::cluster) {
      add_in_cluster<Kept, kCluster>(mine, shared + kWorking, &barrier, write);
    } else {
#pragma unroll
      for (int i = 0; i < Kept::kMine; ++i) write(Kept::slice() * Kept::kMine + i, mine[i]);
    }
  } while (kShares);
}

}  // namespace tuner_kernels
