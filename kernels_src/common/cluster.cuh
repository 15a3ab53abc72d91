// Blocks of a cluster (compute capability 9.0 and later) put data into each other's shared memory.
// PTX ISA, "barrier.cluster", "mapa", "st.async".
#pragma once

#include "common/bulk_copy.cuh"
#include "common/shared.cuh"

namespace tuner_kernels {

#if __CUDA_ARCH__ >= 900
// By one thread: `barrier` is over once `bytes` have come, and known to the whole cluster once it
// has met.
__device__ __forceinline__ void init_cluster_barrier(unsigned long long* barrier, unsigned bytes) {
  init_barrier(barrier);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// Two halves of a meeting of all threads of the cluster, before which no block may send to another.
// Arriving tells nothing of what this thread wrote: that would wait for all its writes.
__device__ __forceinline__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void await_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// 16 bytes to block `rank` of the cluster, where `to` and `barrier` are places as in this block.
template <typename T>
__device__ __forceinline__ void send_to_block(const Vector<T, 16 / sizeof(T)>& piece,
                                              SharedPointer<T> to, unsigned long long* barrier,
                                              unsigned rank) {
  unsigned address, counter;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(to.address()), "r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(counter)
               : "r"(shared_address(barrier)), "r"(rank));
  const uint4 word = bits_as<uint4>(piece);
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(address),
      "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w), "r"(counter)
      : "memory");
}
#endif

}  // namespace tuner_kernels
