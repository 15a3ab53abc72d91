#include "expr/expression.h"

#include <fmt/format.h>

#include <utility>

#include "expr/cpp_code.h"
#include "expr/evaluate.h"
#include "expr/parser.h"

namespace tuner::expr {

struct Expression::Impl {
  Program program;
};

Expression Expression::compile(std::string_view text, const Scope& scope) {
  Expression expression;
  expression.impl_ = std::make_shared<const Impl>(Impl{parse(text, scope)});
  return expression;
}

Type Expression::type() const { return impl_->program.type; }
const std::string& Expression::text() const { return impl_->program.text; }
std::span<const int> Expression::slots() const { return impl_->program.slots; }

Cell Expression::evaluate(std::span<const Cell> cells) const {
  return expr::evaluate(impl_->program, cells);
}

Value Expression::value(std::span<const Cell> cells) const {
  return impl_->program.scope->decode(evaluate(cells), type());
}

std::int64_t Expression::integer(std::span<const Cell> cells) const {
  require(Type::integer);
  return evaluate(cells).i;
}

double Expression::real(std::span<const Cell> cells) const {
  if (type() == Type::integer) return static_cast<double>(evaluate(cells).i);
  require(Type::real);
  return evaluate(cells).d;
}

bool Expression::boolean(std::span<const Cell> cells) const {
  require(Type::boolean);
  return evaluate(cells).i != 0;
}

void Expression::evaluate_lanes(std::span<const Cell> cells, std::span<const int> varying,
                                std::span<const std::array<Cell, kLanes>> lane_cells,
                                std::array<Cell, kLanes>& result) const {
  expr::evaluate_lanes(impl_->program, cells, varying, lane_cells, result);
}

std::string Expression::cpp(std::span<const std::optional<Cell>> known,
                            const std::function<std::string(int)>& name) const {
  if (type() == Type::text) throw ExpressionError(text(), 0, "a text is no value in C++ code");
  return cpp_code(impl_->program, known, name);
}

void Expression::require(Type needed) const {
  if (type() == needed) return;
  throw ExpressionError(
      text(), 0,
      fmt::format("this is {} where {} is needed", to_string(type()), to_string(needed)));
}

}  // namespace tuner::expr
