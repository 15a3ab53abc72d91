// A configuration on the GPU: its module, its launches, and for each stream the memory that belongs
// to it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/gpu/handles.h"
#include "tuner/kernel/kernel.h"
#include "tuner/launch/launch_sequence.h"

namespace tuner::runtime {

// Thread-safe. The context that it was made in must be current wherever it is used, and when it is
// destroyed.
class LoadedKernel {
 public:
  struct Buffer {
    std::string name;
    std::int64_t bytes = 0;
    Element element = Element::u8;
  };

  // `image`: the cubin's bytes. Throws LaunchRefused or DriverError where the device does not take
  // the configuration.
  LoadedKernel(std::shared_ptr<const Driver> driver, models::DeviceProfile device, LaunchPlan plan,
               const std::vector<BufferSpec>& buffers, const std::string& image);

  const LaunchPlan& plan() const { return plan_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }  // all that the kernel has
  // Queues all steps. `addresses`: of the buffers, in their order. The first launch on a stream
  // allocates the workspaces.
  void launch(CUstream stream, const std::vector<CUdeviceptr>& addresses);

 private:
  // The default stream of a thread is another in each, under one handle.
  using StreamKey = std::pair<CUstream, std::thread::id>;
  struct OnStream {
    std::mutex queueing;  // the steps of one launch stay together
    // Of its own where there are constants: their values are a module's.
    std::optional<Module> module;
    std::optional<LaunchSequence> sequence;
    std::vector<DeviceMemory> workspaces;
    // Of the last launch: mostly the next has the same.
    std::vector<CUdeviceptr> addresses;
    std::optional<BoundArguments> arguments;
  };

  OnStream& on_stream(CUstream stream);
  std::unique_ptr<OnStream> make_on_stream(CUstream stream) const;
  LaunchTargets targets(const OnStream& own, const std::vector<CUdeviceptr>& addresses) const;
  void fill_symbols(const OnStream& own, const std::vector<CUdeviceptr>& addresses,
                    CUstream stream) const;
  void zero(CUdeviceptr target, std::int64_t bytes, CUstream stream) const;

  const std::shared_ptr<const Driver> driver_;
  const models::DeviceProfile device_;
  const LaunchPlan plan_;
  const std::vector<Buffer> buffers_;
  const std::string image_;  // empty where one module serves all streams
  Module module_;
  const LaunchSequence sequence_;
  std::mutex mutex_;  // guards the map, not what is in it
  std::map<StreamKey, std::unique_ptr<OnStream>> streams_;
};

std::int64_t bytes_of(const BufferSpec& buffer);

}  // namespace tuner::runtime
