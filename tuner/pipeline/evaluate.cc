#include "tuner/pipeline/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "expr/error.h"
#include "models/estimate.h"
#include "models/pipes.h"
#include "tuner/pipeline/prune.h"
#include "tuner/pipeline/refine.h"

namespace tuner {
namespace {

// A recorded trial that the kernel still has, ready to be estimated.
struct Shaped {
  search::Config config;
  models::KernelShape shape;
  double measured_ns = 0;
};

class Evaluator {
 public:
  Evaluator(const KernelDescription& description, const Recording& recording,
            const EvaluateOptions& options)
      : recording_(recording),
        options_(options),
        kernel_(description, {recording.problem}, recording.device) {}

  Evaluation evaluate() {
    Evaluation result;
    for (const RecordedTrial& trial : recording_.trials) add(trial, result.left_out);
    if (options_.compiler != nullptr && lacks_model(kernel_.description()))
      derive(*options_.compiler);
    result.quality = quality({});
    if (options_.trials) {
      for (const Shaped& one : shaped_)
        result.trials.push_back({kernel_.space().id(one.config), one.measured_ns,
                                 models::estimate(recording_.device, one.shape)});
    }
    if (!options_.ablation) return result;
    for (const models::NamedPipe& pipe : models::kPipes) {
      if (is_used(pipe.name)) result.without.emplace_back(pipe.name, quality(pipe.name));
    }
    for (const char* wait : {models::kExchange, models::kAtomics}) {
      if (is_used(wait)) result.without.emplace_back(wait, quality(wait));
    }
    return result;
  }

 private:
  void add(const RecordedTrial& trial, std::size_t& left_out) {
    NamedValues values;
    for (std::size_t i = 0; i < recording_.parameters.size(); ++i) {
      values.emplace_back(recording_.parameters[i].name, trial.values[i]);
    }
    const search::Config config = kernel_.space().from_values(values);
    if (!kernel_.space().contains(config)) {
      ++left_out;
      return;
    }
    Shaped shaped{config, kernel_.shape(config),
                  trial.status == search::Status::ok ? trial.time_ns : 0};
    shaped.shape.cold = recording_.cache == "cold";
    if (options_.compiled) set_compiled(trial, shaped.shape);
    shaped_.push_back(std::move(shaped));
  }

  void derive(Compiler& compiler) {
    std::vector<search::Config> configs;
    for (const Shaped& one : shaped_) configs.push_back(one.config);
    auto shapes = derived_shapes(kernel_, configs, recording_.cache == "cold", compiler);
    for (std::size_t i = 0; i < shaped_.size(); ++i) {
      if (shapes[i]) shaped_[i].shape = *std::move(shapes[i]);
    }
  }

  // What is recorded is the most of any launch.
  static void set_compiled(const RecordedTrial& trial, models::KernelShape& shape) {
    for (models::LaunchShape& launch : shape.launches) {
      if (trial.registers > 0) launch.registers = trial.registers;
      launch.spill_bytes = trial.spill_bytes;
    }
  }

  bool is_used(std::string_view pipe) const {
    return std::any_of(shaped_.begin(), shaped_.end(), [&](const Shaped& one) {
      const models::Estimate estimate = models::estimate(recording_.device, one.shape);
      return std::any_of(estimate.pipes.begin(), estimate.pipes.end(),
                         [&](const models::Pipe& used) { return used.name == pipe; });
    });
  }

  models::RankQuality quality(std::string_view without) const {
    std::vector<models::RankedTrial> trials;
    for (const Shaped& one : shaped_) {
      const models::Score score = models::score(recording_.device, one.shape, without);
      trials.push_back({score.time_ns, one.measured_ns, score.keep});
    }
    drop_unlikely(trials);
    return models::rank_quality(trials);
  }

  // As keep_likely does it in a search.
  static void drop_unlikely(std::vector<models::RankedTrial>& trials) {
    std::vector<double> times;
    std::vector<models::RankedTrial*> kept;
    for (models::RankedTrial& trial : trials) {
      if (!trial.kept) continue;
      times.push_back(trial.predicted_ns);
      kept.push_back(&trial);
    }
    const std::vector<bool> keep = likely(times);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i]->kept = keep[i];
  }

  const Recording& recording_;
  const EvaluateOptions& options_;
  const Kernel kernel_;
  std::vector<Shaped> shaped_;
};

std::optional<RecordedTrial> recorded(const JournalTrial& trial,
                                      const std::vector<std::string>& parameters) {
  if (trial.status == search::Status::pruned || trial.abandoned) return std::nullopt;
  RecordedTrial result;
  for (const std::string& name : parameters) {
    const Value* value = find_value(trial.config, name);
    if (value == nullptr) return std::nullopt;
    result.values.push_back(*value);
  }
  result.status = trial.status;
  result.time_ns = trial.time_ns;
  result.low_ns = trial.low_ns;
  result.high_ns = trial.high_ns;
  result.samples = trial.samples;
  result.compile_ms = trial.compile_ms;
  result.registers = trial.registers;
  result.spill_bytes = trial.spill_bytes;
  result.reason = trial.reason;
  return result;
}

}  // namespace

Recording as_recording(const JournalContent& journal, models::DeviceProfile device) {
  Recording recording;
  recording.kernel = journal.header.kernel;
  recording.problem = journal.header.problem;
  recording.cache = journal.header.cache;
  recording.device = std::move(device);
  for (const std::string& name : journal.header.parameters)
    recording.parameters.push_back({name, {}});
  for (const JournalTrial* trial : last_trials(journal)) {
    if (auto one = recorded(*trial, journal.header.parameters))
      recording.trials.push_back(*std::move(one));
  }
  recording.source_hash = journal.header.source_hash;
  recording.tool = journal.header.tool;
  recording.date = journal.header.date;
  return recording;
}

Evaluation evaluate(const KernelDescription& description, const Recording& recording,
                    const EvaluateOptions& options) {
  return Evaluator(description, recording, options).evaluate();
}

}  // namespace tuner
