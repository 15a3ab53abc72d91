#include "tuner/cli/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "expr/error.h"

namespace tuner {
namespace {

constexpr std::int64_t kKib = 1024;

// The multiple that a unit means; 0 for an unknown one.
std::int64_t multiple_of(std::string unit) {
  std::ranges::transform(unit, unit.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (unit.empty() || unit == "b") return 1;
  if (unit == "k" || unit == "kb" || unit == "kib") return kKib;
  if (unit == "m" || unit == "mb" || unit == "mib") return kKib * kKib;
  return 0;
}

}  // namespace

std::int64_t parse_bytes(const std::string& text, const std::string& origin) {
  std::int64_t number = 0;
  const char* past = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), past, number);
  const std::int64_t multiple = error == std::errc{} ? multiple_of(std::string(end, past)) : 0;
  // More than a tebibyte is no memory of a SM, and the product must not overflow.
  if (multiple == 0 || number < 0 || number > (std::int64_t{1} << 40)) {
    throw TunerError(
        fmt::format("{} {}: expected bytes, such as 8320, 32K or 48KiB", origin, text));
  }
  return number * multiple;
}

std::string show_bytes(std::int64_t bytes) {
  if (bytes >= kKib * kKib * kKib) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (kKib * kKib * kKib));
  }
  if (bytes >= kKib * kKib && bytes % (kKib * kKib) != 0) {
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (kKib * kKib));
  }
  if (bytes >= kKib * kKib) return fmt::format("{} MiB", bytes / (kKib * kKib));
  if (bytes >= kKib && bytes % kKib == 0) return fmt::format("{} KiB", bytes / kKib);
  return fmt::format("{} B", bytes);
}

std::string show_time_ns(double ns) {
  if (!std::isfinite(ns)) return "never";
  if (ns >= 1e9) return fmt::format("{:.4g} s", ns * 1e-9);
  if (ns >= 1e6) return fmt::format("{:.4g} ms", ns * 1e-6);
  if (ns >= 1e3) return fmt::format("{:.4g} us", ns * 1e-3);
  return fmt::format("{:.3g} ns", ns);
}

}  // namespace tuner
