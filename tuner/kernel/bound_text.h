// A compiled expression that knows where it stands in the kernel.json, so that what goes wrong in
// evaluating it can be found. Immutable; refers to the description, which must outlive it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "expr/expression.h"
#include "tuner/kernel/description.h"
#include "tuner/kernel/names.h"

namespace tuner {

class BoundText {
 public:
  BoundText() = default;  // not given: the fallbacks below
  // `wanted`: integer, real (takes an integer, too), boolean; nullopt for any.
  BoundText(const KernelDescription& kernel, const Names& names, const Text& text, Phase phase,
            std::optional<Type> wanted, std::span<const LoopSpec> loops = {});

  bool given() const { return expression_.has_value(); }
  const expr::Expression& expression() const { return *expression_; }
  const expr::Expression& quick() const { return *quick_; }

  // `cells` may be extended (Names::extend): then the quick form is evaluated. Throw TunerError
  // with file, pointer and the expression's own error.
  std::int64_t integer(std::span<const expr::Cell> cells, std::int64_t fallback) const;
  double real(std::span<const expr::Cell> cells, double fallback) const;
  bool boolean(std::span<const expr::Cell> cells, bool fallback) const;
  Value value(std::span<const expr::Cell> cells) const;
  void lanes(std::span<const expr::Cell> cells, std::span<const int> varying,
             std::span<const std::array<expr::Cell, expr::kLanes>> lane_cells,
             std::array<expr::Cell, expr::kLanes>& result) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  template <typename F>
  auto guarded(std::span<const expr::Cell> cells, F evaluate) const;

  const KernelDescription* kernel_ = nullptr;
  std::string pointer_;
  std::size_t own_cells_ = 0;  // of the scope that expression_ knows
  std::optional<expr::Expression> expression_, quick_;
};

class BoundTemplate {
 public:
  BoundTemplate() = default;
  BoundTemplate(const KernelDescription& kernel, const Names& names, const Text& text, Phase phase);
  std::string render(std::span<const expr::Cell> cells) const;
  // Refuses characters that stand in no C++ name, type or number: the text goes into source.
  std::string render_code(std::span<const expr::Cell> cells) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  const KernelDescription* kernel_ = nullptr;
  std::string pointer_;
  std::optional<expr::Template> template_;
};

}  // namespace tuner
