#include "tuner/pipeline/refine.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <utility>

#include "models/estimate.h"
#include "tuner/measure/parallel_for.h"
#include "tuner/select/build.h"

namespace tuner {
namespace {

class Refiner {
 public:
  Refiner(const Kernel& kernel, bool cold, std::uint64_t seed, Compiler& compiler,
          const std::atomic<bool>* interrupted, Pruned& pruned)
      : kernel_(kernel),
        cold_(cold),
        compiler_(compiler),
        interrupted_(interrupted),
        candidates_(pruned.candidates),
        words_(pruned.derived_words),
        random_(seed),
        taken_(pruned.candidates.size()),
        refinement_(std::make_unique<Refinement>(kernel.space())) {}

  std::unique_ptr<const Refinement> refine() {
    const std::size_t half = (std::min(kRefiningSample, candidates_.size()) + 1) / 2;
    compile(random_sample(half));
    compile(best(half));
    if (refinement_->learned() == 0) return nullptr;
    return std::move(refinement_);
  }

 private:
  std::vector<std::size_t> random_sample(std::size_t count) {
    std::vector<std::size_t> all(candidates_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::vector<std::size_t> sample;
    std::sample(all.begin(), all.end(), std::back_inserter(sample), count, random_);
    return sample;
  }

  std::vector<std::size_t> best(std::size_t count) const {
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const auto& [config, static_ns] = candidates_[i];
      if (!taken_[i]) ranked.emplace_back(refinement_->corrected_ns(config, static_ns), i);
    }
    count = std::min(count, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                      ranked.end());
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(ranked[i].second);
    return result;
  }

  // In parts, so that an interrupt need not wait for all of them.
  void compile(const std::vector<std::size_t>& indices) {
    const std::size_t part = 2 * static_cast<std::size_t>(std::max(1, compiler_.parallelism()));
    for (std::size_t begin = 0; begin < indices.size(); begin += part) {
      if (interrupted_ != nullptr && *interrupted_) return;
      const auto end = std::min(indices.size(), begin + part);
      compile_part(std::span(indices).subspan(begin, end - begin));
    }
    refinement_->fit();
  }

  void compile_part(std::span<const std::size_t> indices) {
    std::vector<search::Config> part;
    for (const std::size_t i : indices) {
      taken_[i] = true;
      part.push_back(candidates_[i].config);
    }
    const auto shapes = derived_shapes(kernel_, part, cold_, compiler_);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (shapes[i]) learn(part[i], candidates_[indices[i]].predicted_ns, *shapes[i]);
    }
  }

  void learn(const search::Config& config, double static_ns, const models::KernelShape& shape) {
    models::Estimate estimate = models::estimate(kernel_.device(), shape);
    if (!std::isfinite(estimate.time_ns)) return;
    refinement_->learn(config, static_ns, estimate.time_ns);
    words_[config] = std::move(estimate.words);
  }

  const Kernel& kernel_;
  bool cold_;
  Compiler& compiler_;
  const std::atomic<bool>* interrupted_;
  const std::vector<search::Candidate>& candidates_;
  std::map<search::Config, std::string>& words_;
  std::mt19937_64 random_;
  std::vector<bool> taken_;
  std::unique_ptr<Refinement> refinement_;
};

}  // namespace

bool lacks_model(const KernelDescription& kernel) {
  return std::any_of(kernel.steps.begin(), kernel.steps.end(),
                     [](const StepSpec& step) { return !step.memset && !step.model.given; });
}

std::vector<std::optional<models::KernelShape>> derived_shapes(
    const Kernel& kernel, std::span<const search::Config> configs, bool cold, Compiler& compiler) {
  std::vector<CompileJob> jobs;
  for (const search::Config& config : configs) {
    jobs.push_back(compile_job(kernel.build(config), kernel.space().id(config),
                               kernel.device().compute_capability));
  }
  const std::vector<CompileResult> compiled = compile_all(compiler, std::move(jobs));
  std::vector<std::optional<models::KernelShape>> shapes(configs.size());
  // Following the PTX takes about as long as a small compile: spread over the cores.
  parallel_for(
      static_cast<std::int64_t>(configs.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          if (compiled[i].status != CompileResult::Status::ok || compiled[i].ptx.empty()) continue;
          shapes[i] = kernel.shape(configs[i], compiled_entries_with_ptx(compiled[i]));
          shapes[i]->cold = cold;
        }
      });
  return shapes;
}

Refinement::Refinement(const search::Space& space) : features_(space), surrogate_(features_) {}

void Refinement::learn(search::Config config, double static_ns, double derived_ns) {
  seen_.push_back({std::move(config), std::log(static_ns), std::log(derived_ns), 1});
}

void Refinement::fit() { surrogate_.fit(seen_); }

double Refinement::corrected_ns(const search::Config& config, double static_ns) const {
  const auto found = std::find_if(seen_.begin(), seen_.end(), [&](const search::Observation& seen) {
    return seen.config == config;
  });
  if (found != seen_.end()) return std::exp(found->target);
  return std::exp(surrogate_.estimate(config, std::log(static_ns)));
}

std::unique_ptr<const Refinement> refine(const Kernel& kernel, bool cold, std::uint64_t seed,
                                         Compiler& compiler, const std::atomic<bool>* interrupted,
                                         Pruned& pruned) {
  auto refinement = Refiner(kernel, cold, seed, compiler, interrupted, pruned).refine();
  if (refinement == nullptr) return nullptr;
  for (search::Candidate& candidate : pruned.candidates) {
    candidate.predicted_ns = refinement->corrected_ns(candidate.config, candidate.predicted_ns);
  }
  return refinement;
}

}  // namespace tuner
