// The same sums in double, from global memory. All threads of a lane have the same one.
__global__ void shared_stride_reference(const float* in, double* out, long long n, int stride,
                                        int rounds) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 32; ++i) sum += in[lane * stride + round % 8 * 32 + i];
  }
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; at < n;
       at += step) {
    out[at] = sum;
  }
}
