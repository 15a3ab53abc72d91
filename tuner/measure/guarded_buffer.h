// Device memory with guards on both sides.
#pragma once

#include <string>
#include <vector>

#include "tuner/measure/gpu.h"
#include "tuner/measure/guard.h"

namespace tuner {

// Move-only. The Gpu must outlive it.
class GuardedBuffer {
 public:
  // Throws DriverError where there is no room. The guards are written (queued).
  GuardedBuffer(const Gpu& gpu, std::string name, std::int64_t bytes);

  const std::string& name() const { return name_; }
  CUdeviceptr data() const { return memory_.get() + static_cast<CUdeviceptr>(kGuardBytes); }
  std::int64_t bytes() const { return bytes_; }
  void write_guards(const Gpu& gpu) const;

 private:
  std::string name_;
  std::int64_t bytes_;
  DeviceMemory memory_;
};

// What is wrong with the guards of these buffers; empty where all are whole. Waits. Damaged guards
// are written anew.
std::string check_guards(const Gpu& gpu, const std::vector<const GuardedBuffer*>& buffers);

}  // namespace tuner
