// Owners of what the driver hands out. All are move-only; what fails while destroying is logged.
// A Driver must outlive its handles.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "tuner/gpu/driver.h"

namespace tuner {

// Destroy is a struct of one member `const Driver* driver` with `void operator()(T) const
// noexcept`.
template <typename T, typename Destroy>
class [[nodiscard]] Handle {
 public:
  Handle() noexcept = default;
  Handle(const Driver& driver, T value) noexcept : value_(value), destroy_{&driver} {}
  Handle(Handle&& other) noexcept
      : value_(other.value_), destroy_{std::exchange(other.destroy_.driver, nullptr)} {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = other.value_;
      destroy_.driver = std::exchange(other.destroy_.driver, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }

  T get() const noexcept { return value_; }
  explicit operator bool() const noexcept { return destroy_.driver != nullptr; }
  void reset() noexcept {
    if (destroy_.driver == nullptr) return;
    destroy_(value_);
    destroy_.driver = nullptr;
  }

 private:
  T value_{};
  Destroy destroy_{nullptr};
};

struct ReleasePrimaryContext {
  const Driver* driver;
  void operator()(CUdevice device) const noexcept;
};
struct DestroyStream {
  const Driver* driver;
  void operator()(CUstream stream) const noexcept;
};
struct DestroyEvent {
  const Driver* driver;
  void operator()(CUevent event) const noexcept;
};
struct UnloadModule {
  const Driver* driver;
  void operator()(CUmodule module) const noexcept;
};
struct FreeDeviceMemory {
  const Driver* driver;
  void operator()(CUdeviceptr pointer) const noexcept;
};
struct FreePinnedMemory {
  const Driver* driver;
  void operator()(std::byte* pointer) const noexcept;
};

using PrimaryContext = Handle<CUdevice, ReleasePrimaryContext>;
using Stream = Handle<CUstream, DestroyStream>;
using Event = Handle<CUevent, DestroyEvent>;
using Module = Handle<CUmodule, UnloadModule>;
using DeviceMemory = Handle<CUdeviceptr, FreeDeviceMemory>;
using PinnedMemory = Handle<std::byte*, FreePinnedMemory>;

// Each throws DriverError. The context becomes current in the calling thread, which is the one that
// all others are to be called from.
PrimaryContext retain_context(const Driver& driver, CUdevice device);
Stream make_stream(const Driver& driver);
Event make_event(const Driver& driver);
// `name` is for the message of a failure.
Module load_module(const Driver& driver, const std::string& image, const std::string& name);
DeviceMemory allocate(const Driver& driver, std::size_t bytes, const std::string& name);
PinnedMemory allocate_pinned(const Driver& driver, std::size_t bytes);

}  // namespace tuner
