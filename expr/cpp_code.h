// See Expression::cpp().
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "expr/program.h"

namespace tuner::expr {

std::string cpp_code(const Program& program, std::span<const std::optional<Cell>> known,
                     const std::function<std::string(int slot)>& name);

}  // namespace tuner::expr
