// Horizontal bars in text, an eighth of a character fine.
#pragma once

#include <string>

namespace tuner {

// `fraction` of `width` characters filled, the rest dotted. Held to 0..1; not a number counts as 0.
std::string bar(double fraction, int width = 20);

}  // namespace tuner
