#include "tuner/pipeline/exporting.h"

#include <fmt/format.h>

#include <algorithm>

#include "expr/error.h"
#include "models/architecture.h"
#include "tuner/pipeline/keep.h"
#include "tuner/store/result_store.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

bool is_size(const Axis& axis) { return axis.kind == Axis::Kind::size; }

class Gatherer {
 public:
  Gatherer(const KernelDescription& kernel, const ExportRequest& request,
           std::vector<std::string>& warnings)
      : kernel_(kernel), request_(request), warnings_(warnings), hash_(kernel_hash(kernel)) {}

  ExportedKernel gather() {
    ExportedKernel exported{kernel_, {}};
    for (const TunedEntry& entry : entries()) add(entry, exported);
    if (exported.configs.empty()) {
      throw TunerError(fmt::format(
          "{}: no usable results in {}{}{}; run tuner tune {}, or name another folder with "
          "--configs",
          kernel_.name, fmt::join(paths(), ", "), request_.gpus.empty() ? "" : " for these GPUs",
          warnings_.empty() ? "" : " (" + warnings_.back() + ")", kernel_.name));
    }
    add_fallbacks(exported);
    return exported;
  }

 private:
  std::vector<std::string> paths() const {
    std::vector<std::string> texts;
    for (const fs::path& folder : request_.folders) {
      texts.push_back((folder / kernel_.name).string());
    }
    return texts;
  }

  bool is_wanted(const fs::path& file) const {
    const auto& gpus = request_.gpus;
    return gpus.empty() || std::find(gpus.begin(), gpus.end(), file.stem()) != gpus.end();
  }

  // Of every key the first; of cold and warm, where either will do, the cold one.
  std::vector<TunedEntry> entries() const {
    std::vector<TunedEntry> found;
    for (const fs::path& folder : request_.folders) {
      for (const fs::path& file : ResultStore(folder).files_of(kernel_.name)) {
        if (!is_wanted(file)) continue;
        for (TunedEntry& entry : load_tuned_result(file).entries) take(std::move(entry), found);
      }
    }
    return found;
  }

  void take(TunedEntry entry, std::vector<TunedEntry>& found) const {
    const bool any = request_.cache == "any";
    if (!any && entry.cache != request_.cache) return;
    const auto same = std::find_if(found.begin(), found.end(), [&](const TunedEntry& other) {
      return same_gpu(other.device, entry.device) && same_values(other.problem, entry.problem);
    });
    if (same == found.end()) {
      found.push_back(std::move(entry));
    } else if (any && same->cache == "warm" && entry.cache == "cold") {
      *same = std::move(entry);
    }
  }

  models::DeviceProfile profile_of(const ResultDevice& device) const {
    const auto known =
        std::find_if(request_.profiles.begin(), request_.profiles.end(),
                     [&](const auto& profile) { return profile.name == device.name; });
    models::DeviceProfile profile =
        known != request_.profiles.end()
            ? *known
            : models::profile_for_architecture(device.compute_capability, request_.profiles);
    profile.name = device.name;
    profile.compute_capability = device.compute_capability;
    profile.sm_count = device.sm_count;
    profile.memory_bytes = device.memory_bytes;
    return profile;
  }

  void add(const TunedEntry& entry, ExportedKernel& exported) {
    const std::string what =
        fmt::format("{} {} on {}", kernel_.name, to_string(entry.problem), entry.device.name);
    if (entry.source_hash != hash_) {
      warnings_.push_back(what + " is left out: the kernel has changed since it was tuned");
      return;
    }
    try {
      exported.configs.push_back(exported_config(entry));
      defaults_.push_back(entry.default_config);
    } catch (const TunerError& error) {
      warnings_.push_back(fmt::format("{} is left out: {}", what, error.what()));
    }
  }

  ExportedConfig exported_config(const TunedEntry& entry) const {
    const Kernel kernel(kernel_, {entry.problem}, profile_of(entry.device));
    const search::Config config = kernel.space().from_values(entry.winner.config);
    if (const auto violation = kernel.space().violation(config)) throw TunerError(*violation);
    ExportedConfig one = describe(kernel, config, compiled_entries(entry.winner));
    one.cache = entry.cache;
    one.score = entry.winner;
    one.date = entry.date;
    one.cuda = entry.cuda;
    one.tool = entry.tool;
    return one;
  }

  static std::vector<CompiledEntry> compiled_entries(const MeasuredConfig& measured) {
    std::vector<CompiledEntry> entries;
    for (const CompiledKernel& one : measured.compiled) {
      entries.push_back({one.entry, one.entry, one.registers, one.static_shared, one.spill_bytes});
    }
    return entries;
  }

  ExportedConfig describe(const Kernel& kernel, const search::Config& config,
                          const std::vector<CompiledEntry>& compiled) const {
    ExportedConfig one;
    one.id = kernel.space().id(config);
    one.problem = kernel.problem().axes;
    one.config = named_values(kernel, config);
    one.device = kernel.device();
    one.source_hash = hash_;
    if (request_.code) one.code = kernel.code(config, compiled);
    one.build = kernel.build(config);
    return one;
  }

  bool same_kind(const NamedValues& a, const NamedValues& b) const {
    return std::all_of(kernel_.axes.begin(), kernel_.axes.end(), [&](const Axis& axis) {
      const Value* left = find_value(a, axis.name);
      const Value* right = find_value(b, axis.name);
      return is_size(axis) || (left != nullptr && right != nullptr && *left == *right);
    });
  }

  // One that knows what was compiled serves that architecture alone.
  bool is_fallback_for(const ExportedConfig& one, const ExportedConfig& tuned) const {
    const bool here =
        !one.code.uses_compiled || one.device.compute_capability == tuned.device.compute_capability;
    return one.fallback && here && same_kind(one.problem, tuned.problem);
  }

  void add_fallbacks(ExportedKernel& exported) const {
    const std::vector<ExportedConfig> tuned = exported.configs;
    for (std::size_t i = 0; i < tuned.size(); ++i) {
      const bool known = std::ranges::any_of(exported.configs, [&](const ExportedConfig& one) {
        return is_fallback_for(one, tuned[i]);
      });
      if (known) continue;
      const Kernel kernel(kernel_, {tuned[i].problem}, tuned[i].device);
      const auto config = kernel.space().nearest_valid_to_default();
      if (config) add_fallback(kernel, *config, defaults_[i], exported);
    }
  }

  void add_fallback(const Kernel& kernel, const search::Config& config,
                    const MeasuredConfig& measured, ExportedKernel& exported) const {
    const bool same = same_values(measured.config, named_values(kernel, config));
    try {
      exported.configs.push_back(describe(
          kernel, config, same ? compiled_entries(measured) : std::vector<CompiledEntry>{}));
      exported.configs.back().fallback = true;
    } catch (const TunerError& error) {
      std::string warning = fmt::format("{} has no fallback: {}", kernel_.name, error.what());
      if (std::ranges::find(warnings_, warning) == warnings_.end()) {
        warnings_.push_back(std::move(warning));
      }
    }
  }

  const KernelDescription& kernel_;
  const ExportRequest& request_;
  std::vector<std::string>& warnings_;
  std::string hash_;
  std::vector<MeasuredConfig> defaults_;  // of the results, as they are exported
};

}  // namespace

ExportOutcome gather_exports(const ExportRequest& request) {
  ExportOutcome outcome;
  for (const KernelDescription& kernel : request.kernels) {
    outcome.kernels.push_back(Gatherer(kernel, request, outcome.warnings).gather());
  }
  return outcome;
}

}  // namespace tuner
