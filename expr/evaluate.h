// Runs programs. No allocation, no locks: any number of threads may run one program at once.
#pragma once

#include <array>
#include <span>

#include "expr/arithmetic.h"
#include "expr/program.h"

namespace tuner::expr {

// Throws ExpressionError, with the position of the operation that failed.
Cell evaluate(const Program& program, std::span<const Cell> cells);

// One lane each; see Expression::evaluate_lanes. A lane sees exactly what evaluate() would have: an
// operation that its `and`, `or` or ?: does not need cannot fail it.
void evaluate_lanes(const Program& program, std::span<const Cell> cells,
                    std::span<const int> varying,
                    std::span<const std::array<Cell, kLanes>> lane_cells,
                    std::array<Cell, kLanes>& result);

// The error of an operation of `program` on `a`; `at` is its index in the code.
[[noreturn]] void throw_fault(const Program& program, std::size_t at, Fault fault, Cell a);

}  // namespace tuner::expr
