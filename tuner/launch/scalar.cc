#include "tuner/launch/scalar.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/kernel/element.h"
#include "tuner/launch/launch_sequence.h"

namespace tuner {
namespace {

template <typename T>
T scalar_from(const std::string& name, const std::string& type, const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return from_double<T>(*real);
  if (const auto* truth = std::get_if<bool>(&value)) return from_integer<T>(*truth ? 1 : 0);
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) {
    throw TunerError(fmt::format("The scalar '{}' is the text '{}', which cannot be an argument.",
                                 name, to_string(value)));
  }
  const T converted = from_integer<T>(*whole);
  if constexpr (std::is_integral_v<T>) {
    if (!std::in_range<T>(*whole)) {
      throw LaunchRefused(
          fmt::format("argument '{}' is {}, which does not fit {}", name, *whole, type));
    }
  }
  return converted;
}

}  // namespace

std::vector<std::byte> encode_scalar(const std::string& name, const std::string& type,
                                     const Value& value) {
  return dispatch(parse_element(type), [&]<typename T>(std::type_identity<T>) {
    std::vector<std::byte> bytes(sizeof(T));
    store_element(bytes.data(), scalar_from<T>(name, type, value));
    return bytes;
  });
}

}  // namespace tuner
