// Several neighbouring elements moved by one instruction, and the cache hints that a load or a
// store may carry. Uses only what NVRTC builds in: every header included here would cost every
// compile.
#pragma once

namespace tuner_kernels {

// Elements that lie side by side, aligned so that the whole is one access of up to 16 bytes. A
// pointer that is read as a Vector must be aligned to sizeof(Vector).
template <typename T, int kWidth>
struct alignas(sizeof(T) * kWidth) Vector {
  static_assert(sizeof(T) * kWidth <= 16, "a GPU moves at most 16 bytes a lane in one instruction");
  static_assert((kWidth & (kWidth - 1)) == 0, "widths are powers of two");
  T at[kWidth];
};

// cached: as the hardware likes. l2: past L1 (.cg). streaming: evicted first, for data touched once
// (.cs).
enum class Cache { cached, l2, streaming };

// The built-in type of as many bytes: the hint intrinsics know only built-in types.
template <int kBytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned int;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};

// The same bits as another type of the same size; no instruction is left of it.
template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bits are kept");
  union Both {
    From from;
    To to;
    __device__ Both() {}
  } both;
  both.from = from;
  return both.to;
}

template <Cache kCache, typename V>
__device__ __forceinline__ V load(const V* from) {
  using W = typename Word<sizeof(V)>::type;
  const W* word = reinterpret_cast<const W*>(from);
  if constexpr (kCache == Cache::streaming) {
    return bits_as<V>(__ldcs(word));
  } else if constexpr (kCache == Cache::l2) {
    return bits_as<V>(__ldcg(word));
  } else {
    return bits_as<V>(*word);
  }
}

template <Cache kCache, typename V>
__device__ __forceinline__ void store(V* to, const V& value) {
  using W = typename Word<sizeof(V)>::type;
  W* word = reinterpret_cast<W*>(to);
  if constexpr (kCache == Cache::streaming) {
    __stcs(word, bits_as<W>(value));
  } else if constexpr (kCache == Cache::l2) {
    __stcg(word, bits_as<W>(value));
  } else {
    *word = bits_as<W>(value);
  }
}

}  // namespace tuner_kernels
