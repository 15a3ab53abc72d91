// Results of the copy kernel on several GPUs, as tuning would have stored them; and a compiler for
// what is exported.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "expr/error.h"
#include "models/device_profile.h"
#include "tests/tuner/compile/temporary_folder.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"
#include "tuner/pipeline/exporting.h"
#include "tuner/pipeline/keep.h"
#include "tuner/store/result_store.h"

namespace tuner {

inline std::vector<models::DeviceProfile> shipped_profiles() {
  std::vector<models::DeviceProfile> profiles;
  for (const char* id : {"a100", "h100", "h200", "t4"}) {
    profiles.push_back(models::load_device_profile(data_folder() / "configs/devices" /
                                                   (std::string(id) + ".json")));
  }
  return profiles;
}

class ExportTest : public testing::Test {
 protected:
  std::filesystem::path configs() const { return folder_.path() / "configs"; }

  Kernel copy_of(std::int64_t n, const models::DeviceProfile& device) const {
    return Kernel(description_,
                  resolve_problem(description_, std::vector<Given>{{"n", fmt::format("{}", n)}}),
                  device);
  }

  // The default configuration but for the block size, as the winner for n elements.
  TunedEntry tuned(std::int64_t n, const models::DeviceProfile& device, std::int64_t block,
                   const std::string& cache = "cold") const {
    const Kernel kernel = copy_of(n, device);
    TunedEntry entry;
    entry.problem = kernel.problem().axes;
    entry.cache = cache;
    entry.device = result_device(device, "580.65.06");
    entry.winner.config = named_values(kernel, kernel.space().default_config());
    for (auto& [name, value] : entry.winner.config) {
      if (name == "block") value = block;
    }
    entry.winner.time_ns = 1000;
    entry.source_hash = kernel_hash(description_);
    entry.date = "2026-01-01T00:00:00Z";
    entry.cuda = entry.nvrtc = "13.0";
    entry.tool = "0.1.0";
    return entry;
  }

  void store(const models::DeviceProfile& device, TunedEntry entry) {
    ResultStore(configs()).save("copy", device.id, std::move(entry));
  }

  ExportOutcome gather() {
    ExportRequest request = request_;
    request.kernels = {description_};
    request.folders = {configs()};
    request.profiles = profiles_;
    return gather_exports(request);
  }

  // Compiles `source` beside tuned.hpp and runs it; what it printed. An error of the compiler is a
  // failure of the test.
  std::string run(const std::string& header, const std::string& source,
                  const std::string& standard = "c++17") const {
    write_file_atomically(folder_.path() / "tuned.hpp", header);
    write_file_atomically(folder_.path() / "main.cc", source);
    const std::string program = (folder_.path() / "main").string();
    const std::string compiled = output_of(fmt::format(
        "{} -std={} -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -o '{}' '{}' "
        "2>&1",
        TEST_CXX, standard, program, (folder_.path() / "main.cc").string()));
    EXPECT_EQ(compiled, "");
    return compiled.empty() ? output_of("'" + program + "'") : "";
  }

  using Given = std::pair<std::string, std::string>;
  const KernelDescription description_ = find_kernel("copy");
  const std::vector<models::DeviceProfile> profiles_ = shipped_profiles();
  const models::DeviceProfile& a100_ = profiles_[0];
  const models::DeviceProfile& h100_ = profiles_[1];
  const models::DeviceProfile& h200_ = profiles_[2];
  const models::DeviceProfile& t4_ = profiles_[3];
  ExportRequest request_;
  TemporaryFolder folder_;

 private:
  static std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "popen failed";
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      text.append(buffer.data(), count);
    }
    const int status = ::pclose(pipe);
    return status == 0 ? text : text + fmt::format("\nstatus {}", status);
  }
};

}  // namespace tuner
