#include "tuner/embed/header.h"

namespace tuner {

// A guard of its own, since a program may include several exported headers.
std::string_view export_prelude() {
  return R"cpp(#ifndef TUNER_EXPORT_1
#define TUNER_EXPORT_1

#if defined(__CUDACC__)
#define TUNER_EXPORT_BOTH __host__ __device__
#else
#define TUNER_EXPORT_BOTH
#endif

               // What exported kernels share. The number is the version of this part.
               namespace tuner_export_1 {

               // A GPU, as far as the choice of a configuration needs to know it. Sizes in bytes.
               struct device {
                 const char* name = "";
                 int compute_capability = 0;  // 90 for 9.0
                 long long sm_count = 0;
                 long long max_threads_per_block = 1024;
                 long long max_threads_per_sm = 2048;
                 long long max_shared_per_block = 49152;  // with opt-in
                 long long max_shared_per_sm = 0;
                 long long max_registers_per_block = 65536;
                 long long l2_bytes = 0;
                 long long memory_bytes = 0;
                 // What decides how many blocks a SM holds. By default the least of any GPU.
                 long long max_blocks_per_sm = 16;
                 long long max_registers_per_sm = 65536;
                 long long reserved_shared_per_block = 1024;
               };

               // From a cudaDeviceProp, which must live for as long as the name is read.
               template <class Properties>
               constexpr device device_from(const Properties& from) {
                 return {from.name,
                         from.major * 10 + from.minor,
                         from.multiProcessorCount,
                         from.maxThreadsPerBlock,
                         from.maxThreadsPerMultiProcessor,
                         static_cast<long long>(from.sharedMemPerBlockOptin),
                         static_cast<long long>(from.sharedMemPerMultiprocessor),
                         from.regsPerBlock,
                         from.l2CacheSize,
                         static_cast<long long>(from.totalGlobalMem),
                         from.maxBlocksPerMultiProcessor,
                         from.regsPerMultiprocessor,
                         static_cast<long long>(from.reservedSharedMemPerBlock)};
               }

               // How well a configuration fits: tuned for just this; for another size on this GPU;
               // on another GPU of the same compute capability; the kernel's default; nothing that
               // can run here.
               enum class rung { exact, nearest_size, same_capability, fallback, none };

               struct extent {
                 long long x = 1, y = 1, z = 1;
               };

               // One step of a configuration's sequence: a kernel, or a memset.
               struct launch {
                 const char* name = "";
                 bool is_memset = false;
                 const char* entry = "";  // the kernel, as C++ names it
                 extent grid = {}, block = {}, cluster = {};
                 long long dynamic_shared = 0;  // bytes
                 bool cooperative = false;
                 const char* target = "";  // of a memset: the buffer or workspace
                 long long bytes = 0;
                 int value = 0;
               };

               // Memory that the launches need besides their buffers. init: "never", "once" (zero
               // before the first run) or "each_run" (zero before every run).
               struct workspace {
                 const char* name = "";
                 long long bytes = 0;
                 const char* init = "never";
               };

               template <class T, int kMost>
               struct list {
                 T items[kMost] = {};
                 int count = 0;
                 TUNER_EXPORT_BOTH constexpr void add(const T& item) { items[count++] = item; }
                 TUNER_EXPORT_BOTH constexpr const T* begin() const { return items; }
                 TUNER_EXPORT_BOTH constexpr const T* end() const { return items + count; }
                 TUNER_EXPORT_BOTH constexpr const T& operator[](int i) const { return items[i]; }
               };

               TUNER_EXPORT_BOTH constexpr long long ceil_div(long long a, long long b) { return (a + b - 1) / b; }
               TUNER_EXPORT_BOTH constexpr long long round_up(long long a, long long b) {
                 return ceil_div(a, b) * b;
               }
               TUNER_EXPORT_BOTH constexpr bool is_pow2(long long a) { return a > 0 && (a & (a - 1)) == 0; }
               template <class T>
               TUNER_EXPORT_BOTH constexpr T smaller(T a, T b) {
                 return b < a ? b : a;
               }
               template <class T>
               TUNER_EXPORT_BOTH constexpr T larger(T a, T b) {
                 return a < b ? b : a;
               }
               template <class T>
               TUNER_EXPORT_BOTH constexpr T absolute(T a) {
                 return a < T(0) ? -a : a;
               }
               TUNER_EXPORT_BOTH constexpr long long whole(double a) {
                 const long long towards_zero = static_cast<long long>(a);
                 return static_cast<double>(towards_zero) > a ? towards_zero - 1 : towards_zero;
               }
               TUNER_EXPORT_BOTH constexpr double logarithm2(double a) {
                 double result = 0;
                 for (; a >= 2; a /= 2) result += 1;
                 for (; a < 1; a *= 2) result -= 1;
                 double bit = 0.5;
                 for (int i = 0; i < 53; ++i, bit /= 2) {
                   a *= a;
                   if (a < 2) continue;
                   a /= 2;
                   result += bit;
                 }
                 return result;
               }
               TUNER_EXPORT_BOTH constexpr double square_root(double a) {
                 if (!(a > 0)) return 0;
                 double root = a < 1 ? 1 : a;
                 for (double next = (root + a / root) / 2; next < root; next = (root + a / root) / 2) root = next;
                 return root;
               }

               // Blocks of a kernel that a SM holds at once, as the driver counts them: registers
               // go to whole warps in 256s and over the SM's four parts, shared memory in 128s
               // (256s before 8.0). 0 where a block cannot be launched.
               TUNER_EXPORT_BOTH constexpr long long blocks_per_sm(const device& d,
                                                                   long long threads,
                                                                   long long registers,
                                                                   long long static_shared,
                                                                   long long dynamic_shared) {
                 const long long shared = static_shared + dynamic_shared;
                 if (threads < 1 || threads > d.max_threads_per_block) return 0;
                 if (shared > d.max_shared_per_block) return 0;
                 const long long warps = ceil_div(threads, 32);
                 const long long of_warp = round_up(registers * 32, 256);
                 if (of_warp * round_up(warps, 4) > d.max_registers_per_block) return 0;
                 long long blocks = smaller(d.max_blocks_per_sm, d.max_threads_per_sm / 32 / warps);
                 if (of_warp > 0) blocks = smaller(blocks, d.max_registers_per_sm / 4 / of_warp * 4 / warps);
                 const long long of_block = round_up(shared + d.reserved_shared_per_block,
                                                     d.compute_capability < 80 ? 256 : 128);
                 return of_block > 0 ? smaller(blocks, d.max_shared_per_sm / of_block) : blocks;
               }

               constexpr bool same_text(const char* a, const char* b) {
                 for (; *a != 0 && *a == *b; ++a, ++b) {
                 }
                 return *a == *b;
               }

               // The driver's own count of usable bytes moves by a little from release to release.
               constexpr bool same_gpu(const device& a, const device& b) {
                 const double less = static_cast<double>(smaller(a.memory_bytes, b.memory_bytes));
                 const double more = static_cast<double>(larger(a.memory_bytes, b.memory_bytes));
                 return same_text(a.name, b.name) && a.compute_capability == b.compute_capability &&
                        a.sm_count == b.sm_count && less >= 0.9 * more;
               }

               // |log2| of the ratio of two sizes; negative beyond a factor of 4.
               constexpr double size_distance(long long a, long long b) {
                 if (a == b) return 0;
                 if (a <= 0 || b <= 0) return -1;
                 const double distance = absolute(logarithm2(static_cast<double>(a) / static_cast<double>(b)));
                 return distance <= 2 + 1e-9 ? distance : -1;
               }

               struct choice {
                 int index = -1;  // of config_<index>
                 rung how = rung::none;
               };

               template <class Problem>
               struct candidate {
                 Problem problem;
                 device tuned_on;
                 bool is_fallback;
                 bool (*valid)(const Problem&, const device&);
               };

               // Lower is better: rung, distance of the sizes, then of the numbers of SMs.
               struct rank {
                 rung how = rung::none;
                 double distance = 0, device_distance = 0;
                 constexpr bool better_than(const rank& other) const {
                   if (how != other.how) return static_cast<int>(how) < static_cast<int>(other.how);
                   if (distance < other.distance || other.distance < distance) return distance < other.distance;
                   return device_distance < other.device_distance;
                 }
               };

               // distance(a, b): the sum of the squares of the sizes' distances; negative where b
               // cannot stand in for a. same_kind(a, b): whether they differ in sizes alone.
               template <class Problem>
               constexpr rank rank_of(const candidate<Problem>& one, const Problem& problem,
                                      const device& gpu,
                                      double (*distance)(const Problem&, const Problem&),
                                      bool (*same_kind)(const Problem&, const Problem&)) {
                 if (!same_kind(problem, one.problem) || !one.valid(problem, gpu)) return {};
                 if (one.is_fallback) return {rung::fallback, 0, 0};
                 const double apart = distance(problem, one.problem);
                 if (apart < 0) return {};
                 const double sms =
                     logarithm2(static_cast<double>(larger(1LL, gpu.sm_count)) /
                                static_cast<double>(larger(1LL, one.tuned_on.sm_count)));
                 if (same_gpu(gpu, one.tuned_on)) return {apart > 0 ? rung::nearest_size : rung::exact, apart, 0};
                 if (gpu.compute_capability != one.tuned_on.compute_capability) return {};
                 return {rung::same_capability, apart, absolute(sms)};
               }

               template <class Problem, int kCount>
               constexpr choice select_among(const candidate<Problem> (&all)[kCount],
                                             const Problem& problem, const device& gpu,
                                             double (*distance)(const Problem&, const Problem&),
                                             bool (*same_kind)(const Problem&, const Problem&)) {
                 choice best;
                 rank best_rank;
                 for (int i = 0; i < kCount; ++i) {
                   const rank one = rank_of(all[i], problem, gpu, distance, same_kind);
                   if (one.how == rung::none || (best.index >= 0 && !one.better_than(best_rank))) continue;
                   best = {i, one.how};
                   best_rank = one;
                 }
                 return best;
               }

               }  // namespace tuner_export_1

#endif  // TUNER_EXPORT_1
  )cpp";
}

}  // namespace tuner
