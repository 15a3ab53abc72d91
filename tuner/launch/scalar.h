// Scalar arguments as the bytes that a kernel gets.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "expr/value.h"

namespace tuner {

// Little-endian. Throws LaunchRefused where an integer does not fit its type, TunerError for text
// or an unknown type.
std::vector<std::byte> encode_scalar(const std::string& name, const std::string& type,
                                     const Value& value);

}  // namespace tuner
