// The same chains in double, an element a thread.
enum class Operands { three, two, immediate };

template <Operands kOperands>
__global__ void fma_chain_reference(const float* in, const float* factors, double* out, long long n,
                                    int steps) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    const double a = factors[i % 32], b = factors[32 + i % 32];
    double x = in[i];
    for (int step = 0; step < steps; ++step) {
      const double factor = kOperands == Operands::three ? a
                            : kOperands == Operands::two ? x
                                                         : 0.75;
      x = x * factor + b;
    }
    out[i] = x;
  }
}
