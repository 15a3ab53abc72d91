// Evaluates the launches of a bound kernel for one configuration.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tuner/kernel/access_memo.h"
#include "tuner/kernel/bound_kernel.h"

namespace tuner {

// The dimensions of one launch, and the scope's cells with what is known of the compiled kernel.
struct StepShape {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::int64_t dynamic_shared = 0;
  const CompiledEntry* compiled = nullptr;  // null: not compiled
  std::vector<expr::Cell> cells;
};

// Before compiling, `registers` is the model's lower bound and blocks_per_sm what it would allow;
// they are filled in where `uses_compiled`.
StepShape step_shape(const BoundKernel& kernel, const BoundStep& step,
                     std::span<const expr::Cell> cells, std::span<const CompiledEntry> compiled,
                     bool uses_compiled);

// `memo` may be nullptr.
models::LaunchShape model_shape(const BoundKernel& kernel, const BoundStep& step,
                                std::span<const expr::Cell> cells,
                                std::span<const CompiledEntry> compiled, AccessMemo* memo);

LaunchPlan make_launch_plan(const BoundKernel& kernel, std::span<const expr::Cell> cells,
                            std::span<const CompiledEntry> compiled,
                            std::span<const std::string> lowered_symbols);
std::vector<LaunchStep> make_reference_launch(const BoundKernel& kernel,
                                              std::span<const CompiledEntry> compiled);
// Distinct, in order of the arguments.
std::vector<std::string> symbols_of(const KernelDescription& kernel);

}  // namespace tuner
