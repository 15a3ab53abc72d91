// Journals of runs that never were: the model's times, scattered, and failures between them. The
// same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "models/estimate.h"
#include "tuner/kernel/kernel.h"
#include "tuner/store/journal.h"

namespace tuner {

inline NamedValues values_of(const search::Space& space, const search::Config& config) {
  NamedValues values;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    values.emplace_back(space.parameters()[i].name, space.value(config, i));
  }
  return values;
}

inline JournalTrial modelled_trial(const Kernel& kernel, const search::Config& config,
                                   std::mt19937_64& random) {
  const models::KernelShape shape = kernel.shape(config);
  const models::Estimate estimate = models::estimate(kernel.device(), shape);
  const double scatter = std::exp(std::normal_distribution(0.0, 0.15)(random));
  JournalTrial trial;
  trial.config = values_of(kernel.space(), config);
  trial.registers = std::clamp(shape.launches.front().min_registers + 8, 16, 255);
  trial.compile_ms = 300 * scatter;
  if (!estimate.keep || random() % 20 == 0) {
    trial.status = random() % 3 == 0 ? search::Status::wrong : search::Status::launch_error;
    trial.reason = trial.status == search::Status::wrong
                       ? "element 17 of C is 3.25, the reference has 3.5"
                       : estimate.drop_reason;
    return trial;
  }
  trial.time_ns = estimate.time_ns * scatter;
  trial.low_ns = 0.99 * trial.time_ns;
  trial.high_ns = 1.01 * trial.time_ns;
  trial.samples = 30;
  trial.abandoned = random() % 4 == 0;
  return trial;
}

inline JournalHeader modelled_header(const Kernel& kernel) {
  JournalHeader header;
  header.kernel = kernel.description().name;
  header.problem = kernel.problem().axes;
  header.cache = "cold";
  header.device = kernel.device().name;
  header.source_hash = "0123456789abcdef";
  for (const search::Parameter& parameter : kernel.space().parameters()) {
    header.parameters.push_back(parameter.name);
  }
  header.tool = "0.1.0";
  header.date = "2025-03-01T12:00:00Z";
  return header;
}

// Of the first `count` configurations, in a shuffled order; fewer where the space holds fewer.
inline void write_modelled_journal(const std::filesystem::path& path, const Kernel& kernel,
                                   std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<search::Config> configs = kernel.space().materialize(count);
  std::shuffle(configs.begin(), configs.end(), random);
  JournalWriter writer(path, modelled_header(kernel));
  for (const search::Config& config : configs) {
    writer.finished(modelled_trial(kernel, config, random));
  }
}

}  // namespace tuner
