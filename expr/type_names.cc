#include "expr/type_names.h"

#include <algorithm>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

const TypeName* find_type(std::string_view name) {
  const auto found = std::ranges::find(kTypeNames, name, &TypeName::name);
  return found == kTypeNames.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::int64_t> size_of_type(std::string_view name) {
  const TypeName* type = find_type(name);
  return type ? std::optional(type->bytes) : std::nullopt;
}

std::string cpp_type_name(std::string_view name) {
  const TypeName* type = find_type(name);
  return std::string(type ? type->cpp : name);
}

}  // namespace tuner::expr
