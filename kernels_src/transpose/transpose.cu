// out = the transpose of in: m rows and n columns, row-major, become n rows and m columns.
//
// A block takes a tile of kTile * kTile: it reads rows, turns the tile in shared memory, and writes
// rows. Both sides of the memory then see whole sectors. All positions are 64-bit.
#include "common/vector.cuh"

namespace tuner_kernels {

// The tile of block b. Blocks that run together should share DRAM pages on both sides: kGroup rows
// of tiles are walked column by column, so that kGroup * k blocks read kGroup rows and write k.
template <int kGroup>
struct TileOf {
  long long row, column;
  __device__ __forceinline__ TileOf(unsigned b, unsigned rows, unsigned columns) {
    const unsigned a_group = kGroup * columns;
    const unsigned group = b / a_group, within = b - group * a_group;
    const unsigned first = group * kGroup;
    const unsigned height = rows - first < kGroup ? rows - first : kGroup;
    column = within / height;
    row = first + within - static_cast<unsigned>(column) * height;
  }
};

// kWidth neighbours move in one access where whole tiles are taken; n and m are multiples of it
// (the constraints see to that). kPad elements behind each row of the tile keep a column's elements
// in different banks. kItems reads of a thread are in flight at once: the tile divided by what the
// block takes at a time.
template <typename T, int kTile, int kBlock, int kWidth, int kPad, int kGroup>
__global__ void __launch_bounds__(kBlock)
    transpose(const T* __restrict__ in, T* __restrict__ out, long long m, long long n,
              unsigned tile_rows, unsigned tile_columns) {
  using V = Vector<T, kWidth>;
  constexpr int kAcross = kTile / kWidth;  // threads along a row of the tile
  constexpr int kRows = kBlock / kAcross;  // rows that the block takes at a time
  constexpr int kItems = kTile / kRows;
  static_assert(kBlock % kAcross == 0 && kTile % kRows == 0, "the block divides the tile");
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  T(*const tile)[kTile + kPad] = reinterpret_cast<T(*)[kTile + kPad]>(dynamic_shared);

  const TileOf<kGroup> at(blockIdx.x, tile_rows, tile_columns);
  const long long row0 = at.row * kTile, column0 = at.column * kTile;
  const int x = static_cast<int>(threadIdx.x) % kAcross * kWidth;
  const int y = static_cast<int>(threadIdx.x) / kAcross;
  in += row0 * n + column0;
  out += column0 * m + row0;
  const bool whole = row0 + kTile <= m && column0 + kTile <= n;
  if (whole) {
    V items[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      items[item] =
          load<Cache::streaming>(reinterpret_cast<const V*>(in + (y + item * kRows) * n + x));
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
#pragma unroll
      for (int e = 0; e < kWidth; ++e) tile[y + item * kRows][x + e] = items[item].at[e];
    }
    __syncthreads();
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      V column;
#pragma unroll
      for (int e = 0; e < kWidth; ++e) column.at[e] = tile[x + e][y + item * kRows];
      store<Cache::streaming>(reinterpret_cast<V*>(out + (y + item * kRows) * m + x), column);
    }
    return;
  }
  const long long rows = m - row0, columns = n - column0;  // inside
  for (int i = threadIdx.x; i < kTile * kTile; i += kBlock) {
    const int r = i / kTile, c = i % kTile;
    if (r < rows && c < columns) tile[r][c] = in[r * n + c];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTile * kTile; i += kBlock) {
    const int c = i / kTile, r = i % kTile;
    if (r < rows && c < columns) out[c * m + r] = tile[r][c];
  }
}

}  // namespace tuner_kernels
