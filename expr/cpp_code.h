// See Expression::cpp().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "expr/program.h"

namespace tuner::expr {

// Literals of long long and of double.
std::string cpp_integer(std::int64_t value);
std::string cpp_real(double value);

std::string cpp_code(const Program& program, std::span<const std::optional<Cell>> known,
                     const std::function<std::string(int slot)>& name);

}  // namespace tuner::expr
