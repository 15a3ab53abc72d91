// For kernels without a model, of which the first prune knows useful work and occupancy alone: some
// of the candidates are compiled, their estimates derived from their PTX, and what these differ by
// is learned and put right for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/features.h"
#include "search/surrogate.h"
#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/pipeline/prune.h"

namespace tuner {

// A launch of the kernel has no model.
bool lacks_model(const KernelDescription& kernel);

// Compiles configurations of such a kernel, and makes shapes and counts of their PTX; nullopt where
// there is none.
std::vector<std::optional<models::KernelShape>> derived_shapes(
    const Kernel& kernel, std::span<const search::Config> configs, bool cold, Compiler& compiler);

inline constexpr std::size_t kRefiningSample = 64;  // configurations that are compiled at most

// What was learned of one kernel's candidates. Safe to read from several threads.
class Refinement {
 public:
  explicit Refinement(const search::Space& space);

  // `static_ns`: the model's time before compiling.
  double corrected_ns(const search::Config& config, double static_ns) const;

  void learn(search::Config config, double static_ns, double derived_ns);
  void fit();
  std::size_t learned() const { return seen_.size(); }

 private:
  search::Features features_;
  search::Surrogate surrogate_;
  std::vector<search::Observation> seen_;  // logs of ns
};

// Compiles up to kRefiningSample candidates, half of them at random and half that then look best,
// and gives all candidates of `pruned` their corrected times. Those that do not compile stay what
// they are. Null where nothing was learned. `interrupted`: may be null; ends it early.
std::unique_ptr<const Refinement> refine(const Kernel& kernel, bool cold, std::uint64_t seed,
                                         Compiler& compiler, const std::atomic<bool>* interrupted,
                                         Pruned& pruned);

}  // namespace tuner
