// The main of a measuring process.
#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "tuner/gpu/device.h"
#include "tuner/gpu/handles.h"
#include "tuner/gpu/nvml.h"
#include "tuner/measure/json.h"
#include "tuner/measure/session.h"
#include "tuner/os/child_process.h"
#include "tuner/worker/driver_occupancy.h"
#include "tuner/worker/message.h"
#include "tuner/worker/worker.h"

namespace tuner {
namespace {

using nlohmann::json;

std::int64_t free_bytes(const Driver& driver, CUdevice device, const Nvml* nvml) {
  if (nvml != nullptr) {
    if (const auto bytes = nvml->free_bytes()) return *bytes;
  }
  // Only a context can tell otherwise, and making one may fail on a GPU that is full or taken.
  try {
    const PrimaryContext context = retain_context(driver, device);
    std::size_t free = 0;
    std::size_t total = 0;
    driver.check(driver.mem_get_info(&free, &total), "cuMemGetInfo");
    return static_cast<std::int64_t>(free);
  } catch (const DriverError&) {
    return 0;
  }
}

LiveDevice look_at(const Driver& driver, CUdevice device, int index) {
  const std::unique_ptr<Nvml> nvml = Nvml::open(device_pci_bus_id(driver, device));
  LiveDevice result;
  result.index = index;
  result.profile = device_profile(driver, device);
  result.uuid = device_uuid(driver, device);
  result.driver_cuda_version = driver_cuda_version(driver);
  if (nvml != nullptr) result.driver_version = nvml->driver_version();
  result.free_bytes = free_bytes(driver, device, nvml.get());
  return result;
}

json answer_devices() {
  json answer = {{"type", "devices"}, {"devices", json::array()}, {"problem", ""}};
  try {
    const std::shared_ptr<const Driver> driver = load_driver();
    int index = 0;
    for (const CUdevice device : devices(*driver)) {
      answer["devices"].push_back(look_at(*driver, device, index++));
    }
    if (index == 0) answer["problem"] = "The NVIDIA driver finds no GPU.";
  } catch (const TunerError& error) {
    answer["problem"] = error.what();
  }
  return answer;
}

class Server {
 public:
  explicit Server(Channel channel) : channel_(std::move(channel)) {}

  int serve() {
    for (;;) {
      const Channel::Received received = channel_.receive(std::nullopt);
      if (received.outcome != Channel::Outcome::message) return 0;
      if (!channel_.send(to_message(answer_safely(received.message)))) return 0;
      // Without destructors: they would talk to a context that is lost, or wait for a kernel that
      // never ends.
      if (setup_failed_ || (session_ != nullptr && session_->broken())) ::_exit(0);
    }
  }

 private:
  json answer_safely(const std::string& message) {
    try {
      return answer(from_message(message));
    } catch (const std::exception& error) {
      return {{"type", "error"}, {"message", error.what()}};
    }
  }

  json answer(const json& request) {
    const auto type = request.at("type").get<std::string>();
    if (type == "devices") return answer_devices();
    if (type == "occupancy") return answer_occupancy(request);
    if (type == "setup") {
      session_.reset();  // its memory first
      setup_failed_ = true;
      session_ = std::make_unique<Session>(request.at("setup").get<MeasureSetup>());
      setup_failed_ = false;
      return {{"type", "ready"}};
    }
    if (session_ == nullptr) throw TunerError("Nothing is set up to measure.");
    if (type == "measure") {
      const MeasureResult result = session_->measure(request.at("job").get<MeasureJob>());
      return {{"type", "result"}, {"result", result}, {"broken", session_->broken()}};
    }
    if (type == "compare") {
      const auto at = [this](int index) {
        channel_.send(to_message({{"type", "at"}, {"index", index}}));
      };
      const auto results = session_->compare(request.at("job").get<CompareJob>(), at);
      return {{"type", "compared"}, {"results", results}, {"broken", session_->broken()}};
    }
    throw TunerError(fmt::format("A measuring process does not know the request '{}'.", type));
  }

  Channel channel_;
  std::unique_ptr<Session> session_;
  bool setup_failed_ = false;
};

}  // namespace

int run_worker_process() { return Server(adopt_channel()).serve(); }

}  // namespace tuner
