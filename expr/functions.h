// The functions of the language, and the types that each takes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/builder.h"

namespace tuner::expr {

struct Call {
  std::string_view name;
  std::size_t position = 0;  // of the name
  std::span<const Part> arguments;
};

struct Function {
  std::string_view name;
  std::size_t fewest;  // arguments
  std::size_t most;
  Part (*compile)(Builder& builder, const Call& call);
};

const Function* find_function(std::string_view name);  // null where there is none
std::vector<std::string> function_names();

// Throws ExpressionError where the arguments do not fit.
Part compile_call(Builder& builder, const Function& function, const Call& call);

}  // namespace tuner::expr
