#include "tuner/cli/measuring.h"

#include "tuner/cli/interrupt.h"
#include "tuner/pipeline/setup.h"
#include "tuner/worker/worker.h"

namespace tuner {

void MeasuringFlags::add_to(CLI::App& app) {
  app.add_option("--budget", budget, "configurations to measure at most; 0: no limit")
      ->capture_default_str();
  app.add_option(
         "--time", time_s,
         "seconds to search at most, once something was measured (30, 30s, 2m); 0: no limit")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--seed", seed, "of the random choices")->capture_default_str();
  app.add_option("--cache", cache, "whether inputs are in the GPU's cache when a run begins")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->capture_default_str();
  app.add_option("--journal", journal,
                 "where trials are noted as they come; a run that was cut off goes on from there. "
                 "A file of the user's "
                 "data folder where left out")
      ->type_name("FILE");
  app.add_flag("--fresh", fresh, "begin anew, also where a journal is there");
  app.add_flag("--no-compile-cache", no_compile_cache, "compile everything anew");
}

TuneOptions MeasuringFlags::options() const {
  TuneOptions options;
  options.limits.budget = budget;
  options.limits.time = std::chrono::milliseconds(static_cast<std::int64_t>(time_s * 1000));
  options.limits.interrupted = &InterruptGuard::flag();
  options.seed = seed;
  options.cache = cache == "cold" ? CacheMode::cold : CacheMode::warm;
  return options;
}

Bench::Bench(const MeasuringFlags& flags, ChosenDevice device) : device_(std::move(device)) {
  CompilerPoolOptions pool;
  pool.use_cache = !flags.no_compile_cache;
  compiler_ = make_compiler_pool(pool);
}

std::vector<Measurer*> Bench::set_up(const Kernel& kernel, CacheMode cache) {
  workers_.clear();
  MeasureSetup setup = make_setup(kernel, *compiler_, cache, 0);
  std::vector<Measurer*> measurers;
  for (const int gpu : device_.gpus) {
    setup.device = gpu;
    workers_.push_back(make_worker(setup));
    measurers.push_back(workers_.back().get());
  }
  return measurers;
}

}  // namespace tuner
