#include "tuner/runtime/choosing.h"

#include <fmt/format.h>

#include <utility>

#include "expr/error.h"
#include "tuner/select/query.h"

namespace tuner::runtime {
namespace {

Rung rung_of(tuner::Rung rung) {
  switch (rung) {
    case tuner::Rung::exact:
      return Rung::exact;
    case tuner::Rung::nearest_size:
      return Rung::nearest_size;
    case tuner::Rung::same_capability:
      return Rung::same_capability;
    case tuner::Rung::none:
      break;
  }
  return Rung::fallback;
}

Selection describe(const tuner::Kernel& kernel, const search::Config& config) {
  Selection selection;
  selection.config = kernel.space().id(config);
  for (const auto& [name, value] : named_values(kernel, config)) {
    selection.values.emplace_back(name, to_string(value));
  }
  selection.problem = to_string(kernel.problem());
  return selection;
}

}  // namespace

Chosen choose(const tuner::Kernel& kernel, const std::vector<std::filesystem::path>& folders,
              bool allow_stale) {
  LookupQuery query = lookup_query(kernel, "");
  query.allow_stale = allow_stale;
  LookupAnswer answer = lookup(folders, query);
  if (!answer.entry) {
    Chosen chosen = choose_fallback(kernel);
    chosen.warnings = std::move(answer.warnings);
    return chosen;
  }
  const TunedEntry& entry = *answer.entry;
  search::Config config = kernel.space().from_values(entry.winner.config);
  Selection selection = describe(kernel, config);
  selection.rung = rung_of(answer.rung);
  selection.tuned_problem = to_string(entry.problem);
  selection.tuned_device = entry.device.name;
  selection.tuned_ns = entry.winner.time_ns;
  selection.file = answer.file;
  selection.stale = answer.stale;
  return {kernel, std::move(config), std::move(selection), std::move(answer.warnings)};
}

Chosen choose_fallback(const tuner::Kernel& kernel) {
  const auto config = kernel.space().nearest_valid_to_default();
  if (!config) {
    throw TunerError(
        fmt::format("{}: no configuration is valid for {} on {}; tuner space {} tells which "
                    "constraints exclude them",
                    kernel.description().name, to_string(kernel.problem()), kernel.device().name,
                    kernel.description().name),
        ExitCode::no_valid_config);
  }
  return {kernel, *config, describe(kernel, *config), {}};
}

}  // namespace tuner::runtime
