// One compile with NVRTC, in this process.
#pragma once

#include "tuner/compile/compile_message.h"
#include "tuner/compile/nvrtc.h"

namespace tuner {

// Fails as data: `ok` false with the reason and the log.
CompileReply compile(const Nvrtc& nvrtc, const CompileRequest& request);

}  // namespace tuner
