// Tuned kernels in a program that meets its GPU and its sizes when it runs: chooses among tuned
// results, compiles with NVRTC or loads a cubin, and launches on the program's own stream. This
// header needs C++17 and no CUDA header. docs/runtime.md is the guide.
//
//   tuner::runtime::Runtime runtime;
//   auto copy = runtime.kernel("copy");
//   auto problem = copy.problem().set("n", 1 << 20);
//   copy.launch(stream, problem, Arguments().pointer("in", in).pointer("out", out));
//
// Everything is thread-safe and lazy: the driver is opened, a kernel compiled, a module loaded when
// they are first needed. Every function may throw Error, and nothing else but std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// As cuda.h has them.
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;

namespace tuner::runtime {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    bad_input,        // an unknown name, a value that does not fit, a file that cannot be read
    no_valid_config,  // nothing that can run here, not even the default
    no_device,        // no driver, no GPU, or neither a cubin nor NVRTC
    failed            // a call of the driver, or anything else
  };
  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

// How well what was chosen fits, from the best: tuned for just this; on this GPU for another size,
// each within a factor of 4; on another GPU of the same compute capability; the kernel's default
// configuration.
enum class Rung { exact, nearest_size, same_capability, fallback };
const char* name_of(Rung rung) noexcept;

struct Options {
  // Folders of tuned results, searched in order. Empty: $TUNER_CONFIGS, else the user's, then those
  // that came with the tuner.
  std::vector<std::filesystem::path> configs;
  // Kernels, schemas and profiles. Empty: $TUNER_DATA, else share/tuner where this library was
  // installed.
  std::filesystem::path data;
  // Folders of cubins made ahead of time (tuner export --cubins), looked into before NVRTC.
  std::vector<std::filesystem::path> cubins;
  std::filesystem::path cache;  // compiled kernels. Empty: the tuner's own cache of this user
  bool compile = true;          // with NVRTC, in this process, where there is no cubin
  bool allow_stale = false;     // results of a kernel that has changed since
  // A profile's name ("h200") or file: choose for that GPU, which need not be there. Nothing can
  // be launched then. Empty: the GPU of the context.
  std::string profile;
  // Whose GPU is used. Null: the context that is current when the first kernel is chosen; where
  // there is none, the primary context of `device`, which becomes current.
  CUcontext context = nullptr;
  int device = 0;
  // Tunes a problem that has no exact result when it is first met, for about so long, in a process
  // of its own: `executable`, else $TUNER_EXECUTABLE, else the installed tuner. Without one nothing
  // is tuned. The winner goes to the first of `configs`. 0: never.
  double tune_seconds = 0;
  std::filesystem::path executable;
  // Notes each distinct problem (docs/files.md). Empty: $TUNER_CAPTURE; nowhere where that is
  // empty.
  std::filesystem::path capture;
  // Told of stale results, damaged files, configurations passed over. From any thread. Empty:
  // stderr.
  std::function<void(const std::string&)> warn;
};

// What was chosen for a problem, and why.
struct Selection {
  Rung rung = Rung::fallback;
  std::string config;  // readable: "path=registers.block256.width4"
  std::vector<std::pair<std::string, std::string>> values;  // parameter, value
  std::string problem;                                      // "dtype=f32 n=4096", every axis
  // Of the result behind it; empty and 0 for the fallback.
  std::string tuned_problem, tuned_device;
  double tuned_ns = 0;
  std::filesystem::path file;
  bool stale = false;
};

namespace detail {
class KernelState;
class RuntimeState;
constexpr std::size_t kMaxAxes = 16;
}  // namespace detail

// Values of a kernel's axes. Those that are not set take the kernel's defaults. Cheap to make and
// to copy; valid as long as its Runtime.
class Problem {
 public:
  // Throws Error for an axis that the kernel does not have, and a value that is not in its list.
  Problem& set(std::string_view axis, long long value);
  Problem& set(std::string_view axis, int value) {
    return set(axis, static_cast<long long>(value));
  }
  Problem& set(std::string_view axis, long value) {
    return set(axis, static_cast<long long>(value));
  }
  Problem& set(std::string_view axis, std::size_t value);
  Problem& set(std::string_view axis, double value);
  Problem& set(std::string_view axis, bool value);
  Problem& set(std::string_view axis, std::string_view value);  // "f32", "max"
  Problem& set(std::string_view axis, const char* value) {
    return set(axis, std::string_view(value));
  }

 private:
  friend class Kernel;
  friend class detail::KernelState;
  explicit Problem(const detail::KernelState& kernel);
  const detail::KernelState* kernel_;
  std::array<std::int64_t, detail::kMaxAxes> codes_;
};

// Buffers and scalars by the names of the kernel.json.
class Arguments {
 public:
  Arguments& pointer(std::string name, const void* device_address);
  Arguments& pointer(std::string name, unsigned long long device_address);  // a CUdeviceptr
  // Scalars follow from the problem and need not be given; one that is given must agree with it.
  Arguments& scalar(std::string name, double value);
  Arguments& scalar(std::string name, long long value);
  Arguments& scalar(std::string name, int value) {
    return scalar(std::move(name), static_cast<long long>(value));
  }

 private:
  friend class detail::KernelState;
  struct Scalar {
    std::string name;
    bool whole = true;
    long long integer = 0;
    double real = 0;
  };
  std::vector<std::pair<std::string, unsigned long long>> pointers_;
  std::vector<Scalar> scalars_;
};

struct Buffer {
  std::string name;
  std::string element;     // "f32"
  std::int64_t count = 0;  // elements
  std::int64_t bytes = 0;
  bool input = false, output = false;
};

// A handle: cheap to copy, valid as long as its Runtime.
class Kernel {
 public:
  Problem problem() const;
  // After the first time for a problem this is a lookup without a lock. What it refers to stays as
  // long as the Runtime; after a launch that had to fall back, ask again.
  const Selection& select(const Problem& problem) const;
  // What a launch takes, with sizes. Does not touch a GPU beyond asking which it is.
  std::vector<Buffer> buffers(const Problem& problem) const;
  // Chooses, compiles and loads now what the first launch would.
  const Selection& prepare(const Problem& problem) const;
  // Queues the kernel's launches on `stream`, which belongs to the Runtime's context, and returns.
  // Workspaces are the library's own, one set for each stream. Launches of several threads on one
  // stream do not mix. Not to be the first of its problem and stream while a graph is captured:
  // call it once before.
  const Selection& launch(CUstream stream, const Problem& problem,
                          const Arguments& arguments) const;

 private:
  friend class Runtime;
  explicit Kernel(detail::KernelState& state) : state_(&state) {}
  detail::KernelState* state_;
};

// One for each context. Destroy it before the context.
class Runtime {
 public:
  explicit Runtime(Options options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // A built-in kernel's name, or the path of a kernel.json or its folder. Loaded once.
  Kernel kernel(const std::string& name_or_path);
  // Forgets every choice, so that results that have come since are seen. What is loaded stays.
  void reload();

 private:
  std::unique_ptr<detail::RuntimeState> state_;
};

}  // namespace tuner::runtime
