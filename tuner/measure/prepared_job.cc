#include "tuner/measure/prepared_job.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/measure/trial_failure.h"
#include "tuner/os/files.h"

namespace tuner {

LaunchTargets buffer_targets(const ProblemBuffers& buffers, std::size_t set) {
  LaunchTargets targets;
  for (std::size_t i = 0; i < buffers.specs().size(); ++i) {
    const GuardedBuffer& buffer = buffers.buffer(set, i);
    targets.buffers[buffer.name()] = {buffer.data(), buffer.bytes(),
                                      parse_element(buffers.specs()[i].element)};
  }
  return targets;
}

PreparedJob::PreparedJob(const Gpu& gpu, const ProblemBuffers& buffers, MeasureJob job)
    : gpu_(gpu),
      job_(std::move(job)),
      module_(load_module(gpu.driver(), read_file(job_.cubin), job_.cubin)) {
  allocate_workspaces();
  fill_symbols(buffers);
  sequence_.emplace(gpu_.driver(), gpu_.profile(), module_.get(), job_.steps);
  for (std::size_t set = 0; set < buffers.sets(); ++set) {
    arguments_.push_back(sequence_->bind(targets(buffers, set)));
  }
}

void PreparedJob::allocate_workspaces() {
  workspaces_.reserve(job_.workspaces.size());
  for (const WorkspaceSpec& spec : job_.workspaces) {
    if (spec.bytes < 0 || spec.bytes > gpu_.profile().memory_bytes) {
      throw TrialFailure("launch_error",
                         fmt::format("workspace '{}' of {} bytes, where the GPU has {}", spec.name,
                                     spec.bytes, gpu_.profile().memory_bytes));
    }
    workspaces_.emplace_back(gpu_, spec.name, spec.bytes);
    const GuardedBuffer& workspace = workspaces_.back();
    gpu_.fill(workspace.data(), spec.init == "never" ? 0xFF : 0, workspace.bytes());
  }
}

void PreparedJob::fill_symbols(const ProblemBuffers& buffers) {
  for (const SymbolSpec& symbol : job_.symbols) {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    gpu_.driver().check(gpu_.driver().module_get_global(&address, &size, module_.get(),
                                                        symbol.lowered_name.c_str()),
                        "cuModuleGetGlobal of {}", symbol.lowered_name);
    const GuardedBuffer& values = buffers.buffer(0, buffers.index_of(symbol.buffer));
    if (values.bytes() > static_cast<std::int64_t>(size)) {
      throw TrialFailure("launch_error",
                         fmt::format("the symbol {} has {} bytes, its values '{}' have {}",
                                     symbol.lowered_name, size, symbol.buffer, values.bytes()));
    }
    gpu_.copy(address, values.data(), values.bytes());
  }
}

LaunchTargets PreparedJob::targets(const ProblemBuffers& buffers, std::size_t set) const {
  LaunchTargets targets = buffer_targets(buffers, set);
  for (const GuardedBuffer& workspace : workspaces_) {
    targets.workspaces[workspace.name()] = {workspace.data(), workspace.bytes(), Element::u8};
  }
  return targets;
}

void PreparedJob::enqueue(std::size_t set) const {
  for (std::size_t i = 0; i < workspaces_.size(); ++i) {
    if (job_.workspaces[i].init != "each_run") continue;
    gpu_.fill(workspaces_[i].data(), 0, workspaces_[i].bytes());
  }
  sequence_->enqueue(arguments_[set], gpu_.stream());
}

std::string PreparedJob::check_guards() const {
  std::vector<const GuardedBuffer*> buffers;
  for (const GuardedBuffer& workspace : workspaces_) buffers.push_back(&workspace);
  return tuner::check_guards(gpu_, buffers);
}

std::string PreparedJob::kernels() const {
  std::string names;
  for (const LaunchStep& step : job_.steps) {
    if (step.kind != LaunchStep::Kind::kernel) continue;
    if (!names.empty()) names += ", ";
    names += step.lowered_name;
  }
  return names;
}

}  // namespace tuner
