// tuner occupancy: how many blocks a SM holds, by the driver's rules or by the textbook's.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "models/occupancy.h"
#include "tuner/cli/command.h"
#include "tuner/cli/device_option.h"
#include "tuner/cli/occupancy_view.h"
#include "tuner/cli/quantity.h"
#include "tuner/cli/value_json.h"
#include "tuner/report/bar.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

using models::BlockResources;
using models::Occupancy;

struct OccupancyOptions {
  DeviceOption device;
  int block = 256;
  int registers = 0;
  std::string dynamic_shared = "0", static_shared = "0";
  std::string sweep;
  std::string sm_shared;
  std::optional<int> sm_warps, sm_blocks;

  bool hypothetical() const { return !sm_shared.empty() || sm_warps || sm_blocks; }
};

// What is asked: a device, or a hypothetical SM.
using Subject = std::variant<models::DeviceProfile, models::TextbookSm>;

Subject subject_of(const OccupancyOptions& options) {
  if (!options.hypothetical()) return options.device.resolve();
  if (!options.device.text.empty()) {
    throw TunerError(
        "--device and --sm-smem, --sm-warps, --sm-blocks exclude each other: those describe a "
        "hypothetical SM");
  }
  models::TextbookSm sm;
  if (options.sm_warps) sm.max_warps = *options.sm_warps;
  if (options.sm_blocks) sm.max_blocks = *options.sm_blocks;
  if (!options.sm_shared.empty()) sm.shared_bytes = parse_bytes(options.sm_shared, "--sm-smem");
  return sm;
}

Occupancy occupancy_of(const Subject& subject, const BlockResources& block) {
  const auto* device = std::get_if<models::DeviceProfile>(&subject);
  return device != nullptr
             ? models::occupancy(*device, block)
             : models::textbook_occupancy(std::get<models::TextbookSm>(subject), block);
}

BlockResources resources_of(const OccupancyOptions& options) {
  return {options.block, options.registers, parse_bytes(options.static_shared, "--static-smem"),
          parse_bytes(options.dynamic_shared, "--smem")};
}

std::int64_t largest_shared(const Subject& subject) {
  const auto* device = std::get_if<models::DeviceProfile>(&subject);
  return device != nullptr ? device->shared_per_block_optin
                           : std::get<models::TextbookSm>(subject).shared_bytes;
}

struct SweepPoint {
  std::int64_t value = 0;
  BlockResources block;
};

std::vector<SweepPoint> sweep_points(const Subject& subject, const std::string& name,
                                     const BlockResources& block) {
  std::vector<SweepPoint> points;
  const auto add = [&](std::int64_t value, BlockResources changed) {
    points.push_back({value, changed});
  };
  if (name == "block") {
    for (int threads = 32; threads <= 1024; threads += 32) {
      add(threads,
          {threads, block.registers_per_thread, block.static_shared, block.dynamic_shared});
    }
  } else if (name == "regs") {
    for (int registers = 16; registers <= 255; registers += 8) {
      add(registers, {block.threads, registers, block.static_shared, block.dynamic_shared});
    }
    add(255, {block.threads, 255, block.static_shared, block.dynamic_shared});
  } else {
    const std::int64_t most =
        std::max<std::int64_t>(0, largest_shared(subject) - block.static_shared);
    const std::int64_t step = std::max<std::int64_t>(1024, most / 32 / 1024 * 1024);
    for (std::int64_t bytes = 0; bytes <= most; bytes += step) {
      add(bytes, {block.threads, block.registers_per_thread, block.static_shared, bytes});
    }
    if (points.back().value != most) {
      add(most, {block.threads, block.registers_per_thread, block.static_shared, most});
    }
  }
  return points;
}

void show_sweep(const Output& output, const Subject& subject, const OccupancyOptions& options,
                nlohmann::ordered_json& json) {
  Table table({{options.sweep, Align::right},
               {"blocks", Align::right},
               {"warps", Align::right},
               {"occupancy", Align::right},
               {"", Align::left},
               {"limited by", Align::left}});
  json["sweep"] = nlohmann::ordered_json::array();
  for (const SweepPoint& point : sweep_points(subject, options.sweep, resources_of(options))) {
    const Occupancy found = occupancy_of(subject, point.block);
    table.add({options.sweep == "smem" ? show_bytes(point.value) : fmt::format("{}", point.value),
               fmt::format("{}", found.blocks_per_sm), fmt::format("{}", found.warps_per_sm),
               fmt::format("{:.1f} %", 100 * found.occupancy), bar(found.occupancy),
               found.refusal.empty() ? limiters_in_words(found) : found.refusal});
    nlohmann::ordered_json entry = {{options.sweep, point.value}};
    entry.update(occupancy_json(found));
    json["sweep"].push_back(std::move(entry));
  }
  output.text('\n' + table.render(output.color()));
}

