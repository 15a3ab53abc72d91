// y = x, through a tensor map over x in boxes of 256 floats. Needs sm_90.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

extern "C" __global__ void tensor_copy(const __grid_constant__ TensorMap map, float* y) {
  __shared__ alignas(128) float tile[256];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned barrier_at = (unsigned)__cvta_generic_to_shared(&barrier);
  const unsigned tile_at = (unsigned)__cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(barrier_at)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2}], [%3];" ::"r"(tile_at),
        "l"(&map), "r"(blockIdx.x * 256), "r"(barrier_at)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier_at)
        : "memory");
  }
  y[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x];
}
