// A scope with a value for each name, for the tests of expr/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"

namespace tuner::expr {

// n 12, k 0, BM 64, TM 8, big INT64_MAX, small INT64_MIN, x 2.5, zero 0.0, on true, off false,
// dtype 'f32', op 'sum'.
class Names {
 public:
  Names();

  void add(std::string_view name, const Value& value);
  void set(std::string_view name, const Value& value);

  const Scope& scope() const { return scope_; }
  const std::vector<Cell>& cells() const { return cells_; }
  int slot(std::string_view name) const { return *scope_.find(name); }

  Expression compile(std::string_view text) const { return Expression::compile(text, scope_); }
  Value value(std::string_view text) const { return compile(text).value(cells_); }

 private:
  Scope scope_;
  std::vector<Cell> cells_;
};

inline Names::Names() {
  add("n", std::int64_t{12});
  add("k", std::int64_t{0});
  add("BM", std::int64_t{64});
  add("TM", std::int64_t{8});
  add("big", std::int64_t{INT64_MAX});
  add("small", std::int64_t{INT64_MIN});
  add("x", 2.5);
  add("zero", 0.0);
  add("on", true);
  add("off", false);
  add("dtype", std::string("f32"));
  add("op", std::string("sum"));
}

inline void Names::add(std::string_view name, const Value& value) {
  scope_.add(name, type_of(value));
  cells_.push_back(scope_.encode(value, type_of(value)));
}

inline void Names::set(std::string_view name, const Value& value) {
  const int at = slot(name);
  cells_[static_cast<std::size_t>(at)] = scope_.encode(value, scope_.type(at));
}

}  // namespace tuner::expr
