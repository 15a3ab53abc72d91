// What limits an occupancy, in one line.
#pragma once

#include <string>

#include "models/occupancy.h"

namespace tuner {

// "registers, shared_memory"; empty where nothing is known.
inline std::string limiter_names(const models::Occupancy& occupancy) {
  std::string text;
  for (const models::Limiter limiter : occupancy.limiters) {
    if (!text.empty()) text += ", ";
    text += models::to_string(limiter);
  }
  return text;
}

}  // namespace tuner
