#include "tuner/kernel/bound_text.h"

#include <fmt/format.h>

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
  own_cells_ = names.cells().size();
  expression_ = names.expression(text, phase, loops);
  quick_ = names.quick_expression(text);
  if (wanted && !fits(expression_->type(), *wanted)) {
    fail(fmt::format("\"{}\" is {}, but {} is needed", text.text, to_string(expression_->type()),
                     to_string(*wanted)));
  }
}

template <typename F>
auto BoundText::guarded(std::span<const expr::Cell> cells, F evaluate) const {
  try {
    return evaluate(cells.size() > own_cells_ ? *quick_ : *expression_);
  } catch (const expr::ExpressionError& error) {
    fail(error.what());
  }
}

std::int64_t BoundText::integer(std::span<const expr::Cell> cells, std::int64_t fallback) const {
  if (!given()) return fallback;
  return guarded(cells, [&](const expr::Expression& one) { return one.integer(cells); });
}

double BoundText::real(std::span<const expr::Cell> cells, double fallback) const {
  if (!given()) return fallback;
  return guarded(cells, [&](const expr::Expression& one) { return one.real(cells); });
}

bool BoundText::boolean(std::span<const expr::Cell> cells, bool fallback) const {
  if (!given()) return fallback;
  return guarded(cells, [&](const expr::Expression& one) { return one.boolean(cells); });
}

Value BoundText::value(std::span<const expr::Cell> cells) const {
  return guarded(cells, [&](const expr::Expression& one) { return one.value(cells); });
}

void BoundText::lanes(std::span<const expr::Cell> cells, std::span<const int> varying,
                      std::span<const std::array<expr::Cell, expr::kLanes>> lane_cells,
                      std::array<expr::Cell, expr::kLanes>& result) const {
  guarded(cells, [&](const expr::Expression& one) {
    one.evaluate_lanes(cells, varying, lane_cells, result);
  });
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
