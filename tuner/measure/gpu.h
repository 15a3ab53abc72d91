// The GPU of a measuring process: its context, one stream, and pinned memory to copy through.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "models/device_profile.h"
#include "tuner/gpu/device.h"
#include "tuner/gpu/handles.h"
#include "tuner/gpu/nvml.h"
#include "tuner/measure/comparison.h"

namespace tuner {

// For one thread. Everything is queued on one stream; what says "waits" returns when all of it is
// done. Driver errors are thrown as DriverError.
class Gpu {
 public:
  static constexpr std::int64_t kChunkBytes = std::int64_t{8} << 20;

  // Throws TunerError where there is no such device.
  explicit Gpu(int index);

  const Driver& driver() const { return *driver_; }
  CUstream stream() const { return stream_.get(); }
  const models::DeviceProfile& profile() const { return profile_; }
  const Nvml* nvml() const { return nvml_.get(); }
  std::int64_t free_bytes() const;

  // Queued; they return at once.
  void fill(CUdeviceptr target, std::uint8_t value, std::int64_t bytes) const;
  void copy(CUdeviceptr target, CUdeviceptr source, std::int64_t bytes) const;
  void record(const Event& event) const;

  // Waits for the stream. False where `limit` is over first: then a kernel hangs.
  bool wait(std::chrono::milliseconds limit) const;
  // As wait(), but throws TrialFailure (status "timeout", fatal) where the time is over.
  void finish(std::chrono::milliseconds limit) const;
  // Between two events of which the later is done. Throws TrialFailure where no time passed.
  double elapsed_ns(const Event& from, const Event& to) const;

  // Copies to the device what `produce` writes for each chunk. Waits.
  void upload(
      CUdeviceptr target, std::int64_t bytes,
      const std::function<void(std::int64_t offset, std::span<std::byte> chunk)>& produce) const;
  // Hands the ranges' bytes to `consume` in chunks, in order, while the next one is being copied.
  // Waits. Chunks begin at multiples of 8 bytes from the start of a range.
  void download(CUdeviceptr source, std::span<const ByteRange> ranges,
                const std::function<void(std::int64_t offset, std::span<const std::byte> chunk)>&
                    consume) const;
  // Small pieces at once, one after the other into `target`. Waits. At most kChunkBytes.
  struct Piece {
    CUdeviceptr source = 0;
    std::int64_t bytes = 0;
  };
  void gather(std::span<const Piece> pieces, std::span<std::byte> target) const;

 private:
  std::shared_ptr<const Driver> driver_;
  CUdevice device_ = 0;
  models::DeviceProfile profile_;
  std::unique_ptr<Nvml> nvml_;
  PrimaryContext context_;
  Stream stream_;
  Event done_;
  std::array<PinnedMemory, 2> staging_;
  std::array<Event, 2> staged_;
};

}  // namespace tuner
