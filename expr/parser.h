// Compiles a text to a Program in one pass, by precedence climbing (Pratt):
//
//   weakest   c ? a : b     to the right; c is not itself a choice unless in parentheses
//             or
//             and
//             not           prefix
//             == != < <= > >=   does not chain: a < b < c is an error
//             + -
//             * / %
//   strongest unary -
#pragma once

#include <string_view>

#include "expr/program.h"

namespace tuner::expr {

// Throws ExpressionError. The scope must outlive the program.
Program parse(std::string_view text, const Scope& scope);

}  // namespace tuner::expr
