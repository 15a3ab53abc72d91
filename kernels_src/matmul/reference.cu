// One thread an element of C, summed in double.
template <typename T, bool kRowsA, bool kRowsB>
__global__ void matmul_reference(const T* a, const T* b, const T* d, double* c, T alpha, T beta,
                                 long long m, long long n, long long k) {
  const long long tiles = (n + blockDim.x - 1) / blockDim.x;
  const long long row = blockIdx.x / tiles * blockDim.y + threadIdx.y;
  const long long column = blockIdx.x % tiles * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0;
  for (long long i = 0; i < k; ++i) {
    sum += static_cast<double>(kRowsA ? a[row * k + i] : a[i * m + row]) *
           static_cast<double>(kRowsB ? b[i * n + column] : b[column * k + i]);
  }
  sum *= static_cast<double>(alpha);
  if (beta != T(0)) sum += static_cast<double>(beta) * static_cast<double>(d[row * n + column]);
  c[row * n + column] = sum;
}
