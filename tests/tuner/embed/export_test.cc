// What an exported header chooses and launches is what the tool itself would.
#include <fmt/format.h>

#include "tests/tuner/embed/fixture.h"
#include "tuner/embed/header.h"
#include "tuner/store/lookup.h"

namespace tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kMega = 1 << 20;

std::string header_of(const ExportOutcome& outcome) {
  return export_header(outcome.kernels, "tuned");
}

class Selection : public ExportTest {
 protected:
  Selection() {
    store(h200_, tuned(kMega, h200_, 64));
    store(h200_, tuned(16 * kMega, h200_, 128));
    store(h200_, tuned(64 * kMega, h200_, 512, "warm"));
    store(a100_, tuned(kMega, a100_, 1024));
  }

  static std::string device_code(const models::DeviceProfile& device) {
    return fmt::format(
        "{{\"{}\", {}, {}, {}, {}, {}, {}, {}, {}, {}}}", device.name, device.compute_capability,
        device.sm_count, device.max_threads_per_block, device.max_threads_per_sm,
        std::max(device.shared_per_block, device.shared_per_block_optin), device.shared_per_sm,
        device.registers_per_block, device.l2_bytes, device.memory_bytes);
  }
};

TEST_F(Selection, IsThatOfTheLookup) {
  request_.cache = "cold";
  const std::int64_t sizes[] = {1,         31,         kMega / 5,  kMega,      kMega + 3, 3 * kMega,
                                5 * kMega, 16 * kMega, 63 * kMega, 64 * kMega, 65 * kMega};
  std::string source =
      "#include \"tuned.hpp\"\n#include <cstdio>\nnamespace c = tuned::copy;\n"
      "static void tell(const tuner_export_1::device& d, long long n) {\n"
      "  const c::problem p = {c::shape_axis::linear, c::dtype_axis::f32, n, 1};\n"
      "  c::dispatch(d, p, [](auto config, tuner_export_1::rung how) {\n"
      "    std::printf(\"%d %d\\n\", static_cast<int>(how), decltype(config)::block);\n"
      "  });\n}\nint main() {\n";
  std::string expected;
  for (const models::DeviceProfile* device : {&h200_, &h100_, &a100_, &t4_}) {
    for (const std::int64_t n : sizes) {
      source += fmt::format("  tell({}, {});\n", device_code(*device), n);
      const Kernel kernel = copy_of(n, *device);
      const std::filesystem::path folders[] = {configs()};
      const LookupAnswer answer = lookup(folders, lookup_query(kernel, "cold"));
      // The header's fallback stands where the lookup knows nothing; its block is the default.
      const std::int64_t block =
          answer.entry ? std::get<std::int64_t>(*find_value(answer.entry->winner.config, "block"))
                       : 256;
      expected += fmt::format("{} {}\n", static_cast<int>(answer.rung), block);
    }
  }
  EXPECT_EQ(run(header_of(gather()), source + "}\n"), expected);
}

TEST_F(Selection, IsDecidedByTheCompilerWhereItCan) {
  const std::string source =
      "#include \"tuned.hpp\"\n"
      "namespace c = tuned::copy;\n"
      "using tuner_export_1::rung;\n"
      "constexpr c::problem of(long long n) {\n"
      "  return {c::shape_axis::linear, c::dtype_axis::f32, n, 1};\n"
      "}\n"
      "constexpr tuner_export_1::device h200 = " +
      device_code(h200_) +
      ";\n"
      "constexpr tuner_export_1::device h100 = " +
      device_code(h100_) +
      ";\n"
      "constexpr tuner_export_1::device t4 = " +
      device_code(t4_) +
      ";\n"
      "static_assert(c::select(h200, of(1048576)).how == rung::exact, \"\");\n"
      "static_assert(c::select(h200, of(1048577)).how == rung::nearest_size, \"\");\n"
      "static_assert(c::select(h100, of(1048576)).how == rung::same_capability, \"\");\n"
      "static_assert(c::select(t4, of(1048576)).how == rung::fallback, \"\");\n"
      "static_assert(c::select(h200, of(0)).how == rung::none, \"a size that was forgotten\");\n"
      "static_assert(c::config_1::block == 64 && c::config_1::path == c::path_value::registers, "
      "\"\");\n"
      "static_assert(c::config_1::launches(of(1000), h200).count == 1, \"\");\n"
      "static_assert(c::config_1::launches(of(1000), h200)[0].grid.x == 16, \"\");\n"
      "int main() {}\n";
  const std::string header = header_of(gather());
  for (const char* standard : {"c++17", "c++20"}) EXPECT_EQ(run(header, source, standard), "");
}

TEST_F(Selection, TakesColdBeforeWarmWhereEitherWillDo) {
  store(h200_, tuned(kMega, h200_, 256, "warm"));
  const ExportOutcome outcome = gather();
  std::vector<std::string> all;
  for (const ExportedConfig& one : outcome.kernels[0].configs) {
    all.push_back(fmt::format("{} {}", one.fallback ? "fallback" : one.cache,
                              to_string(*find_value(one.config, "block"))));
  }
  EXPECT_THAT(all, ElementsAre("cold 1024", "cold 64", "cold 128", "warm 512", "fallback 256"));
}

