// Shared memory by addresses of 32 bits. The pointers of C++ have 64, and where NVRTC compiles,
// each addition to one takes two instructions in the innermost loop.
#pragma once

#include "common/vector.cuh"

namespace tuner_kernels {

template <typename T>
class SharedPointer {
 public:
  __device__ __forceinline__ explicit SharedPointer(const void* pointer)
      : address_(static_cast<unsigned>(__cvta_generic_to_shared(pointer))) {}

  __device__ __forceinline__ SharedPointer operator+(int elements) const {
    SharedPointer sum = *this;
    sum.address_ += elements * static_cast<int>(sizeof(T));
    return sum;
  }
  __device__ __forceinline__ unsigned address() const { return address_; }

  // kWide neighbours, aligned to their size.
  template <int kWide>
  __device__ __forceinline__ Vector<T, kWide> load() const {
    typename Word<sizeof(T) * kWide>::type word;
    if constexpr (sizeof(word) == 4) {
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address_));
    } else if constexpr (sizeof(word) == 8) {
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "r"(address_));
    } else {
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                   : "r"(address_));
    }
    return bits_as<Vector<T, kWide>>(word);
  }

  template <int kWide>
  __device__ __forceinline__ void store(const Vector<T, kWide>& value) const {
    const auto word = bits_as<typename Word<sizeof(T) * kWide>::type>(value);
    if constexpr (sizeof(word) == 4) {
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(address_), "r"(word) : "memory");
    } else if constexpr (sizeof(word) == 8) {
      asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address_), "r"(word.x), "r"(word.y)
                   : "memory");
    } else {
      asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address_), "r"(word.x),
                   "r"(word.y), "r"(word.z), "r"(word.w)
                   : "memory");
    }
  }

 private:
  unsigned address_;
};

}  // namespace tuner_kernels
