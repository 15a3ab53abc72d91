// Each thread adds up `rounds` times kRow words of shared memory, of which its neighbour's are
// `stride` words further on. The lanes of a warp then hit 32 / gcd(32, stride) banks.
namespace tuner_kernels {

constexpr int kRow = 32;      // words of a round
constexpr int kShifts = 8;    // rounds begin at as many places, lest a row is kept in registers
constexpr int kWords = 2048;  // that are read: 31 * stride + kRow * kShifts at most

template <int kBlock>
__global__ void __launch_bounds__(kBlock)
    shared_stride(const float* __restrict__ in, float* __restrict__ out, long long n, int stride,
                  int rounds) {
  __shared__ float words[kWords];
  for (int i = threadIdx.x; i < kWords; i += kBlock) words[i] = in[i];
  __syncthreads();
  const int first = static_cast<int>(threadIdx.x % 32) * stride;
  float sums[4] = {};
  for (int round = 0; round < rounds; ++round) {
    const float* row = words + first + round % kShifts * kRow;
#pragma unroll
    for (int i = 0; i < kRow; ++i) sums[i % 4] += row[i];
  }
  const long long at = static_cast<long long>(blockIdx.x) * kBlock + threadIdx.x;
  if (at < n) out[at] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace tuner_kernels
