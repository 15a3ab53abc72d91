// What `tune` and `record` share: the options of a search that measures, and the processes behind
// it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tuner/cli/device_option.h"
#include "tuner/pipeline/tune.h"

namespace tuner {

struct MeasuringFlags {
  std::string cache = "cold", journal;
  std::size_t budget = 0;
  double time_s = 0;
  std::uint64_t seed = 0;
  bool fresh = false, no_compile_cache = false;

  // The defaults in force when this is called are those that --help shows.
  void add_to(CLI::App& app);
  TuneOptions options() const;
};

// The compilers and, once a problem is set up, a measuring process for each GPU.
class Bench {
 public:
  Bench(const MeasuringFlags& flags, ChosenDevice device);
  Compiler& compiler() { return *compiler_; }
  const ChosenDevice& device() const { return device_; }
  // The measuring processes of `kernel`'s problem; those of an earlier one end.
  std::vector<Measurer*> set_up(const Kernel& kernel, CacheMode cache);

 private:
  ChosenDevice device_;
  std::unique_ptr<Compiler> compiler_;
  std::vector<std::unique_ptr<Measurer>> workers_;
};

}  // namespace tuner
