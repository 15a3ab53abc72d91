// Asynchronous copies from global to shared memory that pass no register (compute capability 8.0
// and later). PTX ISA, "cp.async".
#pragma once

#include "common/shared.cuh"

namespace tuner_kernels {

// kBytes (4, 8 or 16, and aligned to as much on both sides) that arrive some time before a
// wait_copies; zeros, with nothing read, where not `inside`.
template <int kBytes, typename T>
__device__ __forceinline__ void copy_async(SharedPointer<T> to, const T* from, bool inside) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "cp.async moves 4, 8 or 16 bytes");
  const unsigned bytes = inside ? kBytes : 0;
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to.address()),
                 "l"(from), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(to.address()),
                 "l"(from), "n"(kBytes), "r"(bytes)
                 : "memory");
  }
}

// Without a condition, which would cost an instruction a copy.
template <int kBytes, typename T>
__device__ __forceinline__ void copy_async(SharedPointer<T> to, const T* from) {
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to.address()), "l"(from)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" ::"r"(to.address()),
                 "l"(from), "n"(kBytes)
                 : "memory");
  }
}

// Ends a group of copies, which may be empty.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when all of this thread's groups but the kPending latest have arrived. Other threads see
// them after a barrier.
template <int kPending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace tuner_kernels
