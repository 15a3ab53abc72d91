#include "expr/operators.h"

#include <fmt/format.h>

#include <utility>

namespace tuner::expr {
namespace {

NumericOps arithmetic_ops(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus:
      return {Op::add_i, Op::add_d};
    case TokenKind::minus:
      return {Op::sub_i, Op::sub_d};
    case TokenKind::star:
      return {Op::mul_i, Op::mul_d};
    default:
      return {Op::div_i, Op::div_d};
  }
}

// a > b is b < a, and a >= b is b <= a; operands have no effects, so that their order is free.
NumericOps comparison_ops(TokenKind kind) {
  switch (kind) {
    case TokenKind::equal:
      return {Op::eq_i, Op::eq_d};
    case TokenKind::not_equal:
      return {Op::ne_i, Op::ne_d};
    case TokenKind::less:
    case TokenKind::greater:
      return {Op::lt_i, Op::lt_d};
    default:
      return {Op::le_i, Op::le_d};
  }
}

bool is_equality(TokenKind kind) {
  return kind == TokenKind::equal || kind == TokenKind::not_equal;
}

Part remainder(Builder& builder, const Token& op, const Part& a, const Part& b) {
  if (a.type != Type::integer || b.type != Type::integer) {
    builder.fail(op.position, fmt::format("'%' needs integers, not {} and {}", to_string(a.type),
                                          to_string(b.type)));
  }
  return builder.binary(Op::mod_i, Type::integer, a, b, op.position);
}

Part compare(Builder& builder, const Token& op, const Part& a, const Part& b) {
  const bool numbers = is_number(a.type) && is_number(b.type);
  if (!unify(a.type, b.type) || !(numbers || is_equality(op.kind))) {
    builder.fail(op.position, fmt::format("'{}' cannot compare {} with {}", op.spelling,
                                          to_string(a.type), to_string(b.type)));
  }
  const NumericOps ops = comparison_ops(op.kind);
  const bool swapped = op.kind == TokenKind::greater || op.kind == TokenKind::greater_equal;
  Part result =
      swapped ? combine(builder, ops, b, a, op.position) : combine(builder, ops, a, b, op.position);
  result.type = Type::boolean;
  result.position = a.position;
  return result;
}

}  // namespace

bool is_number(Type type) { return type == Type::integer || type == Type::real; }

bool is_comparison(TokenKind kind) {
  return kind >= TokenKind::equal && kind <= TokenKind::greater_equal;
}

void require_number(const Builder& builder, const Part& part, std::string_view who) {
  if (is_number(part.type)) return;
  builder.fail(part.position,
               fmt::format("{} needs a number, and this is {}", who, to_string(part.type)));
}

void require(const Builder& builder, const Part& part, Type type, std::string_view who) {
  if (part.type == type) return;
  builder.fail(part.position, fmt::format("{} needs {}, and this is {}", who, to_string(type),
                                          to_string(part.type)));
}

Part negated(Builder& builder, const Part& a, std::size_t position) {
  require_number(builder, a, "'-'");
  const Op op = a.type == Type::real ? Op::neg_d : Op::neg_i;
  Part result = builder.unary(op, a.type, a, position);
  result.position = position;
  return result;
}

Part inverted(Builder& builder, const Part& a, std::size_t position) {
  require(builder, a, Type::boolean, "'not'");
  Part result = builder.unary(Op::not_b, Type::boolean, a, position);
  result.position = position;
  return result;
}

Part operate(Builder& builder, const Token& op, const Part& a, const Part& b) {
  if (is_comparison(op.kind)) return compare(builder, op, a, b);
  if (op.kind == TokenKind::percent) return remainder(builder, op, a, b);
  if (!is_number(a.type) || !is_number(b.type)) {
    builder.fail(op.position, fmt::format("'{}' needs numbers, not {} and {}", op.spelling,
                                          to_string(a.type), to_string(b.type)));
  }
  return combine(builder, arithmetic_ops(op.kind), a, b, op.position);
}

Part combine(Builder& builder, NumericOps ops, const Part& a, const Part& b, std::size_t position) {
  if (a.type != Type::real && b.type != Type::real) {
    return builder.binary(ops.whole, a.type, a, b, position);
  }
  // In this order: a widened slot takes a temporary above both.
  const Part left = builder.widened(a);
  const Part right = builder.widened(b);
  return builder.binary(ops.real, Type::real, left, right, position);
}

bool unify(Type a, Type b) { return a == b || (is_number(a) && is_number(b)); }

}  // namespace tuner::expr
