// Ways to copy 16 bytes a thread that kernels_src/copy does not have, beside cudaMemcpy in one run:
// cache hints, phases of reads and writes, several streams, a shifted output. Prints for each size
// the median time and cudaMemcpy's over it. docs/results.md tells what came out.
//   nvcc -O3 -std=c++17 -arch=sm_90 -o copy_variants tests/bench/copy_variants.cu &&
//   ./copy_variants
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

enum class Load { plain, l2_256, l2_128, no_allocate, evict_first, streaming, last_use };
enum class Store { plain, evict_first, streaming, write_through, no_allocate };

#define LOAD(instruction) \
  asm volatile(instruction : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from))
#define STORE(instruction) \
  asm volatile(instruction ::"r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(to) : "memory")
#define POLICY "{.reg .b64 c; createpolicy.fractional.L2::evict_first.b64 c, 1.0; "

template <Load kLoad>
__device__ uint4 load(const uint4* from) {
  uint4 v;
  if constexpr (kLoad == Load::plain) v = *from;
  if constexpr (kLoad == Load::streaming) v = __ldcs(from);
  if constexpr (kLoad == Load::last_use) v = __ldlu(from);
  if constexpr (kLoad == Load::l2_256) LOAD("ld.global.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];");
  if constexpr (kLoad == Load::l2_128) LOAD("ld.global.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];");
  if constexpr (kLoad == Load::no_allocate)
    LOAD("ld.global.L1::no_allocate.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];");
  if constexpr (kLoad == Load::evict_first)
    LOAD(POLICY "ld.global.L2::cache_hint.v4.u32 {%0,%1,%2,%3}, [%4], c;}");
  return v;
}

template <Store kStore>
__device__ void store(uint4* to, uint4 v) {
  if constexpr (kStore == Store::plain) *to = v;
  if constexpr (kStore == Store::streaming) __stcs(to, v);
  if constexpr (kStore == Store::write_through) __stwt(to, v);
  if constexpr (kStore == Store::no_allocate)
    STORE("st.global.L1::no_allocate.v4.u32 [%4], {%0,%1,%2,%3};");
  if constexpr (kStore == Store::evict_first)
    STORE(POLICY "st.global.L2::cache_hint.v4.u32 [%4], {%0,%1,%2,%3}, c;}");
}

// kStreams > 1: neighbouring blocks take turns among as many regions; -1: the last block first.
template <int kBlock, int kItems, Load kLoad, Store kStore, int kStreams>
__global__ void __launch_bounds__(kBlock)
    copy(const uint4* __restrict__ in, uint4* __restrict__ out) {
  std::size_t block = blockIdx.x;
  if constexpr (kStreams > 1) block = block % kStreams * (gridDim.x / kStreams) + block / kStreams;
  if constexpr (kStreams < 0) block = gridDim.x - 1 - block;
  const std::size_t at = block * kBlock * kItems + threadIdx.x;
  uint4 v[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) v[i] = load<kLoad>(in + at + i * kBlock);
#pragma unroll
  for (int i = 0; i < kItems; ++i) store<kStore>(out + at + i * kBlock, v[i]);
}

// All loads of a block are back before its first store.
template <int kBlock, int kItems>
__global__ void __launch_bounds__(kBlock)
    copy_in_phases(const uint4* __restrict__ in, uint4* __restrict__ out) {
  const std::size_t at = std::size_t{blockIdx.x} * kBlock * kItems + threadIdx.x;
  uint4 v[kItems];
  unsigned seen = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) v[i] = in[at + i * kBlock];
#pragma unroll
  for (int i = 0; i < kItems; ++i) seen |= v[i].x ^ v[i].y;
  __syncthreads_or(seen == 0x12345678);
#pragma unroll
  for (int i = 0; i < kItems; ++i) out[at + i * kBlock] = v[i];
}

struct Variant {
  std::string name;
  std::function<void()> run;
};

template <int kBlock, int kItems = 1, Load kLoad = Load::plain, Store kStore = Store::plain,
          int kStreams = 1>
Variant variant(const std::string& name, const char* in, char* out, std::size_t bytes) {
  const auto blocks = static_cast<unsigned>(bytes / (16 * kBlock * kItems));
  return {name, [=] {
            copy<kBlock, kItems, kLoad, kStore, kStreams><<<blocks, kBlock>>>(
                reinterpret_cast<const uint4*>(in), reinterpret_cast<uint4*>(out));
          }};
}

template <int kBlock, int kItems>
Variant phases(const std::string& name, const char* in, char* out, std::size_t bytes) {
  const auto blocks = static_cast<unsigned>(bytes / (16 * kBlock * kItems));
  return {name, [=] {
            copy_in_phases<kBlock, kItems><<<blocks, kBlock>>>(reinterpret_cast<const uint4*>(in),
                                                               reinterpret_cast<uint4*>(out));
          }};
}