std::string heading(const Subject& subject, const BlockResources& block) {
  std::string where;
  if (const auto* device = std::get_if<models::DeviceProfile>(&subject)) {
    where = fmt::format("{} (sm_{}, {} SMs)", device->name, device->compute_capability,
                        device->sm_count);
  } else {
    const auto& sm = std::get<models::TextbookSm>(subject);
    where = fmt::format(
        "hypothetical SM by the textbook formula ({} warps, {} blocks, {} registers, "
        "{} of shared memory): no device rounds like this",
        sm.max_warps, sm.max_blocks, sm.registers, show_bytes(sm.shared_bytes));
  }
  return fmt::format("{}\n{} threads a block, {}, shared memory {} static + {} dynamic\n", where,
                     block.threads,
                     block.registers_per_thread == 0
                         ? "registers not given (taken as no limit)"
                         : fmt::format("{} registers a thread", block.registers_per_thread),
                     show_bytes(block.static_shared), show_bytes(block.dynamic_shared));
}

nlohmann::ordered_json subject_json(const Subject& subject) {
  if (const auto* device = std::get_if<models::DeviceProfile>(&subject)) {
    return {{"model", "driver"}, {"device", device_json(*device)}};
  }
  const auto& sm = std::get<models::TextbookSm>(subject);
  return {{"model", "textbook"},
          {"sm",
           {{"max_warps", sm.max_warps},
            {"max_blocks", sm.max_blocks},
            {"registers", sm.registers},
            {"shared_bytes", sm.shared_bytes}}}};
}

ExitCode run(const OccupancyOptions& options, const Output& output) {
  const BlockResources block = resources_of(options);
  const Subject subject = subject_of(options);
  const Occupancy found = occupancy_of(subject, block);
  nlohmann::ordered_json json = subject_json(subject);
  json.update(nlohmann::ordered_json{{"block", block.threads},
                                     {"registers", block.registers_per_thread},
                                     {"static_smem", block.static_shared},
                                     {"dynamic_smem", block.dynamic_shared}});
  json.update(occupancy_json(found));
  output.text(heading(subject, block) + occupancy_text(found, output.color()));
  if (const auto* device = std::get_if<models::DeviceProfile>(&subject)) {
    const models::SuggestedLaunch suggested = models::suggest_block(*device, block);
    json["suggested"] = {{"block", suggested.block}, {"min_grid", suggested.min_grid}};
    output.text(
        suggested.block == 0
            ? "no block size can launch with these resources\n"
            : fmt::format("suggested block: {} threads; a grid of {} blocks fills the GPU\n",
                          suggested.block, suggested.min_grid));
  }
  if (!options.sweep.empty()) show_sweep(output, subject, options, json);
  output.json(json);
  return ExitCode::ok;
}

}  // namespace

Action declare_occupancy(CLI::App& app) {
  const auto options = std::make_shared<OccupancyOptions>();
  options->device.add_to(app);
  app.add_option("--block", options->block, "threads a block")->capture_default_str();
  app.add_option("--regs", options->registers,
                 "registers a thread, as the compiler reports them; 0: unknown, no limit")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--smem", options->dynamic_shared, "dynamic shared memory a block (32K)")
      ->type_name("BYTES");
  app.add_option("--static-smem", options->static_shared, "static shared memory a block")
      ->type_name("BYTES");
  app.add_option("--sweep", options->sweep, "vary one of them: block, regs or smem")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"block", "regs", "smem"}));
  const std::string group = "Hypothetical SM (textbook formula)";
  app.add_option("--sm-smem", options->sm_shared, "its shared memory")
      ->type_name("BYTES")
      ->group(group);
  app.add_option("--sm-warps", options->sm_warps, "warps it holds; 64 where left out")
      ->check(CLI::PositiveNumber)
      ->group(group);
  app.add_option("--sm-blocks", options->sm_blocks, "blocks it holds; 32 where left out")
      ->check(CLI::PositiveNumber)
      ->group(group);
  return [options](const Output& output) { return run(*options, output); };
}

}  // namespace tuner
