// Studies of occupancy against instruction-level parallelism: which configurations, with how much
// unused shared memory and which register limits; what they compile to; what the model makes of
// them; what they take.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"
#include "tuner/measure/measurer.h"
#include "tuner/pipeline/counting.h"
#include "tuner/report/study_report.h"

namespace tuner {

struct StudyOptions {
  std::string ilp, block, width;  // parameters; empty: found by what they change in the model
  bool cold = true;
  // Of a job that was measured; empty: not asked for.
  std::function<std::vector<Counters>(const MeasureJob&)> counters = {};
};

struct StudySetting {
  Knob knob = Knob::block_size;
  search::Config config;
  int ballast_blocks = 0;  // blocks that a SM is to hold; 0: no ballast
  int register_limit = 0;  // --maxrregcount; 0: none
};

struct StudyPlan {
  std::string ilp_parameter, block_parameter, width_parameter;  // empty: none
  std::vector<StudySetting> settings;
  // Of memory parallelism: each width of loads, with more of them a thread and with more warps.
  // Empty where no parameter changes the width, and where memory is not what binds.
  std::vector<StudySetting> widths;
};

// Whether the useful bytes take longer than the useful FLOPs, each under its roof.
bool bound_by_memory(const Kernel& kernel);

// Around the default of the kernel's space (or what is nearest to it). Throws TunerError for
// parameters that the kernel does not have, and where the space is empty.
StudyPlan plan_study(const Kernel& kernel, const StudyOptions& options);

// Dynamic shared memory to add so that a SM holds `blocks` blocks of `launch` and no more; 0 where
// it holds no more anyway, -1 where no amount does it.
std::int64_t ballast_for(const models::DeviceProfile& device, const models::LaunchShape& launch,
                         int blocks);

// Compiles the plan (not where `compiler` is null: registers are then unknown), predicts, and
// measures where there is a measurer. Settings that cannot be compiled or launched are left out,
// and those whose register limit changed nothing; notes count them.
Study run_study(const Kernel& kernel, const StudyOptions& options, const StudyPlan& plan,
                Compiler* compiler, Measurer* measurer);

}  // namespace tuner
