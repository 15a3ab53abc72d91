#include "tuner/report/bar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tuner {

std::string bar(double fraction, int width) {
  static constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double held = fraction > 0 ? std::min(fraction, 1.0) : 0.0;
  const int eighths = static_cast<int>(std::lround(held * width * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[static_cast<std::size_t>(eighths % 8)];
  const int shown = (eighths + 7) / 8;
  for (int i = shown; i < width; ++i) text += "·";
  return text;
}

}  // namespace tuner
