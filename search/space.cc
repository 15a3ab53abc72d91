#include "search/space.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "search/visit_plan.h"
#include "search/walk.h"

namespace tuner::search {
namespace {

void check_values(const Parameter& parameter) {
  constexpr std::size_t kMostValues = std::numeric_limits<std::uint16_t>::max();
  if (parameter.values.empty() || parameter.values.size() > kMostValues) {
    throw TunerError(fmt::format("parameter '{}' has {} values; it needs 1 to {}", parameter.name,
                                 parameter.values.size(), kMostValues));
  }
  if (parameter.default_index >= parameter.values.size()) {
    throw TunerError(fmt::format("parameter '{}' has no value number {} for its default",
                                 parameter.name, parameter.default_index));
  }
}

}  // namespace

std::size_t ConfigHash::operator()(const Config& config) const noexcept {
  return XXH3_64bits(config.choice.data(), config.choice.size() * sizeof(config.choice[0]));
}

Space::Space(std::shared_ptr<const expr::Scope> scope, std::vector<expr::Cell> cells,
             std::vector<Parameter> parameters, std::vector<Constraint> constraints)
    : scope_(std::move(scope)),
      cells_(std::move(cells)),
      parameters_(std::move(parameters)),
      constraints_(std::move(constraints)) {
  for (const Parameter& parameter : parameters_) check_values(parameter);
  plan_ = std::make_shared<const VisitPlan>(scope_, cells_, parameters_, constraints_);
  cells_ = plan_->base_cells();
}

std::optional<std::size_t> Space::find_parameter(std::string_view name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  if (found == parameters_.end()) return std::nullopt;
  return found - parameters_.begin();
}

double Space::cartesian() const {
  double points = 1;
  for (const Parameter& parameter : parameters_) {
    points *= static_cast<double>(parameter.values.size());
  }
  return points;
}

Walk Space::walk() const { return Walk(plan_); }

void Space::for_each(const std::function<bool(const Config&)>& visit) const {
  Walk walk(plan_);
  while (walk.next()) {
    if (!visit(walk.config())) return;
  }
}

std::uint64_t Space::count(std::uint64_t limit) const {
  Walk walk(plan_);
  std::uint64_t found = 0;
  while (found < limit && walk.next()) ++found;
  return found;
}

std::vector<Config> Space::materialize(std::size_t limit) const {
  Walk walk(plan_);
  std::vector<Config> configs;
  while (configs.size() < limit && walk.next()) configs.push_back(walk.config());
  return configs;
}

// Each pass may take the meaning from what another parameter's meaning hangs on.
void Space::settle(Config& config) const {
  if (std::none_of(parameters_.begin(), parameters_.end(),
                   [](const Parameter& parameter) { return parameter.when.has_value(); })) {
    return;
  }
  for (std::size_t pass = 0; pass < parameters_.size(); ++pass) {
    const std::vector<expr::Cell> bound = cells(config);
    bool changed = false;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto standard = static_cast<std::uint16_t>(parameters_[i].default_index);
      if (config.choice[i] == standard || has_meaning(parameters_[i], bound)) continue;
      config.choice[i] = standard;
      changed = true;
    }
    if (!changed) return;
  }
}

std::vector<Config> Space::neighbors(const Config& config, Reach reach) const {
  std::vector<Config> found;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const int here = config.choice[i];
    const int last = static_cast<int>(parameters_[i].values.size()) - 1;
    const int from = reach == Reach::any ? 0 : std::max(0, here - 1);
    const int to = reach == Reach::any ? last : std::min(last, here + 1);
    for (int choice = from; choice <= to; ++choice) {
      if (choice == here) continue;
      Config other = config;
      other.choice[i] = static_cast<std::uint16_t>(choice);
      settle(other);
      if (other != config && plan_->holds(other)) found.push_back(std::move(other));
    }
  }
  return found;
}

bool Space::contains(const Config& config) const {
  if (config.choice.size() != parameters_.size()) return false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (config.choice[i] >= parameters_[i].values.size()) return false;
  }
  return plan_->holds(config);
}

std::optional<std::string> Space::violation(const Config& config) const {
  const std::vector<expr::Cell> bound = cells(config);
  const Constraint* erring = nullptr;
  for (const Constraint& constraint : constraints_) {
    try {
      if (!constraint.holds.boolean(bound)) return constraint.reason;
    } catch (const expr::ExpressionError&) {
      if (erring == nullptr) erring = &constraint;
    }
  }
  if (plan_->holds(config)) return std::nullopt;  // throws where the error counts
  // Some part of a constraint is false though an earlier part of the same constraint errs.
  return erring != nullptr ? erring->reason : std::string();
}

Config Space::default_config() const {
  Config config;
  for (const Parameter& parameter : parameters_) {
    config.choice.push_back(static_cast<std::uint16_t>(parameter.default_index));
  }
  return config;
}

const Value& Space::value(const Config& config, std::size_t parameter) const {
  return parameters_[parameter].values[config.choice[parameter]];
}

std::vector<expr::Cell> Space::cells(const Config& config) const {
  std::vector<expr::Cell> bound = cells_;
  fill_cells(config, bound);
  return bound;
}

void Space::fill_cells(const Config& config, std::span<expr::Cell> cells) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) plan_->bind(i, config.choice[i], cells);
}

}  // namespace tuner::search
