// How much device memory a problem takes, before anything is allocated.
#pragma once

#include <cstdint>

#include "tuner/measure/job.h"

namespace tuner {

// Bytes of a buffer's data. Saturates at INT64_MAX; throws TunerError for a negative count or an
// unknown type.
std::int64_t buffer_bytes(const BufferSpec& buffer);

// Of all buffers with their guards, the copies from which inout buffers are restored, and the
// reference outputs, which live only while they are computed. What rotation or flushing of the
// cache takes comes on top, as far as there is room. Saturates at INT64_MAX. Throws as
// buffer_bytes().
std::int64_t device_bytes_needed(const MeasureSetup& setup);

}  // namespace tuner
