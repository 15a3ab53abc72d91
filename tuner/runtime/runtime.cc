#include "tuner/runtime/runtime.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "expr/error.h"
#include "tuner/runtime/state.h"

namespace tuner::runtime {
namespace {

Error::Kind kind_of(const TunerError& error) {
  switch (error.exit_code()) {
    case ExitCode::bad_input:
      return Error::Kind::bad_input;
    case ExitCode::no_valid_config:
      return Error::Kind::no_valid_config;
    case ExitCode::no_device:
      return Error::Kind::no_device;
    default:
      return Error::Kind::failed;
  }
}

constexpr std::int64_t kNotSet = detail::kNotSet;

// What is thrown to the program is of the public header alone.
template <typename Work>
decltype(auto) guarded(Work work) {
  try {
    return work();
  } catch (const TunerError& error) {
    throw Error(kind_of(error), error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(Error::Kind::failed, error.what());
  }
}

}  // namespace

const char* name_of(Rung rung) noexcept {
  switch (rung) {
    case Rung::exact:
      return "exact";
    case Rung::nearest_size:
      return "nearest size";
    case Rung::same_capability:
      return "same compute capability";
    case Rung::fallback:
      break;
  }
  return "fallback";
}

Problem::Problem(const detail::KernelState& kernel) : kernel_(&kernel) { codes_.fill(kNotSet); }

Problem& Problem::set(std::string_view axis, long long value) {
  return guarded([&]() -> Problem& {
    const std::size_t index = kernel_->axis_index(axis);
    switch (kernel_->axis(index).kind) {
      case Axis::Kind::size:
        // The least of all means "not set"; the next is refused just as well.
        codes_[index] = std::max<std::int64_t>(value, kNotSet + 1);
        break;
      case Axis::Kind::number:
        codes_[index] = std::bit_cast<std::int64_t>(static_cast<double>(value));
        break;
      case Axis::Kind::choice:
      case Axis::Kind::type:
        codes_[index] = kernel_->choice_code(index, Value(std::int64_t{value}));
    }
    return *this;
  });
}

Problem& Problem::set(std::string_view axis, std::size_t value) {
  constexpr std::size_t kMost = std::numeric_limits<long long>::max();
  return set(axis, static_cast<long long>(std::min(value, kMost)));
}

Problem& Problem::set(std::string_view axis, double value) {
  return guarded([&]() -> Problem& {
    const std::size_t index = kernel_->axis_index(axis);
    if (kernel_->axis(index).kind == Axis::Kind::number && std::isfinite(value)) {
      codes_[index] = std::bit_cast<std::int64_t>(value + 0.0);  // -0.0 is 0.0
    } else {
      codes_[index] = kernel_->choice_code(index, Value(value));
    }
    return *this;
  });
}

Problem& Problem::set(std::string_view axis, bool value) {
  return guarded([&]() -> Problem& {
    const std::size_t index = kernel_->axis_index(axis);
    codes_[index] = kernel_->choice_code(index, Value(value));
    return *this;
  });
}

Problem& Problem::set(std::string_view axis, std::string_view value) {
  return guarded([&]() -> Problem& {
    const std::size_t index = kernel_->axis_index(axis);
    codes_[index] = kernel_->choice_code(index, value);
    return *this;
  });
}

Arguments& Arguments::pointer(std::string name, const void* device_address) {
  return pointer(std::move(name), reinterpret_cast<std::uintptr_t>(device_address));
}

Arguments& Arguments::pointer(std::string name, unsigned long long device_address) {
  pointers_.emplace_back(std::move(name), device_address);
  return *this;
}

Arguments& Arguments::scalar(std::string name, double value) {
  scalars_.push_back({std::move(name), false, 0, value});
  return *this;
}

Arguments& Arguments::scalar(std::string name, long long value) {
  scalars_.push_back({std::move(name), true, value, 0});
  return *this;
}

Problem Kernel::problem() const { return Problem(*state_); }

const Selection& Kernel::select(const Problem& problem) const {
  return guarded([&]() -> const Selection& { return state_->select(problem).selection; });
}

std::vector<Buffer> Kernel::buffers(const Problem& problem) const {
  return guarded([&] { return state_->buffers(problem); });
}

const Selection& Kernel::prepare(const Problem& problem) const {
  return guarded([&]() -> const Selection& { return state_->prepare(problem).selection; });
}

const Selection& Kernel::launch(CUstream stream, const Problem& problem,
                                const Arguments& arguments) const {
  return guarded([&]() -> const Selection& { return state_->launch(stream, problem, arguments); });
}

Runtime::Runtime(Options options)
    : state_(guarded([&] { return std::make_unique<detail::RuntimeState>(std::move(options)); })) {}

Runtime::~Runtime() = default;

Kernel Runtime::kernel(const std::string& name_or_path) {
  return guarded([&] { return Kernel(state_->kernel(name_or_path)); });
}

void Runtime::reload() {
  guarded([&] { state_->reload(); });
}

}  // namespace tuner::runtime