std::vector<Variant> variants(const char* in, char* out, std::size_t n) {
  using L = Load;
  using S = Store;
  std::vector<Variant> all = {
      {"cudaMemcpy", [=] { cudaMemcpyAsync(out, in, n, cudaMemcpyDeviceToDevice); }},
      variant<256>("256 threads", in, out, n),
      variant<128>("128 threads", in, out, n),
      variant<512>("512 threads", in, out, n),
      variant<1024>("1024 threads", in, out, n),
      variant<256, 2>("2 vectors", in, out, n),
      variant<256, 4>("4 vectors", in, out, n),
      variant<1024, 2>("1024 threads, 2 vectors", in, out, n),
      variant<1024, 4>("1024 threads, 4 vectors", in, out, n),
      variant<64, 8>("64 threads, 8 vectors", in, out, n),
      variant<32, 8, L::streaming, S::streaming>("32 threads, 8 vectors, streaming", in, out, n),
      variant<256, 1, L::l2_256>("L2::256B", in, out, n),
      variant<256, 1, L::l2_128>("L2::128B", in, out, n),
      variant<256, 1, L::no_allocate, S::no_allocate>("no_allocate", in, out, n),
      variant<256, 1, L::evict_first, S::evict_first>("evict_first", in, out, n),
      variant<256, 1, L::plain, S::evict_first>("evict_first stores", in, out, n),
      variant<256, 1, L::evict_first>("evict_first loads", in, out, n),
      variant<256, 1, L::streaming, S::streaming>("streaming", in, out, n),
      variant<256, 1, L::last_use>("last use", in, out, n),
      variant<256, 1, L::plain, S::write_through>("write through", in, out, n),
      variant<256, 1, L::plain, S::plain, 2>("2 streams", in, out, n),
      variant<256, 1, L::plain, S::plain, 4>("4 streams", in, out, n),
      variant<256, 1, L::plain, S::plain, 8>("8 streams", in, out, n),
      variant<256, 1, L::plain, S::plain, 32>("32 streams", in, out, n),
      variant<256, 1, L::plain, S::plain, -1>("from the end", in, out, n),
      phases<512, 4>("phases, 512 threads, 4 vectors", in, out, n),
      phases<1024, 4>("phases, 1024 threads, 4 vectors", in, out, n),
      phases<1024, 8>("phases, 1024 threads, 8 vectors", in, out, n)};
  for (const std::size_t shift : {std::size_t{1} << 12, std::size_t{1} << 16, std::size_t{1} << 20,
                                  std::size_t{17} << 20, std::size_t{33} << 13}) {
    all.push_back(variant<256>("output shifted by " + std::to_string(shift), in, out + shift, n));
  }
  return all;
}

float median(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void compare(int exponent, int rounds) {
  constexpr std::size_t kPart = std::size_t{4} << 20, kRoom = std::size_t{64} << 20;
  const std::size_t bytes = std::size_t{4} << exponent;
  char *in = nullptr, *out = nullptr;
  check(cudaMalloc(&in, bytes), "in");
  check(cudaMalloc(&out, bytes + kRoom), "out");
  std::vector<unsigned> values(kPart / 4);
  for (unsigned& value : values) value = static_cast<unsigned>(std::rand());
  for (std::size_t at = 0; at < bytes; at += kPart)
    check(cudaMemcpy(in + at, values.data(), kPart, cudaMemcpyHostToDevice), "values");
  const std::vector<Variant> all = variants(in, out, bytes);
  std::vector<std::vector<float>> times(all.size());
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  const int launches = exponent < 30 ? 2 : 1;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      const std::size_t which = (turn * 7 + static_cast<std::size_t>(round) * 5) % all.size();
      all[which].run();
      cudaEventRecord(begin);
      for (int i = 0; i < launches; ++i) all[which].run();
      cudaEventRecord(end);
      check(cudaEventSynchronize(end), all[which].name.c_str());
      float ms = 0;
      cudaEventElapsedTime(&ms, begin, end);
      times[which].push_back(ms / static_cast<float>(launches));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::printf("2^%d  %-34s %8.4f ms  %.4f\n", exponent, all[i].name.c_str(), median(times[i]),
                median(times[0]) / median(times[i]));
  }
  check(cudaFree(in), "in");
  check(cudaFree(out), "out");
}

}  // namespace

int main() {
  for (const auto& [exponent, rounds] : {std::pair{26, 15}, {28, 15}, {30, 9}})
    compare(exponent, rounds);
  return 0;
}
