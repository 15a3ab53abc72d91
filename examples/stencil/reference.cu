// One point a thread, in double.
template <typename T>
__global__ void stencil_reference(const T* in, double* out, long long rows, long long columns,
                                  T rate) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < rows * columns; i += step) {
    const long long y = i / columns, x = i % columns;
    const double centre = in[i];
    const bool border = y == 0 || y == rows - 1 || x == 0 || x == columns - 1;
    out[i] = border ? centre
                    : centre + static_cast<double>(rate) *
                                   (static_cast<double>(in[i - columns]) + in[i + columns] +
                                    in[i - 1] + in[i + 1] - 4 * centre);
  }
}
