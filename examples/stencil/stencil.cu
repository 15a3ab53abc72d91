// One explicit step of the heat equation on a rows x columns grid: each inner point moves towards
// the mean of its four neighbours, the border stays as it is.
namespace heat {

// A block of kBlockX x kBlockY threads; each thread takes kRows points below one another, and keeps
// the column it walks down in registers, so that a point is read once as a centre and not again as
// a neighbour above or below.
template <typename T, int kBlockX, int kBlockY, int kRows>
__global__ void stencil(const T* __restrict__ in, T* __restrict__ out, long long rows,
                        long long columns, T rate) {
  const long long x = static_cast<long long>(blockIdx.x) * kBlockX + threadIdx.x;
  if (x >= columns) return;
  const bool side = x == 0 || x == columns - 1;
  // grid.y ends at 65535: blocks stride over what lies below.
  const long long stride = static_cast<long long>(gridDim.y) * (kBlockY * kRows);
  for (long long y0 = (static_cast<long long>(blockIdx.y) * kBlockY + threadIdx.y) * kRows;
       y0 < rows; y0 += stride) {
    const T* at = in + y0 * columns + x;
    T above = y0 > 0 ? at[-columns] : T(0);
    T centre = *at;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const long long y = y0 + row;
      if (y >= rows) break;
      const T below = y + 1 < rows ? at[columns] : T(0);
      T value = centre;
      if (!side && y > 0 && y + 1 < rows) {
        value = centre + rate * (above + below + at[-1] + at[1] - T(4) * centre);
      }
      out[y * columns + x] = value;
      above = centre;
      centre = below;
      at += columns;
    }
  }
}

}  // namespace heat
