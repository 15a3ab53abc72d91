// Kernels that need about as many registers and exactly as much static shared memory as is asked
// for: a loop carries all values from one turn to the next.
template <int kValues, int kSharedBytes>
__global__ void hold(const int* in, int* out, int turns) {
  int values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = in[32 * i + threadIdx.x];
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) values[i] = values[i] * 31 + values[(i + 1) % kValues];
  }
  int sum = 0;
#pragma unroll
  for (int i = 0; i < kValues; ++i) sum ^= values[i];
  if constexpr (kSharedBytes > 0) {
    __shared__ char bytes[kSharedBytes];
    bytes[threadIdx.x % kSharedBytes] = static_cast<char>(sum);
    __syncthreads();
    sum += bytes[(threadIdx.x + 1) % kSharedBytes];
  }
  out[threadIdx.x] = sum;
}
