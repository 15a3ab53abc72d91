// The definition, an element at a time, in 64-bit integers.
template <typename T>
__global__ void strided_reference(const T* in, double* out, long long n, long long stride) {
  const long long size = n / stride, rest = n % stride;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  // Element j * stride + c of the input is the j-th of class c; the first `rest` classes have one
  // more.
  for (long long from = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; from < n;
       from += step) {
    const long long c = from % stride, j = from / stride;
    const long long before = c * size + (c < rest ? c : rest);
    out[before + j] = static_cast<double>(in[from]);
  }
}

template <typename T, typename Index>
__global__ void indexed_reference(const T* in, const Index* index, double* out, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += step) {
    out[i] = static_cast<double>(in[index[i]]);
  }
}
