// Blocks of a cluster (compute capability 9.0 and later) read each other's shared memory. PTX ISA,
// "barrier.cluster", "mapa".
#pragma once

#include "common/shared.cuh"

namespace tuner_kernels {

#if __CUDA_ARCH__ >= 900
// A barrier for all threads of the cluster: what they wrote to shared memory before is seen after.
__device__ __forceinline__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// 16 bytes of what block `rank` of the cluster has at this address.
template <typename T>
__device__ __forceinline__ Vector<T, 16 / sizeof(T)> load_from_block(SharedPointer<T> at,
                                                                     unsigned rank) {
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(at.address()), "r"(rank));
  uint4 word;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "r"(address)
               : "memory");
  return bits_as<Vector<T, 16 / sizeof(T)>>(word);
}
#endif

}  // namespace tuner_kernels
