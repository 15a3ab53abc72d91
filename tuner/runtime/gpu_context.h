// The context of the program that a Runtime works in.
#pragma once

#include <memory>

#include "models/device_profile.h"
#include "tuner/gpu/handles.h"
#include "tuner/runtime/runtime.h"

namespace tuner::runtime {

// Immutable once opened; any thread.
struct GpuContext {
  std::shared_ptr<const Driver> driver;
  PrimaryContext primary;  // where it is this library that retains it
  CUcontext context = nullptr;
  int device = 0;  // its index
  models::DeviceProfile profile;
};

// As Options::context and ::device say. Throws TunerError where there is no driver or GPU.
GpuContext open_context(const Options& options);

// Makes a context current while it lives.
class [[nodiscard]] CurrentContext {
 public:
  explicit CurrentContext(const GpuContext& gpu);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Driver& driver_;
  bool pushed_ = false;
};

}  // namespace tuner::runtime
