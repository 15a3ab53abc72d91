// The typing rules of the operators: what each accepts, and where an integer widens to a real. All
// throw ExpressionError at `position`, the operator's, or at the operand that does not fit.
#pragma once

#include <string_view>

#include "expr/builder.h"
#include "expr/lexer.h"

namespace tuner::expr {

bool is_number(Type type);
bool is_comparison(TokenKind kind);

// Throws unless `part` is what `who` needs.
void require_number(const Builder& builder, const Part& part, std::string_view who);
void require(const Builder& builder, const Part& part, Type type, std::string_view who);

Part negated(Builder& builder, const Part& a, std::size_t position);
Part inverted(Builder& builder, const Part& a, std::size_t position);  // not a

// `op` is a token of + - * / % or of a comparison.
Part operate(Builder& builder, const Token& op, const Part& a, const Part& b);

// Two numbers by the operation for their common type.
struct NumericOps {
  Op whole;
  Op real;
};
Part combine(Builder& builder, NumericOps ops, const Part& a, const Part& b, std::size_t position);

// Whether `a` and `b` can be the two values of a choice or of a comparison.
bool unify(Type a, Type b);

}  // namespace tuner::expr
