// Launches that depend on how many blocks a SM holds, in an exported header: what the header
// computes is what the tool does.
#include <fmt/format.h>

#include "models/occupancy.h"
#include "tests/tuner/embed/fixture.h"
#include "tuner/embed/header.h"

namespace tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kLines = 20000;

std::string device_code(const models::DeviceProfile& device) {
  return fmt::format(
      "{{\"{}\", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", device.name,
      device.compute_capability, device.sm_count, device.max_threads_per_block,
      device.max_threads_per_sm, std::max(device.shared_per_block, device.shared_per_block_optin),
      device.shared_per_sm, device.registers_per_block, device.l2_bytes, device.memory_bytes,
      device.max_blocks_per_sm, device.registers_per_sm, device.reserved_shared_per_block);
}

std::vector<models::DeviceProfile> every_profile() {
  std::vector<models::DeviceProfile> profiles;
  for (const auto& file : std::filesystem::directory_iterator(data_folder() / "configs/devices")) {
    profiles.push_back(models::load_device_profile(file.path()));
  }
  return profiles;
}

// The stencil's grid is what fills the GPU where `resident` holds.
class BlocksPerSm : public ExportTest {
 protected:
  Kernel stencil_of(const models::DeviceProfile& device) const {
    return Kernel(stencil_,
                  resolve_problem(stencil_, std::vector<Given>{{"n", "4096"},
                                                               {"m", fmt::format("{}", kLines)}}),
                  device);
  }

  static std::vector<CompiledKernel> compiled(const Kernel& kernel, const search::Config& config,
                                              int registers) {
    std::vector<CompiledKernel> kernels;
    for (const std::string& entry : kernel.build(config).entries) {
      kernels.push_back({entry, registers, 2048, 0});
    }
    return kernels;
  }

  // Tuned on the device, with kernels of so many registers; 0: not known.
  void store_winner(const models::DeviceProfile& device, int registers) {
    const Kernel kernel = stencil_of(device);
    TunedEntry entry;
    entry.problem = kernel.problem().axes;
    entry.cache = "cold";
    entry.device = result_device(device, "580.65.06");
    const search::Config plain = kernel.space().nearest_valid_to_default().value();
    entry.default_config.config = named_values(kernel, plain);
    entry.winner.config = entry.default_config.config;
    for (auto& [name, value] : entry.winner.config) {
      if (name == "resident") value = true;
    }
    const search::Config winner = kernel.space().from_values(entry.winner.config);
    if (registers > 0) {
      entry.winner.compiled = compiled(kernel, winner, registers);
      entry.default_config.compiled = compiled(kernel, plain, registers);
    }
    entry.winner.time_ns = 1000;
    entry.source_hash = kernel_hash(stencil_);
    ResultStore(configs()).save("stencil", device.id, std::move(entry));
  }

  ExportOutcome gather() {
    ExportRequest request;
    request.kernels = {stencil_};
    request.folders = {configs()};
    request.profiles = profiles_;
    return gather_exports(request);
  }

  const KernelDescription stencil_ = load_kernel_description(data_folder() / "examples/stencil");
};

TEST_F(BlocksPerSm, AreCountedAsTheModelCountsThem) {
  std::string source =
      "#include \"tuned.hpp\"\n#include <cstdio>\n#include <initializer_list>\nusing namespace "
      "tuner_export_1;\n"
      "static void tell(const device& d) {\n"
      "  for (long long threads : {1, 32, 33, 96, 100, 128, 256, 384, 512, 768, 1000, 1024})\n"
      "    for (long long registers : {0, 16, 24, 32, 33, 40, 64, 80, 96, 128, 168, 255})\n"
      "      for (long long fixed : {0, 1, 2048, 49152})\n"
      "        for (long long dynamic : {0, 1000, 16384, 65536, 101376, 166912, 232448})\n"
      "          std::printf(\"%lld\\n\", blocks_per_sm(d, threads, registers, fixed, dynamic));\n"
      "}\nint main() {\n";
  std::string expected;
  for (const models::DeviceProfile& device : every_profile()) {
    source += fmt::format("  tell({});\n", device_code(device));
    for (const int threads : {1, 32, 33, 96, 100, 128, 256, 384, 512, 768, 1000, 1024}) {
      for (const int registers : {0, 16, 24, 32, 33, 40, 64, 80, 96, 128, 168, 255}) {
        for (const std::int64_t fixed : {0, 1, 2048, 49152}) {
          for (const std::int64_t dynamic : {0, 1000, 16384, 65536, 101376, 166912, 232448}) {
            const models::Occupancy found =
                models::occupancy(device, {threads, registers, fixed, dynamic});
            expected += fmt::format("{}\n", found.blocks_per_sm);
          }
        }
      }
    }
  }
  store_winner(h200_, 40);
  const std::string told = run(export_header(gather().kernels, "tuned"), source + "}\n");
  EXPECT_EQ(told.size(), expected.size());
  EXPECT_TRUE(told == expected) << "some of the counts differ";
}

