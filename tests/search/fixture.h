// Spaces in a line or two.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search/space.h"

namespace tuner::search {

struct Axis {
  std::string name;
  std::vector<Value> values;
  std::size_t default_index = 0;
};

inline std::vector<Value> integers(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

inline std::vector<Value> range(std::int64_t first, std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t i = first; i <= last; ++i) values.emplace_back(i);
  return values;
}

// Each constraint's text is its reason. `fixed` are names of one value, such as a device's limits.
inline Space make_space(const std::vector<Axis>& axes, const std::vector<std::string>& constraints,
                        const std::vector<std::pair<std::string, std::int64_t>>& fixed = {}) {
  const auto scope = std::make_shared<expr::Scope>();
  std::vector<expr::Cell> cells;
  for (const auto& [name, value] : fixed) {
    scope->add(name, Type::integer);
    cells.push_back({value});
  }
  std::vector<Parameter> parameters;
  for (const Axis& axis : axes) {
    const int slot = scope->add(axis.name, type_of(axis.values.front()));
    parameters.push_back({axis.name, slot, axis.values, axis.default_index});
  }
  std::vector<Constraint> compiled;
  compiled.reserve(constraints.size());
  for (const std::string& text : constraints) {
    compiled.push_back({expr::Expression::compile(text, *scope), text});
  }
  return {scope, std::move(cells), std::move(parameters), std::move(compiled)};
}

}  // namespace tuner::search
