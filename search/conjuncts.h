// Splits a constraint at its outermost `and`s, so that each part is checked as soon as its own
// names are bound.
#pragma once

#include <vector>

#include "expr/expression.h"

namespace tuner::search {

// Expressions that are all true exactly where `condition` is true. Where one of them errs and none
// is false, so does `condition`. Never empty.
std::vector<expr::Expression> conjuncts(const expr::Expression& condition,
                                        const expr::Scope& scope);

}  // namespace tuner::search
