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

struct Derived {
  double time_ns = 0;
  std::string words;
};

// What the derived model says; nullopt where there is none.
std::optional<Derived> derive(const Kernel& kernel, const search::Config& config, bool cold,
                              const CompileResult& compiled) {
  const std::optional<models::KernelShape> shape = derived_shape(kernel, config, cold, compiled);
  if (!shape) return std::nullopt;
  models::Estimate estimate = models::estimate(kernel.device(), *shape);
  if (!std::isfinite(estimate.time_ns)) return std::nullopt;
  return Derived{estimate.time_ns, std::move(estimate.words)};
}

// Following the PTX takes about as long as a small compile: spread over the cores.
std::vector<std::optional<Derived>> derive_all(const Kernel& kernel,
                                               std::span<const search::Candidate> candidates,
                                               bool cold, std::span<const CompileResult> compiled) {
  std::vector<std::optional<Derived>> derived(candidates.size());
  parallel_for(
      static_cast<std::int64_t>(candidates.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          derived[i] = derive(kernel, candidates[i].config, cold, compiled[i]);
        }
      });
  return derived;
}

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
    std::vector<search::Candidate> part;
    std::vector<CompileJob> jobs;
    for (const std::size_t i : indices) {
      taken_[i] = true;
      part.push_back(candidates_[i]);
      jobs.push_back(compile_job(kernel_.build(part.back().config),
                                 kernel_.space().id(part.back().config),
                                 kernel_.device().compute_capability));
    }
    const std::vector<CompileResult> compiled = compile_all(compiler_, std::move(jobs));
    auto derived = derive_all(kernel_, part, cold_, compiled);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (!derived[i]) continue;
      refinement_->learn(part[i].config, part[i].predicted_ns, derived[i]->time_ns);
      words_[part[i].config] = std::move(derived[i]->words);
    }
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

std::optional<models::KernelShape> derived_shape(const Kernel& kernel, const search::Config& config,
                                                 bool cold, const CompileResult& compiled) {
  if (compiled.status != CompileResult::Status::ok || compiled.ptx.empty()) return std::nullopt;
  models::KernelShape shape = kernel.shape(config, compiled_entries_with_ptx(compiled));
  shape.cold = cold;
  return shape;
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
