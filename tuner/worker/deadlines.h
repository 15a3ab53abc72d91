// How long the parent waits for an answer. The process itself notices a kernel that hangs; these
// are for a driver that does, so they lie beyond anything that a sound process takes.
#pragma once

#include <chrono>

#include "tuner/measure/job.h"

namespace tuner {

// Both grow with the bytes of the buffers, which are made, copied and compared. `slack` comes on
// top.
std::chrono::milliseconds setup_deadline(const MeasureSetup& setup,
                                         std::chrono::milliseconds slack);
std::chrono::milliseconds measure_deadline(const MeasureSetup& setup,
                                           std::chrono::milliseconds slack);

}  // namespace tuner