TEST_F(BlocksPerSm, MakeTheGridsThatTheToolLaunches) {
  store_winner(h200_, 40);
  store_winner(a100_, 72);
  const ExportOutcome outcome = gather();
  EXPECT_TRUE(outcome.warnings.empty());
  // On the GPUs that they were tuned on, and on the H200's sibling, with other SMs.
  std::string source =
      "#include \"tuned.hpp\"\n#include <cstdio>\nnamespace s = tuned::stencil;\n"
      "template <class C> static void tell(const tuner_export_1::device& d) {\n"
      "  const auto all = C::launches(C::about::tuned_for, d);\n"
      "  std::printf(\"%d %lld %lld\\n\", C::valid(C::about::tuned_for, d), all[0].grid.x, "
      "all[0].grid.y);\n"
      "}\nint main() {\n";
  std::string expected;
  for (std::size_t i = 0; i < 2; ++i) {
    const ExportedConfig& one = outcome.kernels[0].configs[i];
    const bool hopper = one.device.compute_capability == 90;
    for (const models::DeviceProfile* device : {&h200_, &h100_, &a100_}) {
      if ((device->compute_capability == 90) != hopper) continue;
      const Kernel kernel(stencil_, {one.problem}, *device);
      const search::Config config = kernel.space().from_values(one.config);
      std::vector<CompiledEntry> entries;
      for (const CompiledKernel& each : compiled(kernel, config, hopper ? 40 : 72)) {
        entries.push_back({each.entry, each.entry, each.registers, each.static_shared, 0});
      }
      const LaunchStep step = kernel.launch(config, entries, {}).steps[0];
      source += fmt::format("  tell<s::config_{}>({});\n", i, device_code(*device));
      expected += fmt::format("1 {} {}\n", step.grid[0], step.grid[1]);
    }
  }
  EXPECT_EQ(run(export_header(outcome.kernels, "tuned"), source + "}\n"), expected);
}

// Registers of one architecture's code say nothing of another's.
TEST_F(BlocksPerSm, AreNoneOfAnotherArchitecture) {
  store_winner(h200_, 40);
  const std::string source =
      "#include \"tuned.hpp\"\nnamespace s = tuned::stencil;\nusing tuner_export_1::rung;\n"
      "constexpr tuner_export_1::device h100 = " +
      device_code(h100_) + ";\nconstexpr tuner_export_1::device a100 = " + device_code(a100_) +
      ";\nconstexpr auto p = s::config_0::about::tuned_for;\n"
      "static_assert(s::select(h100, p).how == rung::same_capability, \"\");\n"
      "static_assert(!s::config_0::valid(p, a100), \"\");\n"
      "int main() {}\n";
  EXPECT_EQ(run(export_header(gather().kernels, "tuned"), source), "");
}

// The default is not resident, so its code needs nothing that was compiled.
TEST_F(BlocksPerSm, LeaveTheFallbackToEveryDevice) {
  store_winner(h200_, 40);
  const ExportOutcome outcome = gather();
  ASSERT_EQ(outcome.kernels[0].configs.size(), 2U);
  EXPECT_TRUE(outcome.kernels[0].configs[0].code.uses_compiled);
  EXPECT_TRUE(outcome.kernels[0].configs[1].fallback);
  EXPECT_FALSE(outcome.kernels[0].configs[1].code.uses_compiled);
}

TEST_F(BlocksPerSm, AreNotGuessed) {
  store_winner(h200_, 0);
  try {
    gather();
    FAIL() << "nothing is known of its registers";
  } catch (const TunerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("blocks_per_sm"));
    EXPECT_THAT(error.what(), HasSubstr("tune again"));
  }
  store_winner(a100_, 72);
  EXPECT_THAT(gather().warnings, ElementsAre(HasSubstr("tune again")));
}

}  // namespace
}  // namespace tuner
