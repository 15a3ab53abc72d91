// One block of 1024 threads, in double. Slow and plain: there is no grid to get wrong.
template <int kOp>
__device__ double combine(double x, double y) {
  if (kOp == 0) return x + y;
  return kOp == 1 ? (x < y ? x : y) : (x > y ? x : y);
}

// kOp: 0 sum, 1 min, 2 max.
template <typename T, int kOp>
__global__ void reduction_reference(const T* in, double* out, long long n) {
  __shared__ double values[1024];
  // in[0] is a neutral start for min and max: counting it again changes nothing.
  double value = kOp == 0 ? 0.0 : static_cast<double>(in[0]);
#pragma unroll 16
  for (long long i = threadIdx.x; i < n; i += 1024)
    value = combine<kOp>(value, static_cast<double>(in[i]));
  values[threadIdx.x] = value;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = combine<kOp>(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = values[0];
}
