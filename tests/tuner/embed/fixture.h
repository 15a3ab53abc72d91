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
#include "tests/tuner/select/copy_results.h"
#include "tuner/os/files.h"
#include "tuner/pipeline/exporting.h"

namespace tuner {

class ExportTest : public testing::Test, protected CopyResults {
 protected:
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

  ExportRequest request_;

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
