// An element at a time, one thread striding over them.
template <typename T>
__global__ void transpose_reference(const T* in, double* out, long long m, long long n) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < m * n;
       i += stride) {
    out[i % n * m + i / n] = static_cast<double>(in[i]);
  }
}
