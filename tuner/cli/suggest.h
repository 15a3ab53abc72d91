// "did you mean": the end of a message about an unknown name.
#pragma once

#include <span>
#include <string>

namespace tuner {

// " (did you mean NEAREST?)" where a known name is near, else "".
std::string did_you_mean(const std::string& name, std::span<const std::string> known);

}  // namespace tuner
