// Global and shared memory: streams by the bytes that a thread has in flight, chains of dependent
// loads, strides, and L1's tags. Loads are written in PTX, so that none is dropped; what they bring
// is folded into a value that decides whether something is stored, which for the contents that the
// host gives (all bits set) never happens. __syncwarp() stands between loads and their first use:
// the compiler moves no load across it, and would else wait for the first loads before it issues
// the last, to save registers.
namespace tuner_calibrate {

using Word = unsigned int;

struct Words4 {
  Word x, y, z, w;
};

__device__ __forceinline__ Word fold(Word value) { return value; }
__device__ __forceinline__ Word fold(Words4 value) { return value.x ^ value.y ^ value.z ^ value.w; }

__device__ __forceinline__ void load(Word& value, const Word* from) {
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(from));
}
__device__ __forceinline__ void load(Words4& value, const Words4* from) {
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(from));
}
__device__ __forceinline__ void store(Word* to, Word value) { *to = value; }
__device__ __forceinline__ void store(Words4* to, Words4 value) {
  *reinterpret_cast<uint4*>(to) = make_uint4(value.x, value.y, value.z, value.w);
}
// Past L1, which does not see it.
__device__ __forceinline__ void load_l2(Word& value, const Word* from) {
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(from));
}
__device__ __forceinline__ void load_l2(Words4& value, const Words4* from) {
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(from));
}

// The grid goes over `count` items, a multiple of kLoads * threads of the grid; kLoads independent
// loads a thread are under way at a time.
template <typename Item, int kLoads>
__global__ void read(const Item* __restrict__ in, long long count, Word* never) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  Word sum = 0;
#pragma unroll 1
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += kLoads * threads) {
    Item items[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) load(items[j], in + i + j * threads);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < kLoads; ++j) sum ^= fold(items[j]);
  }
  if (sum == 12345) *never = sum;
}

// The same, and each item is written to its place in `out`.
template <typename Item, int kLoads>
__global__ void copy(const Item* __restrict__ in, Item* __restrict__ out, long long count) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += kLoads * threads) {
    Item items[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) load(items[j], in + i + j * threads);
#pragma unroll
    for (int j = 0; j < kLoads; ++j) store(out + i + j * threads, items[j]);
  }
}

// `passes` times over `count` items that L2 holds, 4 independent 16-byte loads a thread.
__global__ void read_l2(const Words4* __restrict__ in, int count, int passes, Word* never) {
  constexpr int kLoads = 4;
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  Word sum = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
         i += kLoads * threads) {
      Words4 items[kLoads];
#pragma unroll
      for (int j = 0; j < kLoads; ++j) load_l2(items[j], in + i + j * threads);
      __syncwarp();
#pragma unroll
      for (int j = 0; j < kLoads; ++j) sum ^= fold(items[j]);
    }
  }
  if (sum == 12345) *never = sum;
}

// A thread a block walks `steps` links of a permutation of 0 … count-1, past L1.
__global__ void chase(const Word* __restrict__ next, Word count, int steps, Word* never) {
  Word at = static_cast<Word>((static_cast<unsigned long long>(blockIdx.x) * count) / gridDim.x);
#pragma unroll 8
  for (int step = 0; step < steps; ++step) load_l2(at, next + at);
  if (at == count) *never = at;
}

// 8 loads of one word a thread, neighbouring lanes `stride` words apart: blocks of 256 threads.
__global__ void strided(const Word* __restrict__ in, int stride, Word* never) {
  constexpr int kLoads = 8, kBlock = 256;
  const long long first = static_cast<long long>(blockIdx.x) * (kLoads * kBlock) + threadIdx.x;
  Word values[kLoads], sum = 0;
#pragma unroll
  for (int j = 0; j < kLoads; ++j) load(values[j], in + (first + j * kBlock) * stride);
  __syncwarp();
#pragma unroll
  for (int j = 0; j < kLoads; ++j) sum ^= values[j];
  if (sum == 12345) *never = sum;
}

// One element a thread, and done: what the size of a block costs.
__global__ void scale(const float* __restrict__ in, float* __restrict__ out) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}

// Requests that L1 serves, each to kLines lines of 128 bytes and to every bank once. Four groups of
// lines (kLines * 512 bytes) take turns, `hop` words apart, which is a group: the compiler does not
// know that the fifth load repeats the first.
template <int kLines>
__global__ void tags(const Word* __restrict__ in, int requests, int hop, Word* never) {
  constexpr int kLineWords = 32, kAllGroups = 4 * kLines * kLineWords;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Word* from = in + lane / (32 / kLines) * kLineWords + lane;
  Word sum = 0;
  int at = 0;
#pragma unroll 8
  for (int i = 0; i < requests; ++i) {
    Word value;
    load(value, from + at);
    sum += value;
    at = (at + hop) & (kAllGroups - 1);
  }
  if (sum == 12345) *never = sum;
}

// Every lane reads its own bank, `requests` times (a multiple of 16). Volatile: ptxas would merge
// loads from one place.
__global__ void read_shared(int requests, Word* never) {
  constexpr int kLoads = 16, kWords = 1024 + 32 * kLoads;
  __shared__ Word words[kWords];
  for (int i = static_cast<int>(threadIdx.x); i < kWords; i += static_cast<int>(blockDim.x)) {
    words[i] = i;
  }
  __syncthreads();
  const Word at = static_cast<Word>(__cvta_generic_to_shared(words + threadIdx.x));
  Word sum = 0;
#pragma unroll 1
  for (int i = 0; i < requests; i += kLoads) {
    Word values[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(values[j]) : "r"(at + 128 * j));
    }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < kLoads; ++j) sum ^= values[j];
  }
  if (sum == 0xFFFFFFFFu) *never = sum;
}

// A ring of addresses in shared memory, walked for `steps` links (a multiple of 16).
__global__ void chase_shared(int steps, Word* never) {
  constexpr int kWords = 1024, kHop = 33;
  __shared__ Word ring[kWords];
  const Word base = static_cast<Word>(__cvta_generic_to_shared(ring));
  for (int i = static_cast<int>(threadIdx.x); i < kWords; i += static_cast<int>(blockDim.x)) {
    ring[i] = base + 4 * static_cast<Word>((i + kHop) % kWords);
  }
  __syncthreads();
  Word at = base;
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
    asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at));
  }
  if (at == 0) *never = at;
}

}  // namespace tuner_calibrate
