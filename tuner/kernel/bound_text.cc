#include "tuner/kernel/bound_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "expr/error.h"

namespace tuner {
namespace {

constexpr std::string_view kCode =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:.+-<>, *()";

bool fits(Type type, Type wanted) {
  return type == wanted || (wanted == Type::real && type == Type::integer);
}

}  // namespace

BoundText::BoundText(const KernelDescription& kernel, const Names& names, const Text& text,
                     Phase phase, std::optional<Type> wanted, std::span<const LoopSpec> loops)
    : kernel_(&kernel), pointer_(text.pointer) {
  if (!text.given()) return;
  expression_ = names.expression(text, phase, loops);
  if (wanted && !fits(expression_->type(), *wanted)) {
    fail(fmt::format("\"{}\" is {}, but {} is needed", text.text, to_string(expression_->type()),
                     to_string(*wanted)));
  }
}

bool BoundText::uses(int slot) const {
  return expression_ &&
         std::binary_search(expression_->slots().begin(), expression_->slots().end(), slot);
}

template <typename F>
auto BoundText::guarded(F evaluate) const {
  try {
    return evaluate();
  } catch (const expr::ExpressionError& error) {
    fail(error.what());
  }
}

std::int64_t BoundText::integer(std::span<const expr::Cell> cells, std::int64_t fallback) const {
  if (!given()) return fallback;
  return guarded([&] { return expression_->integer(cells); });
}

double BoundText::real(std::span<const expr::Cell> cells, double fallback) const {
  if (!given()) return fallback;
  return guarded([&] { return expression_->real(cells); });
}

bool BoundText::boolean(std::span<const expr::Cell> cells, bool fallback) const {
  if (!given()) return fallback;
  return guarded([&] { return expression_->boolean(cells); });
}

Value BoundText::value(std::span<const expr::Cell> cells) const {
  return guarded([&] { return expression_->value(cells); });
}

void BoundText::lanes(std::span<const expr::Cell> cells, std::span<const int> varying,
                      std::span<const std::array<expr::Cell, expr::kLanes>> lane_cells,
                      std::array<expr::Cell, expr::kLanes>& result) const {
  guarded([&] { expression_->evaluate_lanes(cells, varying, lane_cells, result); });
}

void BoundText::fail(const std::string& message) const { kernel_->fail(pointer_, message); }

BoundTemplate::BoundTemplate(const KernelDescription& kernel, const Names& names, const Text& text,
                             Phase phase)
    : kernel_(&kernel), pointer_(text.pointer), template_(names.pattern(text, phase)) {}

std::string BoundTemplate::render(std::span<const expr::Cell> cells) const {
  try {
    return template_->render(cells);
  } catch (const expr::ExpressionError& error) {
    fail(error.what());
  }
}

std::string BoundTemplate::render_code(std::span<const expr::Cell> cells) const {
  std::string code = render(cells);
  const auto bad = code.find_first_not_of(kCode);
  if (bad != std::string::npos) {
    fail(
        fmt::format("\"{}\" holds the character '{}'; only letters, digits and _:.+-<>, *() may "
                    "go into the source",
                    code, code[bad]));
  }
  return code;
}

void BoundTemplate::fail(const std::string& message) const { kernel_->fail(pointer_, message); }

}  // namespace tuner
