// The model against a measured space: how well it orders it, and what each of its terms is worth.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/estimate.h"
#include "models/rank_quality.h"
#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/store/journal.h"
#include "tuner/store/recording.h"

namespace tuner {

struct EvaluateOptions {
  bool compiled = false;  // with the recorded registers and spills, as the second prune sees them
  bool ablation = false;
  bool trials = false;  // each with its estimate
  // Not null: every configuration of a kernel without a model is compiled for the device, and its
  // model derived from the PTX. What does not compile is estimated as before compiling.
  Compiler* compiler = nullptr;
};

struct EvaluatedTrial {
  std::string config;      // values, as Space::id writes them
  double measured_ns = 0;  // 0: failed
  models::Estimate estimate;
};

struct Evaluation {
  models::RankQuality quality;
  // The same with a pipe of the model left out, by its name; those that the kernel never uses are
  // not there.
  std::vector<std::pair<std::string, models::RankQuality>> without;
  std::vector<EvaluatedTrial> trials;
  std::size_t left_out = 0;  // trials that the kernel's space does not hold (any more)
};

// A journal's trials as if they had been recorded on `device`: by the last record of each
// configuration, without those that were pruned or abandoned, which have no time. A search does not
// choose at random: it holds more of what it took for fast.
Recording as_recording(const JournalContent& journal, models::DeviceProfile device);

// Throws TunerError where the kernel does not fit the recording: an axis or a parameter that it
// does not have.
Evaluation evaluate(const KernelDescription& description, const Recording& recording,
                    const EvaluateOptions& options);

}  // namespace tuner
