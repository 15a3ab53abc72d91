// Loading what ships, and descriptions made up for one test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "expr/error.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

using Given = std::vector<std::pair<std::string, std::string>>;

inline std::filesystem::path source_folder() { return TUNER_SOURCE; }

inline models::DeviceProfile h200() {
  return models::load_device_profile(source_folder() / "configs/devices/h200.json");
}

inline Kernel bind(const std::string& folder, const Given& given = {}) {
  KernelDescription description = load_kernel_description(source_folder() / folder);
  Problem problem = resolve_problem(description, given);
  return {std::move(description), std::move(problem), h200()};
}

// A folder of its own that holds kernel.json with `text` and an empty k.cu.
class TemporaryKernel {
 public:
  explicit TemporaryKernel(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "kernel_test_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(folder_ / "k.cu") << "\n";
    std::ofstream(folder_ / "kernel.json") << text;
  }
  ~TemporaryKernel() { std::filesystem::remove_all(folder_); }
  TemporaryKernel(const TemporaryKernel&) = delete;
  TemporaryKernel& operator=(const TemporaryKernel&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// What loading, resolving and binding throws; empty where nothing.
inline std::string error_of(const std::filesystem::path& folder, const Given& given = {}) {
  try {
    KernelDescription description = load_kernel_description(folder);
    Problem problem = resolve_problem(description, given);
    const Kernel kernel(std::move(description), std::move(problem), h200());
  } catch (const TunerError& error) {
    return error.exit_code() == ExitCode::bad_input ? error.what() : "another exit code";
  }
  return "";
}

}  // namespace tuner
