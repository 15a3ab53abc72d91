// How a space is visited: the order in which parameters are bound, and what is checked at each
// depth. Constraints over few points are kept as tables, so that the inner loop only looks them up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expr/expression.h"
#include "search/space.h"

namespace tuner::search {

// What a constraint says of a point. `&` of two is what they say together: false wins, and an error
// counts only where nothing is false. So a constraint may guard another, wherever the two stand.
using Verdict = std::uint8_t;
inline constexpr Verdict kFails = 0;
inline constexpr Verdict kErrs = 2;
inline constexpr Verdict kHolds = 3;

// Immutable after construction; safe to read from several threads. Holds all that it needs but the
// scope's strings, which `scope` keeps alive.
class VisitPlan {
 public:
  // Throws ExpressionError where a constraint without parameters cannot be evaluated.
  VisitPlan(std::shared_ptr<const expr::Scope> scope, std::vector<expr::Cell> cells,
            const std::vector<Parameter>& parameters, const std::vector<Constraint>& constraints);

  bool never() const { return never_; }  // a constraint without parameters is false
  std::size_t depths() const { return order_.size(); }
  std::size_t parameter_at(std::size_t depth) const { return order_[depth]; }
  std::size_t values_of(std::size_t parameter) const { return encoded_[parameter].size(); }
  const std::vector<expr::Cell>& base_cells() const { return cells_; }
  void bind(std::size_t parameter, std::size_t choice, std::span<expr::Cell> cells) const {
    cells[slots_[parameter]] = encoded_[parameter][choice];
  }

  // The verdict on each value of the parameter at `depth`, with the parameters above it bound in
  // both `config` and `cells`. Overwrites the cell of that parameter.
  void verdicts(std::size_t depth, const Config& config, std::vector<expr::Cell>& cells,
                std::vector<Verdict>& out) const;
  // Whether every constraint holds. Throws ExpressionError where one errs and none is false.
  bool holds(const Config& config) const;
  // Throws the error that some constraint has on `config`.
  [[noreturn]] void throw_error(const Config& config) const;

 private:
  // One conjunct, or what its table says of the first few of its parameters: whether any values of
  // the rest satisfy it.
  struct Check {
    const expr::Expression* condition = nullptr;  // null for a projection
    std::vector<std::size_t> parameters;          // in visiting order: the last is the depth's own
    std::vector<std::size_t> strides;             // of the table; the last is 1
    std::vector<Verdict> table;                   // empty where the condition is evaluated
  };

  std::vector<std::size_t> parameters_of(const expr::Expression& condition) const;
  void split_constraints(const std::vector<Constraint>& constraints);
  void settle_constants();
  double pass_rate(const expr::Expression& condition,
                   const std::vector<std::size_t>& parameters) const;
  void schedule();
  void add_checks(std::span<const double> expected_points);
  std::size_t table_size(std::span<const std::size_t> parameters, double checks) const;
  void fill_table(Check& check) const;
  void add_projections(const Check& check, std::span<const std::size_t> depth_of);
  void evaluate_values(const expr::Expression& condition, std::size_t parameter,
                       std::vector<expr::Cell>& cells, std::vector<Verdict>& out) const;
  bool evaluate_block(const expr::Expression& condition, std::size_t parameter, std::size_t begin,
                      std::vector<expr::Cell>& cells, std::vector<Verdict>& out) const;

  std::shared_ptr<const expr::Scope> scope_;
  std::vector<expr::Cell> cells_;
  std::vector<int> slots_;                        // of each parameter
  std::vector<std::vector<expr::Cell>> encoded_;  // values of each parameter
  std::vector<expr::Expression> originals_;       // as declared, for their errors
  std::vector<expr::Expression> conditions_;      // split; not changed once scheduled
  std::vector<std::size_t> order_;
  std::vector<std::vector<Check>> checks_;  // by depth
  bool never_ = false;
};

}  // namespace tuner::search
