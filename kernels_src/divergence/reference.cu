// The same recurrence in double; `group` is 1 where the path changes from lane to lane, else 32.
__global__ void divergence_reference(const float* in, double* out, long long n, int steps,
                                     int group, int paths) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    const int path = static_cast<int>(i / group % paths);
    double x = in[i];
    for (int step = 0; step < steps; ++step) x = x * (0.5 - 0.03125 * path) + 0.25 + 0.0625 * path;
    out[i] = x;
  }
}
