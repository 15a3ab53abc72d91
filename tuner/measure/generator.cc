#include "tuner/measure/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "expr/error.h"
#include "tuner/measure/parallel_for.h"

namespace tuner {
namespace {

constexpr std::int64_t kGrain = std::int64_t{1} << 16;

double unit_uniform(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(mixed(seed, index) >> 11) * 0x1p-53;
}

// Twelve numbers of 0 .. 65535 have the mean 6 * 65535 and the variance 65536^2 - 1.
double unit_normal(std::uint64_t seed, std::uint64_t index) {
  std::int64_t sum = 0;
  for (std::uint64_t word = 0; word < 3; ++word) {
    const std::uint64_t bits = mixed(seed, 3 * index + word);
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int64_t>((bits >> shift) & 0xffffU);
    }
  }
  return static_cast<double>(sum - 6 * 65535) / 65536.0;
}

void check_file(const BufferSpec& spec, std::int64_t bytes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(spec.init.file, error);
  if (error) {
    throw TunerError(fmt::format("Buffer '{}' is filled from '{}', which cannot be read: {}.",
                                 spec.name, spec.init.file, error.message()));
  }
  if (size < static_cast<std::uintmax_t>(bytes)) {
    throw TunerError(fmt::format("Buffer '{}' needs {} bytes of '{}', which has only {}.",
                                 spec.name, bytes, spec.init.file, size));
  }
}

}  // namespace

Generator::Kind Generator::parse_kind(const BufferSpec& spec) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 7> kKinds{
      {{"uniform", Kind::uniform},
       {"normal", Kind::normal},
       {"constant", Kind::constant},
       {"index", Kind::index},
       {"permutation", Kind::permutation},
       {"clustered", Kind::clustered},
       {"file", Kind::file}}};
  for (const auto& [name, kind] : kKinds) {
    if (name == spec.init.kind) return kind;
  }
  throw TunerError(
      fmt::format("Buffer '{}' has the unknown kind of values '{}'; known are uniform, normal, "
                  "constant, index, "
                  "permutation, clustered and file.",
                  spec.name, spec.init.kind));
}

Generator::Generator(BufferSpec spec)
    : spec_(std::move(spec)),
      element_(parse_element(spec_.element)),
      kind_(parse_kind(spec_)),
      permutation_(spec_.count, spec_.init.seed) {
  if (kind_ == Kind::file) check_file(spec_, spec_.count * size_of(element_));
  if (kind_ == Kind::clustered && spec_.init.run <= 0) {
    throw TunerError(
        fmt::format("Buffer '{}' is clustered in runs of {} elements; give 'run' as 1 or more.",
                    spec_.name, spec_.init.run));
  }
}

template <typename T>
T Generator::make_drawn(std::int64_t index) const {
  const BufferInit& init = spec_.init;
  const auto place = static_cast<std::uint64_t>(index % kPeriod);
  if (kind_ == Kind::normal) {
    const double drawn = init.low + init.high * unit_normal(init.seed, place);
    return from_double<T>(std::is_integral_v<T> ? std::nearbyint(drawn) : drawn);
  }
  const double u = unit_uniform(init.seed, place);
  if constexpr (std::is_integral_v<T>) {
    return from_double<T>(
        std::min(init.high, init.low + std::floor(u * (init.high - init.low + 1))));
  } else {
    return from_double<T>(init.low + (init.high - init.low) * u);
  }
}

std::int64_t Generator::make_clustered(std::int64_t index) const {
  const std::int64_t begin = index - index % spec_.init.run;
  const std::int64_t length = std::min(spec_.init.run, spec_.count - begin);
  const std::uint64_t seed = mixed(spec_.init.seed, static_cast<std::uint64_t>(begin));
  return begin + Permutation(length, seed)(index - begin);
}

template <typename T>
T Generator::make(std::int64_t index) const {
  switch (kind_) {
    case Kind::constant:
      return from_double<T>(spec_.init.low);
    case Kind::index:
      return from_integer<T>(index);
    case Kind::permutation:
      return from_integer<T>(permutation_(index));
    case Kind::clustered:
      return from_integer<T>(make_clustered(index));
    default:
      return make_drawn<T>(index);
  }
}

void Generator::fill_directly(std::int64_t first, std::int64_t count, std::byte* out) const {
  dispatch(element_, [&]<typename T>(std::type_identity<T>) {
    parallel_for(count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        store_element(out + i * static_cast<std::int64_t>(sizeof(T)), make<T>(first + i));
      }
    });
  });
}

void Generator::fill_from_block(std::int64_t first, std::int64_t count, std::byte* out) {
  const std::int64_t size = size_of(element_);
  if (block_.empty()) {
    block_.resize(static_cast<std::size_t>(kPeriod * size));
    fill_directly(0, kPeriod, block_.data());
  }
  parallel_for(count, kGrain * 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t place = (first + i) % kPeriod;
      const std::int64_t piece = std::min(end - i, kPeriod - place);
      std::copy_n(block_.data() + place * size, piece * size, out + i * size);
      i += piece;
    }
  });
}

void Generator::read_from_file(std::int64_t first, std::int64_t count, std::byte* out) const {
  const std::int64_t size = size_of(element_);
  std::ifstream file(spec_.init.file, std::ios::binary);
  file.seekg(first * size);
  file.read(reinterpret_cast<char*>(out), count * size);
  if (!file) {
    throw TunerError(
        fmt::format("Buffer '{}' is filled from '{}', which cannot be read at byte {}.", spec_.name,
                    spec_.init.file, first * size));
  }
}

void Generator::fill(std::int64_t first, std::int64_t count, std::byte* out) {
  if (count <= 0) return;
  const bool drawn = kind_ == Kind::uniform || kind_ == Kind::normal;
  if (kind_ == Kind::file) {
    read_from_file(first, count, out);
  } else if (drawn && spec_.count > kPeriod) {
    fill_from_block(first, count, out);
  } else {
    fill_directly(first, count, out);
  }
}

double Generator::value(std::int64_t index) const {
  if (index < 0 || index >= spec_.count) {
    throw TunerError(fmt::format("Element {} of buffer '{}' is asked for, which has {}.", index,
                                 spec_.name, spec_.count));
  }
  if (kind_ == Kind::file) {
    std::array<std::byte, 8> bytes{};
    read_from_file(index, 1, bytes.data());
    return load_as_double(element_, bytes.data());
  }
  return dispatch(element_,
                  [&]<typename T>(std::type_identity<T>) { return as_double(make<T>(index)); });
}

}  // namespace tuner
