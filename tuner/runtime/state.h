// What the handles of runtime.h point to.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/kernel.h"
#include "tuner/runtime/choice_table.h"
#include "tuner/runtime/choosing.h"
#include "tuner/runtime/cubin_source.h"
#include "tuner/runtime/first_use.h"
#include "tuner/runtime/gpu_context.h"
#include "tuner/runtime/runtime.h"

namespace tuner::runtime::detail {

// What the kernels of a Runtime share. Thread-safe.
class RuntimeState {
 public:
  explicit RuntimeState(Options options);
  ~RuntimeState();
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;

  KernelState& kernel(const std::string& name_or_path);
  void reload();

  const Options& options() const { return options_; }
  const std::vector<std::filesystem::path>& folders() const { return folders_; }
  CubinSource& cubins() { return cubins_; }
  // Of the profile that the options name, else of the GPU.
  models::DeviceProfile device();
  // Throws Error where the options name a profile: there is no GPU to launch on.
  const GpuContext& gpu();
  void warn(const std::string& message) const;
  bool captures() const { return !capture_.empty(); }
  void capture(const KernelDescription& kernel, const tuner::Problem& problem, std::int64_t count);
  // Says whether the problem was tuned.
  bool tune(const tuner::Kernel& kernel);

 private:
  const GpuContext& open_gpu();

  const Options options_;
  const std::vector<std::filesystem::path> folders_;
  const std::filesystem::path capture_;
  CubinSource cubins_;
  std::mutex tuning_;  // one tuning at a time: two would measure each other
  std::mutex mutex_;   // guards what follows
  std::optional<GpuContext> gpu_;
  std::optional<models::DeviceProfile> profile_;
  bool capture_failed_ = false;
  std::map<std::string, std::unique_ptr<KernelState>> kernels_;
};

class KernelState {
 public:
  KernelState(RuntimeState& runtime, KernelDescription description);

  const Axis& axis(std::size_t index) const { return description_.axes[index]; }
  std::size_t axis_index(std::string_view name) const;
  // A choice's value, by its text or as it is. Throws TunerError with the list.
  std::int64_t choice_code(std::size_t axis, std::string_view text) const;
  std::int64_t choice_code(std::size_t axis, const Value& value) const;

  Choice& select(const Problem& problem);
  std::vector<Buffer> buffers(const Problem& problem);
  Choice& prepare(const Problem& problem);
  const Selection& launch(CUstream stream, const Problem& problem, const Arguments& arguments);
  void forget();
  void capture_rest();  // calls that have not been noted yet

 private:
  [[noreturn]] void refuse_value(std::size_t axis, std::string_view text) const;
  Choice& select_slowly(const Codes& codes);
  tuner::Kernel bind(const Codes& codes) const;
  Choice& add(const Codes& codes, Chosen chosen);
  Choice& fall_back(const Choice& from, const std::string& reason);
  LoadedKernel& load(Choice& choice);
  Choice& prepare(Choice& choice);
  std::vector<CUdeviceptr> addresses(const LoadedKernel& loaded, const Arguments& arguments) const;
  void check_scalars(const Choice& choice, const Arguments& arguments) const;

  RuntimeState& runtime_;
  const KernelDescription description_;
  std::vector<std::string> axis_names_;
  std::vector<std::vector<std::string>> choices_;  // texts of each axis' values
  std::mutex mutex_;                               // held by whoever adds to the table
  ChoiceTable table_;
};

}  // namespace tuner::runtime::detail
