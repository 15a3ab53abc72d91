#include "search/visit_plan.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "search/conjuncts.h"
#include "search/random_index.h"
#include "search/visit_order.h"

namespace tuner::search {
namespace {

constexpr std::size_t kTableEntries = std::size_t{1} << 16U;
// Where far more checks are expected than a table has entries, it may take this much.
constexpr std::size_t kLargeTableEntries = std::size_t{1} << 22U;
constexpr std::size_t kRatePoints = 1024;  // from which a pass rate is estimated
constexpr double kEvaluationCost = 20;     // against 1 for looking up and moving on
constexpr std::size_t kFewestLanes = 6;    // below this, one at a time is faster

Verdict evaluate(const expr::Expression& condition, std::span<const expr::Cell> cells) {
  try {
    return condition.boolean(cells) ? kHolds : kFails;
  } catch (const expr::ExpressionError&) {
    return kErrs;
  }
}

}  // namespace

VisitPlan::VisitPlan(std::shared_ptr<const expr::Scope> scope, std::vector<expr::Cell> cells,
                     const std::vector<Parameter>& parameters,
                     const std::vector<Constraint>& constraints)
    : scope_(std::move(scope)), cells_(std::move(cells)) {
  cells_.resize(std::max(cells_.size(), static_cast<std::size_t>(scope_->size())), expr::Cell{0});
  for (const Parameter& parameter : parameters) {
    slots_.push_back(parameter.slot);
    std::vector<expr::Cell>& encoded = encoded_.emplace_back();
    for (const Value& value : parameter.values) {
      encoded.push_back(scope_->encode(value, scope_->type(parameter.slot)));
    }
  }
  split_constraints(constraints);
  settle_constants();
  schedule();
}

std::vector<std::size_t> VisitPlan::parameters_of(const expr::Expression& condition) const {
  std::vector<std::size_t> parameters;
  for (const int slot : condition.slots()) {
    const auto found = std::find(slots_.begin(), slots_.end(), slot);
    if (found != slots_.end()) parameters.push_back(found - slots_.begin());
  }
  return parameters;
}

void VisitPlan::split_constraints(const std::vector<Constraint>& constraints) {
  for (const Constraint& constraint : constraints) {
    originals_.push_back(constraint.holds);
    for (expr::Expression& part : conjuncts(constraint.holds, *scope_)) {
      conditions_.push_back(std::move(part));
    }
  }
}

void VisitPlan::settle_constants() {
  const auto is_constant = [&](const expr::Expression& e) { return parameters_of(e).empty(); };
  for (const expr::Expression& condition : conditions_) {
    if (is_constant(condition) && evaluate(condition, cells_) == kFails) never_ = true;
  }
  if (never_) return;
  for (const expr::Expression& original : originals_) {
    if (is_constant(original)) original.boolean(cells_);  // throws its error
  }
}

double VisitPlan::pass_rate(const expr::Expression& condition,
                            const std::vector<std::size_t>& parameters) const {
  std::mt19937_64 random(parameters.size());
  std::vector<expr::Cell> cells = cells_;
  std::size_t passed = 0;
  for (std::size_t point = 0; point < kRatePoints; ++point) {
    for (const std::size_t parameter : parameters) {
      bind(parameter, random_index(random, values_of(parameter)), cells);
    }
    if (evaluate(condition, cells) != kFails) ++passed;
  }
  return (static_cast<double>(passed) + 0.5) / (kRatePoints + 1);
}

void VisitPlan::schedule() {
  std::vector<std::size_t> sizes(encoded_.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = values_of(i);
  std::vector<Binding> bindings;
  for (const expr::Expression& condition : conditions_) {
    std::vector<std::size_t> parameters = parameters_of(condition);
    if (parameters.empty()) continue;
    double points = 1;
    for (const std::size_t parameter : parameters) points *= static_cast<double>(sizes[parameter]);
    const double rate = pass_rate(condition, parameters);
    bindings.push_back(
        {std::move(parameters), rate, points <= kLargeTableEntries ? 1 : kEvaluationCost});
  }
  order_ = choose_order(sizes, bindings);
  checks_.resize(order_.size());
  add_checks(expected_points(order_, sizes, bindings));
}

void VisitPlan::add_checks(std::span<const double> expected_points) {
  const std::vector<std::size_t> depth_of = depths_of(order_);
  for (const expr::Expression& condition : conditions_) {
    std::vector<std::size_t> parameters = parameters_of(condition);
    if (parameters.empty()) {
      // Where it errs, it is part of a constraint that may never come to it: check that everywhere.
      if (order_.empty() || evaluate(condition, cells_) != kErrs) continue;
      parameters = {order_.front()};
    }
    std::sort(parameters.begin(), parameters.end(),
              [&](std::size_t a, std::size_t b) { return depth_of[a] < depth_of[b]; });
    const std::size_t depth = depth_of[parameters.back()];
    Check check{&condition, std::move(parameters), {}, {}};
    check.table.resize(table_size(check.parameters, expected_points[depth]));
    if (!check.table.empty()) {
      fill_table(check);
      add_projections(check, depth_of);
    }
    checks_[depth].push_back(std::move(check));
  }
}

// 0 where there are too many entries, or too many for so many checks.
std::size_t VisitPlan::table_size(std::span<const std::size_t> parameters, double checks) const {
  const double most = std::clamp(checks / 2, double{kTableEntries}, double{kLargeTableEntries});
  double entries = 1;
  for (const std::size_t parameter : parameters) {
    entries *= static_cast<double>(values_of(parameter));
  }
  return entries <= most ? static_cast<std::size_t>(entries) : 0;
}

void VisitPlan::fill_table(Check& check) const {
  check.strides.assign(check.parameters.size(), 1);
  for (std::size_t i = check.strides.size(); i-- > 1;) {
    check.strides[i - 1] = check.strides[i] * values_of(check.parameters[i]);
  }
  std::vector<expr::Cell> cells = cells_;
  std::vector<Verdict> row;
  const std::size_t width = values_of(check.parameters.back());
  for (std::size_t begin = 0; begin < check.table.size(); begin += width) {
    for (std::size_t i = 0; i + 1 < check.parameters.size(); ++i) {
      const std::size_t parameter = check.parameters[i];
      bind(parameter, begin / check.strides[i] % values_of(parameter), cells);
    }
    row.assign(width, kHolds);
    evaluate_values(*check.condition, check.parameters.back(), cells, row);
    std::copy(row.begin(), row.end(), check.table.begin() + begin);
  }
}

void VisitPlan::add_projections(const Check& check, std::span<const std::size_t> depth_of) {
  std::vector<std::size_t> parameters = check.parameters;
  std::vector<std::size_t> strides = check.strides;
  std::vector<Verdict> table = check.table;
  while (parameters.size() > 1) {
    const std::size_t width = values_of(parameters.back());
    parameters.pop_back();
    strides.pop_back();
    for (std::size_t& stride : strides) stride /= width;
    std::vector<Verdict> shorter(table.size() / width, kFails);
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i] != kFails) shorter[i / width] = kHolds;
    }
    table = std::move(shorter);
    if (std::find(table.begin(), table.end(), kFails) == table.end()) return;
    checks_[depth_of[parameters.back()]].push_back({nullptr, parameters, strides, table});
  }
}

