// The set of configurations: parameters with their values, and the constraints that bind them.
// Knows names and numbers, nothing of GPUs. Immutable after construction; safe to read from several
// threads.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "expr/expression.h"
#include "expr/value.h"

namespace tuner::search {

struct Parameter {
  std::string name;
  int slot = -1;              // the scope's slot of this name
  std::vector<Value> values;  // distinct, all of one type, in declared order; never empty
  std::size_t default_index = 0;
  // Boolean. Where it is false the parameter has no meaning, and a constraint of the space holds it
  // at its default.
  std::optional<expr::Expression> when = {};
};

// Whether the parameter means something where `cells` are the scope's. True of a point where its
// condition cannot be evaluated, which is not valid.
bool has_meaning(const Parameter& parameter, std::span<const expr::Cell> cells);

struct Constraint {
  expr::Expression holds;  // boolean
  std::string reason;      // why it is there, for tallies: "block over 1024 threads"
};

// One point: an index into each parameter's values, in the space's parameter order.
struct Config {
  std::vector<std::uint16_t> choice;
  bool operator==(const Config&) const = default;
  auto operator<=>(const Config& other) const { return choice <=> other.choice; }
};
struct ConfigHash {
  std::size_t operator()(const Config& config) const noexcept;
};

class VisitPlan;
class Walk;

class Space {
 public:
  // `cells` holds the fixed names of the scope (problem axes, device limits); the slots of
  // parameters are overwritten while configurations are visited. A constraint that uses no
  // parameter is checked at once and makes the space empty where it is false. The scope must
  // outlive the space. A constraint that cannot be evaluated at a point (say, division by zero)
  // does no harm where another one is false there; elsewhere whoever comes to that point throws its
  // ExpressionError, whose text is the constraint's. The constructor throws that of a constraint
  // that uses no parameter, and TunerError where a parameter has no values or more than a Config
  // can number.
  Space(std::shared_ptr<const expr::Scope> scope, std::vector<expr::Cell> cells,
        std::vector<Parameter> parameters, std::vector<Constraint> constraints);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  std::optional<std::size_t> find_parameter(std::string_view name) const;

  double cartesian() const;  // number of points without constraints
  // Visits every valid configuration, in an order that is the same on each call; constraints are
  // checked as soon as their names are bound. Stops where `visit` returns false. Memory does not
  // grow with the number of configurations.
  void for_each(const std::function<bool(const Config&)>& visit) const;
  // The same visit, one configuration at a time (search/walk.h).
  Walk walk() const;
  std::uint64_t count(std::uint64_t limit = std::numeric_limits<std::uint64_t>::max()) const;
  // The first `limit` valid configurations.
  std::vector<Config> materialize(
      std::size_t limit = std::numeric_limits<std::size_t>::max()) const;
  // Up to n distinct valid configurations drawn at random without visiting the whole space (fewer
  // where the space holds fewer, or where `n` cannot be found in bounded time).
  std::vector<Config> sample(std::size_t n, std::mt19937_64& random) const;
  // Valid configurations that differ in one parameter, and in those that lose their meaning by it,
  // which go to their defaults. Adjacent values only, or any value.
  enum class Reach { adjacent, any };
  std::vector<Config> neighbors(const Config& config, Reach reach) const;

  bool contains(const Config& config) const;
  // The first constraint that `config` breaks, as a reason; nullopt where it is valid.
  std::optional<std::string> violation(const Config& config) const;
  Config default_config() const;  // every parameter at its default; may be invalid: see contains()
  // The valid configuration that keeps most parameters at their defaults; nullopt in an empty
  // space.
  std::optional<Config> nearest_valid_to_default() const;

  const Value& value(const Config& config, std::size_t parameter) const;
  // The scope's cells with this configuration's values filled in, for evaluating expressions.
  std::vector<expr::Cell> cells(const Config& config) const;
  void fill_cells(const Config& config, std::span<expr::Cell> cells) const;
  // "BM128.BN64.BK16": parameter names with their values. What is not a number stands after '='
  // ("algo=tiled"), as does any value of a name that ends in a digit ("tile2=8"). Parameters
  // without a meaning there are left out. No two valid configurations have the same.
  std::string id(const Config& config) const;
  // The configuration with these values by parameter name; others at default. Throws TunerError
  // naming an unknown parameter (with the nearest known) or a value that is not in the list (with
  // the list).
  Config from_values(std::span<const std::pair<std::string, Value>> values) const;
  // The same space with `parameter` narrowed to `values` (each must be in its list; the default
  // moves to the first of them where it is gone). Declared order stays. Throws TunerError like
  // from_values.
  Space narrowed(std::string_view parameter, std::span<const Value> values) const;

 private:
  void settle(Config& config) const;  // what has no meaning, to its default

  std::shared_ptr<const expr::Scope> scope_;
  std::vector<expr::Cell> cells_;
  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
  std::shared_ptr<const VisitPlan>
      plan_;  // visiting order, and which constraints are complete at each depth
};

}  // namespace tuner::search
