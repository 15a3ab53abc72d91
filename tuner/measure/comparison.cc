#include "tuner/measure/comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "tuner/measure/parallel_for.h"

namespace tuner {
namespace {

constexpr std::int64_t kGrain = std::int64_t{1} << 16;
constexpr std::int64_t kPieceBytes = std::int64_t{64} << 10;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The difference of two 64-bit integers, which may exceed 64 signed bits.
double difference(std::int64_t a, std::int64_t b) {
  const std::uint64_t magnitude =
      a >= b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
             : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
  return static_cast<double>(magnitude);
}

struct Pair {
  double error = 0;
  double reference = 0;
  bool equal = false;
};

template <typename T, typename Reference>
Pair make_pair_of(T value, Reference reference) {
  if constexpr (std::is_same_v<Reference, std::int64_t>) {
    // u64 values are kept in the reference bit by bit.
    const auto whole = static_cast<std::int64_t>(value);
    return {difference(whole, reference), static_cast<double>(reference), whole == reference};
  } else {
    const double x = as_double(value);
    return {std::fabs(x - reference), reference, x == reference};
  }
}

// For a message.
template <typename T>
Value printable(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    const double number = as_double(value);
    return number == number ? number : std::numeric_limits<double>::quiet_NaN();  // without a sign
  }
}

// How bad a difference is: error / allowed, infinity where no error can be told or allowed. Where
// elements are not judged by themselves, the error serves to find the worst.
double badness(const Pair& pair, const ElementTolerance& tolerance) {
  if (!(pair.error < kInfinity)) return kInfinity;
  if (!tolerance.elementwise) return pair.error;
  const double allowed = tolerance.allowed(pair.reference);
  return allowed > 0 ? pair.error / allowed : kInfinity;
}

bool passes(const Pair& pair, const ElementTolerance& tolerance) {
  if (pair.equal) return true;
  if (!(std::fabs(pair.reference) < kInfinity)) return false;
  if (!tolerance.elementwise) return pair.error < kInfinity;
  return pair.error <= tolerance.allowed(pair.reference);
}

template <typename T, typename Reference>
void compare_into(Comparison& result, T value, Reference reference, std::int64_t index,
                  const ElementTolerance& tolerance) {
  const Pair pair = make_pair_of(value, reference);
  ++result.checked;
  if (!passes(pair, tolerance)) ++result.failed;
  if (pair.equal) {
    if (std::fabs(pair.reference) < kInfinity)
      result.squared_reference += pair.reference * pair.reference;
    return;
  }
  result.squared_error += pair.error * pair.error;
  result.squared_reference += pair.reference * pair.reference;
  const double found = badness(pair, tolerance);
  if (result.worst_index >= 0 && found <= result.worst_ratio) return;
  result.worst_ratio = found;
  result.worst_index = index;
  result.worst_value = printable(value);
  result.worst_expected = printable(reference);
}

template <typename T, typename Reference>
Comparison compare_piece(const std::byte* values, const std::byte* reference, std::int64_t begin,
                         std::int64_t end, std::int64_t first_index,
                         const ElementTolerance& tolerance) {
  Comparison result;
  for (std::int64_t i = begin; i < end; ++i) {
    const auto place = static_cast<std::size_t>(i);
    compare_into(result, load_element<T>(values + place * sizeof(T)),
                 load_element<Reference>(reference + place * sizeof(Reference)), first_index + i,
                 tolerance);
  }
  return result;
}

double number(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

double error_of(const Comparison& comparison) {
  const auto* value = std::get_if<std::int64_t>(&comparison.worst_value);
  const auto* expected = std::get_if<std::int64_t>(&comparison.worst_expected);
  if (value != nullptr && expected != nullptr) return difference(*value, *expected);
  return std::fabs(number(comparison.worst_value) - number(comparison.worst_expected));
}

}  // namespace

void Comparison::add(const Comparison& other) {
  checked += other.checked;
  failed += other.failed;
  squared_error += other.squared_error;
  squared_reference += other.squared_reference;
  if (other.worst_index < 0) return;
  const bool worse = worst_index < 0 || other.worst_ratio > worst_ratio ||
                     (other.worst_ratio == worst_ratio && other.worst_index < worst_index);
  if (!worse) return;
  worst_index = other.worst_index;
  worst_ratio = other.worst_ratio;
  worst_value = other.worst_value;
  worst_expected = other.worst_expected;
}

double Comparison::frobenius() const {
  if (squared_error == 0) return 0;
  if (!(squared_reference > 0)) return kInfinity;
  return std::sqrt(squared_error / squared_reference);
}

Comparison compare_elements(Element element, std::span<const std::byte> values,
                            std::span<const std::byte> reference, std::int64_t first_index,
                            const ElementTolerance& tolerance) {
  const std::int64_t count = static_cast<std::int64_t>(values.size()) / size_of(element);
  Comparison total;
  std::mutex mutex;
  parallel_for(count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    const Comparison piece = dispatch(element, [&]<typename T>(std::type_identity<T>) {
      using Reference = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
      return compare_piece<T, Reference>(values.data(), reference.data(), begin, end, first_index,
                                         tolerance);
    });
    const std::lock_guard lock(mutex);
    total.add(piece);
  });
  return total;
}

Comparison compare_one(Element element, const std::byte* value, double expected, std::int64_t index,
                       const ElementTolerance& tolerance) {
  Comparison result;
  dispatch(element, [&]<typename T>(std::type_identity<T>) {
    compare_into(result, load_element<T>(value), expected, index, tolerance);
  });
  return result;
}

std::string describe_failure(const std::string& output, const Comparison& comparison,
                             const ElementTolerance& tolerance) {
  return fmt::format(
      "{}[{}] is {}, expected {} (error {:.3g}, allowed {:.3g}); {} of {} checked elements differ",
      output, comparison.worst_index, to_string(comparison.worst_value),
      to_string(comparison.worst_expected), error_of(comparison),
      tolerance.allowed(number(comparison.worst_expected)), comparison.failed, comparison.checked);
}

std::vector<ByteRange> ranges_to_check(std::int64_t bytes, bool full) {
  if (bytes <= 0) return {};
  if (full || bytes <= kSampledBytes) return {{0, bytes}};
  constexpr std::int64_t kPieces = kSampledBytes / kPieceBytes;
  // The last begins where whole elements do, since 8 divides all offsets but perhaps the end of the
  // buffer.
  const std::int64_t last = (bytes - kPieceBytes) / 8 * 8;
  std::vector<ByteRange> ranges;
  for (std::int64_t i = 0; i + 1 < kPieces; ++i) {
    ranges.push_back({last / (kPieces - 1) / 8 * 8 * i, kPieceBytes});
  }
  ranges.push_back({last, bytes - last});
  return ranges;
}

}  // namespace tuner
