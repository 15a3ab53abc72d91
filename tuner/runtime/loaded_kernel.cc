#include "tuner/runtime/loaded_kernel.h"

#include <cuda.h>

#include <algorithm>

namespace tuner::runtime {

namespace {

std::vector<LoadedKernel::Buffer> loaded_buffers(const std::vector<BufferSpec>& specs) {
  std::vector<LoadedKernel::Buffer> buffers;
  buffers.reserve(specs.size());
  for (const BufferSpec& spec : specs) {
    buffers.push_back({spec.name, bytes_of(spec), parse_element(spec.element)});
  }
  return buffers;
}

}  // namespace

std::int64_t bytes_of(const BufferSpec& buffer) {
  return buffer.count * size_of(parse_element(buffer.element));
}

LoadedKernel::LoadedKernel(std::shared_ptr<const Driver> driver, models::DeviceProfile device,
                           LaunchPlan plan, const std::vector<BufferSpec>& buffers,
                           const std::string& image)
    : driver_(std::move(driver)),
      device_(std::move(device)),
      plan_(std::move(plan)),
      buffers_(loaded_buffers(buffers)),
      image_(plan_.symbols.empty() ? std::string() : image),
      module_(load_module(*driver_, image, "a tuned kernel")),
      sequence_(*driver_, device_, module_.get(), plan_.steps) {}

void LoadedKernel::launch(CUstream stream, const std::vector<CUdeviceptr>& addresses) {
  OnStream& own = on_stream(stream);
  const std::lock_guard lock(own.queueing);
  const LaunchSequence& sequence = own.sequence ? *own.sequence : sequence_;
  if (!own.arguments || own.addresses != addresses) {
    own.arguments = sequence.bind(targets(own, addresses));
    own.addresses = addresses;
  }
  for (std::size_t i = 0; i < plan_.workspaces.size(); ++i) {
    const WorkspaceSpec& spec = plan_.workspaces[i];
    if (spec.init == "each_run") zero(own.workspaces[i].get(), spec.bytes, stream);
  }
  fill_symbols(own, addresses, stream);
  sequence.enqueue(*own.arguments, stream);
}

LaunchTargets LoadedKernel::targets(const OnStream& own,
                                    const std::vector<CUdeviceptr>& addresses) const {
  LaunchTargets targets;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    targets.buffers[buffers_[i].name] = {addresses[i], buffers_[i].bytes, buffers_[i].element};
  }
  for (std::size_t i = 0; i < plan_.workspaces.size(); ++i) {
    const WorkspaceSpec& spec = plan_.workspaces[i];
    targets.workspaces[spec.name] = {own.workspaces[i].get(), spec.bytes, Element::u8};
  }
  return targets;
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

void LoadedKernel::fill_symbols(const OnStream& own, const std::vector<CUdeviceptr>& addresses,
                                CUstream stream) const {
  for (const SymbolSpec& symbol : plan_.symbols) {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    driver_->check(
        driver_->module_get_global(&address, &size, own.module->get(), symbol.lowered_name.c_str()),
        "cuModuleGetGlobal of {}", symbol.lowered_name);
    const auto values = std::find_if(buffers_.begin(), buffers_.end(), [&](const Buffer& buffer) {
      return buffer.name == symbol.buffer;
    });
    if (values == buffers_.end() || values->bytes > static_cast<std::int64_t>(size)) {
      throw LaunchRefused(fmt::format("the values '{}' do not fit in the symbol {} of {} bytes",
                                      symbol.buffer, symbol.lowered_name, size));
    }
    driver_->check(driver_->memcpy_on_device(
                       address, addresses[static_cast<std::size_t>(values - buffers_.begin())],
                       static_cast<std::size_t>(values->bytes), stream),
                   "cuMemcpyDtoDAsync of {} bytes to {}", values->bytes, symbol.lowered_name);
  }
}

void LoadedKernel::zero(CUdeviceptr target, std::int64_t bytes, CUstream stream) const {
  if (bytes <= 0) return;
  driver_->check(driver_->memset_bytes(target, 0, static_cast<std::size_t>(bytes), stream),
                 "cuMemsetD8Async of {} bytes", bytes);
}

}  // namespace tuner::runtime
