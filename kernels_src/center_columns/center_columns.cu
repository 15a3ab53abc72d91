// out = in, less the largest element of its column. A thread holds a whole column in registers, so
// that kRows decides how many it wants; how many it gets is up to --maxrregcount, which
// __launch_bounds__ would switch off.
namespace tuner_kernels {

template <int kRows>
__global__ void center_columns(const float* __restrict__ in, float* __restrict__ out,
                               long long columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= columns) return;
  float column[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) column[row] = in[row * columns + i];
  float largest = column[0];
#pragma unroll
  for (int row = 1; row < kRows; ++row) largest = fmaxf(largest, column[row]);
#pragma unroll
  for (int row = 0; row < kRows; ++row) out[row * columns + i] = column[row] - largest;
}

}  // namespace tuner_kernels