// For every result that ships, and for those above.
TEST_F(Selection, LaunchesAreTheTools) {
  ExportRequest request;
  request.profiles = profiles_;
  for (const std::string name : {"copy", "reduction", "transpose"}) {
    request.kernels = {find_kernel(name)};
    request.folders = {configs(), data_folder() / "configs"};
    const ExportOutcome outcome = gather_exports(request);
    std::string source = fmt::format(
        "#include \"tuned.hpp\"\n#include <cstdio>\n#define TELL(i) "
        "tell<tuned::{0}::config_##i>()\n"
        "template <class C> static void tell() {{\n"
        "  const auto& p = C::about::tuned_for; const auto& d = C::about::tuned_on;\n"
        "  for (const auto& s : C::launches(p, d))\n"
        "    std::printf(\"%s %lld %lld %lld %lld %lld %lld %lld\\n\", s.entry, s.grid.x, "
        "s.grid.y, "
        "s.grid.z, s.block.x, s.block.y, s.block.z, s.dynamic_shared);\n"
        "  for (const auto& w : C::workspaces(p, d)) std::printf(\"%s %lld\\n\", w.name, "
        "w.bytes);\n"
        "}}\nint main() {{\n",
        name);
    std::string expected;
    const std::vector<ExportedConfig>& configs = outcome.kernels[0].configs;
    for (std::size_t i = 0; i < configs.size(); ++i) {
      if (configs[i].fallback) continue;
      source += fmt::format("  TELL({});\n", i);
      const Kernel kernel(request.kernels[0], {configs[i].problem}, configs[i].device);
      const search::Config config = kernel.space().from_values(configs[i].config);
      std::vector<CompiledEntry> compiled;
      for (const std::string& entry : kernel.build(config).entries) {
        compiled.push_back({entry, entry, 32, 0, 0});
      }
      const LaunchPlan plan = kernel.launch(config, compiled, {});
      for (const LaunchStep& step : plan.steps) {
        expected += fmt::format("{} {} {} {}\n", step.lowered_name, fmt::join(step.grid, " "),
                                fmt::join(step.block, " "), step.dynamic_shared);
      }
      for (const WorkspaceSpec& one : plan.workspaces) {
        expected += fmt::format("{} {}\n", one.name, one.bytes);
      }
    }
    EXPECT_NE(expected, "");
    EXPECT_EQ(run(header_of(outcome), source + "}\n"), expected) << name;
  }
}

TEST_F(Selection, SameBytesEachTime) { EXPECT_EQ(header_of(gather()), header_of(gather())); }

TEST_F(Selection, KeepsToTheGpusAskedFor) {
  request_.gpus = {"a100"};
  const ExportOutcome outcome = gather();
  ASSERT_EQ(outcome.kernels[0].configs.size(), 2U);
  EXPECT_EQ(outcome.kernels[0].configs[0].device.name, a100_.name);
  request_.gpus = {"t4"};
  try {
    gather();
    FAIL() << "there is no result of a T4";
  } catch (const TunerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("copy: no usable results"));
    EXPECT_THAT(error.what(), HasSubstr(configs().string()));
  }
}

TEST_F(ExportTest, LeavesOutWhatIsNoLongerRight) {
  store(h200_, tuned(kMega, h200_, 64));
  TunedEntry stale = tuned(2 * kMega, h200_, 128);
  stale.source_hash = "0123456789abcdef";
  store(h200_, stale);
  store(h200_, tuned(4 * kMega, h200_, 100));  // no block size of this kernel
  TunedEntry unknown = tuned(8 * kMega, h200_, 64);
  unknown.winner.config.emplace_back("colour", std::int64_t{3});
  store(h200_, unknown);
  const ExportOutcome outcome = gather();
  EXPECT_EQ(outcome.kernels[0].configs.size(), 2U);  // and the fallback
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("the kernel has changed"), HasSubstr("100"),
                                            HasSubstr("colour")));
}

TEST_F(ExportTest, RefusesWhatItCannotRead) {
  std::filesystem::create_directories(configs() / "copy");
  write_file_atomically(configs() / "copy" / "h200.json", "{\"schema\": \"tuner.result\"");
  try {
    gather();
    FAIL() << "half a file is none";
  } catch (const TunerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("h200.json"));
  }
}

// The name comes from a file that anybody may have written.
TEST_F(ExportTest, HostileNamesStayText) {
  models::DeviceProfile hostile = h200_;
  hostile.name = "GPU \"\n}; int main() { return 1; } // ?\?/\n\\";
  hostile.id = "hostile";
  store(hostile, tuned(kMega, hostile, 64));
  EXPECT_EQ(run(header_of(gather()),
                "#include \"tuned.hpp\"\n#include <cstdio>\nint main() { "
                "std::printf(\"%s\", tuned::copy::config_0::about::tuned_on.name); }\n"),
            hostile.name);
}

// Macros are one set for each configuration, chosen by its number.
TEST_F(ExportTest, GivesPlainKernelsTheirMacros) {
  const KernelDescription saxpy = load_kernel_description(data_folder() / "examples/saxpy");
  const Kernel kernel(saxpy, resolve_problem(saxpy, {}), h200_);
  ExportedKernel exported{saxpy, {}};
  for (const search::Config& config : kernel.space().materialize(2)) {
    exported.configs.push_back({kernel.space().id(config),
                                false,
                                kernel.problem().axes,
                                named_values(kernel, config),
                                "cold",
                                {},
                                h200_,
                                "",
                                "",
                                "",
                                "",
                                kernel.code(config)});
  }
  const std::string header = export_header(std::span(&exported, 1), "tuned");
  const std::string define = exported.configs[1].code.defines.front();
  const std::string name = define.substr(0, define.find('='));
  EXPECT_EQ(run(header,
                "#define TUNED_SAXPY_CONFIG 1\n#include \"tuned.hpp\"\n#include <cstdio>\n"
                "int main() { std::printf(\"" +
                    name + "=%d\", static_cast<int>(" + name + ")); }\n"),
            define);
}

}  // namespace
}  // namespace tuner
