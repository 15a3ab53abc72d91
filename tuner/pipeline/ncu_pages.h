// Between calling ncu and reading what it prints.
#pragma once

#include <string>

namespace tuner {

// The metrics that parse_ncu reads, as `--metrics` takes them.
std::string ncu_metrics();

}  // namespace tuner
