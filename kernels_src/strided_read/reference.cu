// The same elements, one at a time over the whole output.
__global__ void strided_read_reference(const float* in, double* out, long long rows,
                                       long long stride, long long offset) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       at < rows * stride; at += step) {
    out[at] = in[offset + at / rows + at % rows * stride];
  }
}
