// One block tells another that what it wrote to global memory is there. PTX ISA, "memory
// consistency model": a release and the acquire that reads it order what comes before and after.
#pragma once

namespace tuner_kernels {

// By one thread, after a barrier behind the writes of its block's threads, each followed by a
// __threadfence().
__device__ __forceinline__ void raise_flag(unsigned* flag) {
  asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag))
               : "memory");
}

// By one thread, before a barrier; takes the flag down again, for the next launch.
__device__ __forceinline__ void await_flag(unsigned* flag) {
  unsigned raised = 0;
  while (raised == 0) {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(raised)
                 : "l"(__cvta_generic_to_global(flag))
                 : "memory");
  }
  *flag = 0;
}

}  // namespace tuner_kernels
