// Reads every stride-th element, class after class, from an address that may be off by some
// elements: out[c * rows + i] = in[offset + c + i * stride], for the `stride` classes c of `rows`
// elements each. A block stays in one class (blockIdx.y), so that no thread divides and what is
// left is the access itself.
namespace tuner_kernels {

template <int kBlock>
__global__ void __launch_bounds__(kBlock)
    strided_read(const float* __restrict__ in, float* __restrict__ out, long long rows,
                 long long stride, long long offset) {
  const long long i = static_cast<long long>(blockIdx.x) * kBlock + threadIdx.x;
  const long long of_class = blockIdx.y;
  if (i < rows) out[of_class * rows + i] = in[offset + of_class + i * stride];
}

}  // namespace tuner_kernels
