#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "expr/error.h"
#include "models/occupancy.h"
#include "tuner/pipeline/main_launch.h"
#include "tuner/pipeline/study.h"

namespace tuner {
namespace {

using search::Config;
using search::Space;

Config base_of(const Kernel& kernel) {
  const Space& space = kernel.space();
  if (space.contains(space.default_config())) return space.default_config();
  if (const auto nearest = space.nearest_valid_to_default()) return *nearest;
  throw TunerError(fmt::format("{}: no configuration is valid for this problem and device",
                               kernel.description().name),
                   ExitCode::no_valid_config);
}

// `base` with another value of one parameter; nullopt where that is not valid.
std::optional<Config> with_choice(const Space& space, const Config& base, std::size_t parameter,
                                  std::size_t choice) {
  Config config = base;
  config.choice[parameter] = static_cast<std::uint16_t>(choice);
  return space.contains(config) ? std::optional(config) : std::nullopt;
}

std::vector<Config> variants(const Space& space, const Config& base,
                             std::optional<std::size_t> parameter) {
  if (!parameter) return {base};
  std::vector<Config> configs;
  for (std::size_t i = 0; i < space.parameters()[*parameter].values.size(); ++i) {
    if (auto config = with_choice(space, base, *parameter, i)) configs.push_back(*config);
  }
  return configs;
}

struct Effect {
  double ilp = 1;      // largest over smallest, of what the parameter's values make
  double threads = 1;  // likewise, threads a block
  double width = 1;    // likewise, bytes of the widest global load
};

double widest_load(const models::LaunchShape& launch) {
  double widest = 0;
  for (const models::MemoryAccess& access : launch.accesses) {
    if (!access.shared && !access.store) widest = std::max<double>(widest, access.width_bytes);
  }
  return widest;
}

Effect effect_of(const Kernel& kernel, const Config& base, std::size_t parameter) {
  double least_ilp = INFINITY, most_ilp = 0, least = INFINITY, most = 0;
  double narrow = INFINITY, wide = 0;
  for (const Config& config : variants(kernel.space(), base, parameter)) {
    const models::KernelShape shape = kernel.shape(config);
    if (shape.launches.empty()) continue;
    const models::LaunchShape& launch = shape.launches[main_launch(shape)];
    least_ilp = std::min(least_ilp, launch.ilp);
    most_ilp = std::max(most_ilp, launch.ilp);
    least = std::min<double>(least, launch.threads);
    most = std::max<double>(most, launch.threads);
    narrow = std::min(narrow, widest_load(launch));
    wide = std::max(wide, widest_load(launch));
  }
  return {most_ilp / least_ilp, most / least, narrow > 0 ? wide / narrow : 1};
}

std::optional<std::size_t> named(const Kernel& kernel, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto found = kernel.space().find_parameter(name);
  if (found) return found;
  std::vector<std::string> known;
  for (const auto& parameter : kernel.space().parameters()) known.push_back(parameter.name);
  throw TunerError(fmt::format("{} has no parameter \"{}\"; it has {}", kernel.description().name,
                               name, fmt::join(known, ", ")));
}

// The one that changes most of `what` and nothing of `other`; else the one that changes most.
std::optional<std::size_t> most_effective(const Kernel& kernel, const Config& base,
                                          double Effect::*what, double Effect::*other) {
  std::optional<std::size_t> best;
  double most = 1;
  for (std::size_t i = 0; i < kernel.space().parameters().size(); ++i) {
    const Effect effect = effect_of(kernel, base, i);
    constexpr double kPure = 1000;  // before all that change both
    const double worth = effect.*what <= 1 ? 1 : effect.*what * (effect.*other > 1 ? 1 : kPure);
    if (!(worth > most)) continue;
    most = worth;
    best = i;
  }
  return best;
}

// Blocks a SM for ballast: all below `natural` where there are few, else about a factor of 1.4
// apart.
std::vector<int> ballast_steps(int natural) {
  std::vector<int> steps;
  for (int blocks = natural - 1; blocks >= 1;) {
    steps.push_back(blocks);
    blocks = blocks <= 8 ? blocks - 1 : static_cast<int>(blocks / 1.4);
  }
  return steps;
}

void add_ballast(const Kernel& kernel, const Config& config, StudyPlan& plan) {
  const models::KernelShape shape = kernel.shape(config);
  if (shape.launches.empty()) return;
  const models::Estimate estimate = models::estimate(kernel.device(), shape);
  const std::size_t launch = main_launch(shape);
  if (launch >= estimate.occupancy.size()) return;
  for (const int blocks : ballast_steps(estimate.occupancy[launch].blocks_per_sm)) {
    plan.settings.push_back({Knob::ballast, config, blocks, 0});
  }
}

std::optional<std::size_t> register_parameter(const Kernel& kernel) {
  for (const ParameterSpec& spec : kernel.description().parameters) {
    if (spec.role == "maxrregcount" || spec.role == "min_blocks_per_sm") {
      return kernel.space().find_parameter(spec.name);
    }
  }
  return std::nullopt;
}

// By the kernel's own parameter where it has one, else by the compiler's option.
void add_registers(const Kernel& kernel, const Config& config, StudyPlan& plan) {
  if (const auto parameter = register_parameter(kernel)) {
    for (const Config& variant : variants(kernel.space(), config, parameter)) {
      if (variant != config) plan.settings.push_back({Knob::registers, variant, 0, 0});
    }
    return;
  }
  for (const int limit : {16, 24, 32, 40, 64, 128}) {
    plan.settings.push_back({Knob::registers, config, 0, limit});
  }
}

// One width after the other, with as many loads a thread and as many warps a SM as there may be.
void add_widths(const Kernel& kernel, const Config& base, std::optional<std::size_t> width,
                std::optional<std::size_t> ilp, StudyPlan& plan) {
  for (const Config& of_width : variants(kernel.space(), base, width)) {
    for (const Config& config : variants(kernel.space(), of_width, ilp)) {
      plan.widths.push_back({Knob::vector_width, config, 0, 0});
    }
    const models::KernelShape shape = kernel.shape(of_width);
    const models::Estimate estimate = models::estimate(kernel.device(), shape);
    const std::size_t launch = main_launch(shape);
    if (launch >= estimate.occupancy.size()) continue;
    for (const int blocks : ballast_steps(estimate.occupancy[launch].blocks_per_sm)) {
      plan.widths.push_back({Knob::vector_width, of_width, blocks, 0});
    }
  }
}

}  // namespace

std::int64_t ballast_for(const models::DeviceProfile& device, const models::LaunchShape& launch,
                         int blocks) {
  models::BlockResources block{launch.threads, launch.registers.value_or(launch.min_registers),
                               launch.static_shared.value_or(0), launch.dynamic_shared};
  if (models::occupancy(device, block).blocks_per_sm <= blocks) return 0;
  constexpr std::int64_t kStep = 256;  // a multiple of every architecture's unit
  const std::int64_t share = device.shared_per_sm / blocks - device.reserved_shared_per_block;
  const std::int64_t room = std::min(share, device.shared_per_block_optin) / kStep * kStep;
  const std::int64_t ballast = room - block.static_shared - block.dynamic_shared;
  if (ballast <= 0) return -1;
  block.dynamic_shared += ballast;
  return models::occupancy(device, block).blocks_per_sm == blocks ? ballast : -1;
}

StudyPlan plan_study(const Kernel& kernel, const StudyOptions& options) {
  const Config base = base_of(kernel);
  std::optional<std::size_t> ilp = named(kernel, options.ilp);
  std::optional<std::size_t> block = named(kernel, options.block);
  if (!ilp) ilp = most_effective(kernel, base, &Effect::ilp, &Effect::threads);
  if (!block) block = most_effective(kernel, base, &Effect::threads, &Effect::ilp);
  if (block == ilp) block = std::nullopt;
  std::optional<std::size_t> width = named(kernel, options.width);
  if (!width && bound_by_memory(kernel))
    width = most_effective(kernel, base, &Effect::width, &Effect::threads);
  if (width == block || width == ilp) width = std::nullopt;
  StudyPlan plan;
  if (ilp) plan.ilp_parameter = kernel.space().parameters()[*ilp].name;
  if (block) plan.block_parameter = kernel.space().parameters()[*block].name;
  for (const Config& of_ilp : variants(kernel.space(), base, ilp)) {
    for (const Config& config : variants(kernel.space(), of_ilp, block)) {
      plan.settings.push_back({Knob::block_size, config, 0, 0});
    }
    add_ballast(kernel, of_ilp, plan);
    add_registers(kernel, of_ilp, plan);
  }
  if (width) {
    plan.width_parameter = kernel.space().parameters()[*width].name;
    add_widths(kernel, base, width, ilp, plan);
  }
  return plan;
}

}  // namespace tuner
