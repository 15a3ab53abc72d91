// One thread an element of C, summed in double.
template <typename T>
__global__ void matmul_reference(const T* a, const T* b, double* c, long long m, long long n,
                                 long long k) {
  const long long tiles = (n + blockDim.x - 1) / blockDim.x;
  const long long row = blockIdx.x / tiles * blockDim.y + threadIdx.y;
  const long long column = blockIdx.x % tiles * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0;
  for (long long i = 0; i < k; ++i) {
    sum += static_cast<double>(a[row * k + i]) * static_cast<double>(b[i * n + column]);
  }
  c[row * n + column] = sum;
}
