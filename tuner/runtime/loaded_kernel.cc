#include "tuner/runtime/loaded_kernel.h"

#include <cuda.h>

namespace tuner::runtime {

LoadedKernel::LoadedKernel(std::shared_ptr<const Driver> driver, models::DeviceProfile device,
                           LaunchPlan plan, std::string image)
    : driver_(std::move(driver)),
      device_(std::move(device)),
      plan_(std::move(plan)),
      image_(plan_.symbols.empty() ? std::string() : image),
      module_(load_module(*driver_, image, "a tuned kernel")),
      sequence_(*driver_, device_, module_.get(), plan_.steps) {}

void LoadedKernel::launch(CUstream stream, LaunchTargets buffers) {
  OnStream& own = on_stream(stream);
  const std::lock_guard lock(own.queueing);
  for (std::size_t i = 0; i < plan_.workspaces.size(); ++i) {
    const WorkspaceSpec& spec = plan_.workspaces[i];
    buffers.workspaces[spec.name] = {own.workspaces[i].get(), spec.bytes, Element::u8};
    if (spec.init == "each_run") zero(own.workspaces[i].get(), spec.bytes, stream);
  }
  fill_symbols(own, buffers, stream);
  const LaunchSequence& sequence = own.sequence ? *own.sequence : sequence_;
  sequence.enqueue(sequence.bind(buffers), stream);
}

LoadedKernel::OnStream& LoadedKernel::on_stream(CUstream stream) {
  const bool is_of_thread = stream == CU_STREAM_PER_THREAD;
  const StreamKey key{stream, is_of_thread ? std::this_thread::get_id() : std::thread::id()};
  const std::lock_guard lock(mutex_);
  std::unique_ptr<OnStream>& own = streams_[key];
  if (!own) own = make_on_stream(stream);
  return *own;
}

std::unique_ptr<LoadedKernel::OnStream> LoadedKernel::make_on_stream(CUstream stream) const {
  auto own = std::make_unique<OnStream>();
  if (!plan_.symbols.empty()) {
    own->module = load_module(*driver_, image_, "a tuned kernel");
    own->sequence.emplace(*driver_, device_, own->module->get(), plan_.steps);
  }
  for (const WorkspaceSpec& spec : plan_.workspaces) {
    own->workspaces.push_back(
        allocate(*driver_, static_cast<std::size_t>(spec.bytes), "the workspace " + spec.name));
    if (spec.init != "never") zero(own->workspaces.back().get(), spec.bytes, stream);
  }
  return own;
}

void LoadedKernel::fill_symbols(const OnStream& own, const LaunchTargets& buffers,
                                CUstream stream) const {
  for (const SymbolSpec& symbol : plan_.symbols) {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    driver_->check(
        driver_->module_get_global(&address, &size, own.module->get(), symbol.lowered_name.c_str()),
        "cuModuleGetGlobal of {}", symbol.lowered_name);
    const LaunchTarget& values = buffers.buffers.at(symbol.buffer);
    if (values.bytes > static_cast<std::int64_t>(size)) {
      throw LaunchRefused(fmt::format("the symbol {} has {} bytes, its values '{}' have {}",
                                      symbol.lowered_name, size, symbol.buffer, values.bytes));
    }
    driver_->check(driver_->memcpy_on_device(address, values.address,
                                             static_cast<std::size_t>(values.bytes), stream),
                   "cuMemcpyDtoDAsync of {} bytes to {}", values.bytes, symbol.lowered_name);
  }
}

void LoadedKernel::zero(CUdeviceptr target, std::int64_t bytes, CUstream stream) const {
  if (bytes <= 0) return;
  driver_->check(driver_->memset_bytes(target, 0, static_cast<std::size_t>(bytes), stream),
                 "cuMemsetD8Async of {} bytes", bytes);
}

}  // namespace tuner::runtime
