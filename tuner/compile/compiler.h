// Compiling configurations: NVRTC in a pool of processes, with a cache on disk in front.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tuner {

struct CompileJob {
  std::string label;             // the configuration's id, for messages
  std::filesystem::path source;  // the .cu
  std::vector<std::filesystem::path> include_dirs;
  std::vector<std::string> options;  // "-DBLOCK=128", "--std=c++17", "--maxrregcount=64"
  // C++ name expressions of the kernels ("tuner::copy<float, 4>"), or plain names of extern "C"
  // ones. Names of __constant__ or __device__ variables that are set before a launch go to
  // `symbols`.
  std::vector<std::string> entries;
  std::vector<std::string> symbols;
  bool keep_ptx = false;
  int architecture = 0;                       // 90: a cubin for sm_90
  std::chrono::milliseconds deadline{60000};  // of this compile, once it has begun
};

struct EntryFacts {
  std::string entry;                                                 // as asked for
  std::string lowered_name;                                          // in the cubin
  int registers = 0;                                                 // a thread
  int spill_store_bytes = 0, spill_load_bytes = 0, stack_bytes = 0;  // a thread
  std::int64_t static_shared = 0;                                    // bytes a block
  int barriers = 0;  // 0 also where the compiler does not tell (CUDA 12.4)
};

struct CompileResult {
  enum class Status { ok, error, timeout, cancelled } status = Status::error;
  std::string reason;  // one line: the first error, "the compiler was killed by signal 11", …
  std::string log;     // the whole compiler log
  std::filesystem::path cubin;  // in the cache; stays for the life of the Compiler at least
  std::string ptx;              // of the whole module, where CompileJob::keep_ptx asked for it
  std::vector<EntryFacts> entries;
  std::vector<std::string> symbol_names;  // lowered, one for each of CompileJob::symbols
  double compile_ms = 0;                  // of one core, when it was really compiled
  bool cached = false;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  // Queues the job; `done` is called once, from a thread of the pool, whatever happens. It must not
  // throw.
  virtual void submit(CompileJob job, std::function<void(CompileResult)> done) = 0;
  // Ends what is running and queued: their `done` is called with `cancelled`. Thread-safe.
  virtual void cancel() = 0;
  virtual int parallelism() const = 0;
};

struct CompilerPoolOptions {
  int processes = 0;                       // 0: as many as cores
  std::filesystem::path cache_folder;      // empty: user_cache_folder()/cubins
  std::uint64_t cache_bytes = 2ull << 30;  // least recently used go first
  bool use_cache = true;  // false: neither read nor kept (a temporary folder serves)
  // The command line of a compiler process; empty: {self_executable(), "compile-process"}.
  std::vector<std::string> process_argv;
};
// Throws TunerError (ExitCode::no_device) where no NVRTC can be loaded, saying where it was looked
// for and what to install.
std::unique_ptr<Compiler> make_compiler_pool(const CompilerPoolOptions& options);

// A compiler without processes, for programs that may start none: submit() compiles in the calling
// thread (several may call), returns once `done` was called, and knows no deadline and no cancel.
// Of the options the cache's count. Throws as make_compiler_pool().
std::unique_ptr<Compiler> make_in_process_compiler(const CompilerPoolOptions& options);

// Compiles one job here and now through `compiler`.
CompileResult compile_and_wait(Compiler& compiler, CompileJob job);

// NVRTC as found, for `info`, `doctor` and the results' provenance. Does not throw.
struct NvrtcInfo {
  bool found = false;
  std::string version;  // "13.0"
  std::filesystem::path library;
  std::filesystem::path include_dir;  // toolkit headers, empty where not found
  std::vector<int> architectures;     // that it can compile for
  std::string problem;                // why not found
};
NvrtcInfo nvrtc_info();
// The same without loading it, which takes tens of milliseconds: told from where it lies and what
// lies beside it, without the architectures. `found` is false where only loading could tell.
NvrtcInfo nvrtc_info_unloaded();

// Hash (16 hex digits) of the source, every header of the project's own that it includes, and
// `options`: the provenance that decides whether a stored result is stale. Throws TunerError for a
// missing source.
std::string source_hash(const std::filesystem::path& source,
                        const std::vector<std::filesystem::path>& include_dirs,
                        const std::vector<std::string>& options);

// Main of a compiler process ("tuner compile-process"): serves the channel until it closes.
int run_compile_process();

}  // namespace tuner