void VisitPlan::verdicts(std::size_t depth, const Config& config, std::vector<expr::Cell>& cells,
                         std::vector<Verdict>& out) const {
  const std::size_t own = order_[depth];
  out.assign(values_of(own), kHolds);
  for (const Check& check : checks_[depth]) {
    if (check.table.empty()) continue;
    std::size_t row = 0;
    for (std::size_t i = 0; i + 1 < check.parameters.size(); ++i) {
      row += config.choice[check.parameters[i]] * check.strides[i];
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] &= check.table[row + i];
  }
  for (const Check& check : checks_[depth]) {
    if (check.table.empty()) evaluate_values(*check.condition, own, cells, out);
  }
}

void VisitPlan::evaluate_values(const expr::Expression& condition, std::size_t parameter,
                                std::vector<expr::Cell>& cells, std::vector<Verdict>& out) const {
  for (std::size_t begin = 0; begin < out.size(); begin += expr::kLanes) {
    const std::size_t end = std::min(out.size(), begin + expr::kLanes);
    const auto alive = std::count_if(out.begin() + begin, out.begin() + end,
                                     [](Verdict verdict) { return verdict != kFails; });
    if (static_cast<std::size_t>(alive) >= kFewestLanes &&
        evaluate_block(condition, parameter, begin, cells, out)) {
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (out[i] == kFails) continue;
      bind(parameter, i, cells);
      out[i] &= evaluate(condition, cells);
    }
  }
}

// False where some value errs, with `out` as it was.
bool VisitPlan::evaluate_block(const expr::Expression& condition, std::size_t parameter,
                               std::size_t begin, std::vector<expr::Cell>& cells,
                               std::vector<Verdict>& out) const {
  const std::vector<expr::Cell>& values = encoded_[parameter];
  const std::size_t count = std::min<std::size_t>(expr::kLanes, out.size() - begin);
  std::array<std::array<expr::Cell, expr::kLanes>, 1> lanes;
  for (std::size_t lane = 0; lane < expr::kLanes; ++lane) {
    lanes[0][lane] = values[begin + std::min(lane, count - 1)];
  }
  const std::array<int, 1> varying = {slots_[parameter]};
  std::array<expr::Cell, expr::kLanes> result;
  try {
    condition.evaluate_lanes(cells, varying, lanes, result);
  } catch (const expr::ExpressionError&) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) out[begin + i] &= result[i].i != 0 ? kHolds : kFails;
  return true;
}

bool VisitPlan::holds(const Config& config) const {
  if (never_) return false;
  std::vector<expr::Cell> cells = cells_;
  for (std::size_t i = 0; i < slots_.size(); ++i) bind(i, config.choice[i], cells);
  Verdict verdict = kHolds;
  for (const std::vector<Check>& checks : checks_) {
    for (const Check& check : checks) {
      if (check.condition == nullptr) continue;
      if (check.table.empty()) {
        verdict &= evaluate(*check.condition, cells);
      } else {
        std::size_t entry = 0;
        for (std::size_t i = 0; i < check.parameters.size(); ++i) {
          entry += config.choice[check.parameters[i]] * check.strides[i];
        }
        verdict &= check.table[entry];
      }
      if (verdict == kFails) return false;
    }
  }
  if (verdict == kErrs) throw_error(config);
  return true;
}

void VisitPlan::throw_error(const Config& config) const {
  std::vector<expr::Cell> cells = cells_;
  for (std::size_t i = 0; i < slots_.size(); ++i) bind(i, config.choice[i], cells);
  for (const expr::Expression& original : originals_) original.boolean(cells);
  throw TunerError("a constraint could not be evaluated");  // unreachable: see conjuncts()
}

}  // namespace tuner::search
