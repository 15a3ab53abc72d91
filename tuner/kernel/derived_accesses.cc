#include "tuner/kernel/derived_accesses.h"

#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "models/memory_access.h"
#include "tuner/ptx/instructions.h"

namespace tuner {
namespace {

constexpr double kLanes = 32;
constexpr std::int64_t kWord = 4;
constexpr int kBulkPiece = 16;  // bytes a lane, of which a bulk copy is taken to consist
// Buffers whose edges are read twice are not worth a word.
constexpr double kReadOnce = 1.05;

// The last part of a C++ name: "a_tile" of a variable in a function.
std::string short_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr) return name;
  const std::string whole = text.get();
  const std::size_t colons = whole.rfind("::");
  return colons == std::string::npos ? whole : whole.substr(colons + 2);
}

// What one instruction does to one space, by the warps that one trace stands for.
struct TracedAccess {
  std::size_t instruction = 0;
  bool shared = false, store = false;
  int width = 0;  // bytes of a lane
  const std::vector<WarpRequest>& requests;
  double executions = 0;        // by the mean warp
  std::int64_t bulk_bytes = 0;  // of a bulk copy; -1: unknown; 0: it is none
};

// What one request asks for, averaged; in a draft, summed over requests.
struct RequestCost {
  double active_lanes = 0, sectors = 0, lines = 0, granules = 0, wavefronts = 0, efficiency = 0;

  void add(const RequestCost& other, double times) {
    active_lanes += times * other.active_lanes;
    sectors += times * other.sectors;
    lines += times * other.lines;
    granules += times * other.granules;
    wavefronts += times * other.wavefronts;
    efficiency += times * other.efficiency;
  }
};

// What one warp was seen to ask of a buffer.
struct Recorded {
  std::set<std::int64_t> words, granules;
  double requested_granules = 0;
  double moved_bytes = 0;  // by the grid, were nothing cached

  // How often the warp itself asks for a piece again.
  double own_reuse() const {
    if (granules.empty()) return 1;
    return std::max(1.0, requested_granules / static_cast<double>(granules.size()));
  }
  double useful_share(int granule) const {
    if (granules.empty()) return 1;
    return std::min(1.0, static_cast<double>(words.size()) * kWord /
                             (static_cast<double>(granules.size()) * granule));
  }
};

class AccessDeriver {
 public:
  explicit AccessDeriver(const TracedLaunch& launch)
      : launch_(launch), granule_(std::max(1, launch.input.device.dram_granule)) {}

  DerivedAccesses derive() {
    for (std::size_t i = 0; i < launch_.function.code.size(); ++i) {
      const auto use = ptx::memory_use(launch_.function.code[i]);
      if (!use || use->space == ptx::Space::local || use->space == ptx::Space::constant) continue;
      for (const WarpTrace& warp : launch_.trace.warps) add(i, *use, warp);
    }
    for (auto& [key, draft] : drafts_) result_.accesses.push_back(finish(draft));
    return std::move(result_);
  }

 private:
  struct Draft {
    models::MemoryAccess access;
    std::set<std::size_t> instructions;
    RequestCost sum;
  };

  void add(std::size_t instruction, const ptx::MemoryUse& use, const WarpTrace& warp) {
    const double executions = warp.weight * launch_.factors[instruction] *
                              static_cast<double>(warp.executions[instruction]);
    if (executions <= 0 || warp.requests[instruction].empty()) return;
    const std::vector<WarpRequest>& requests = warp.requests[instruction];
    if (!use.async) {
      const bool shared =
          use.space == ptx::Space::shared ||
          (use.space == ptx::Space::generic && first_address(requests) >= ptx::kSharedWindow);
      add({instruction, shared, use.store, use.width_bytes, requests, executions});
      return;
    }
    const bool to_shared = use.space == ptx::Space::shared;
    const std::int64_t bytes = warp.copy_bytes[instruction];
    const std::int64_t bulk = use.width_bytes > 0 ? 0 : (bytes > 0 ? bytes : -1);
    add({instruction, to_shared, true, use.width_bytes, requests, executions, bulk});
    add({instruction, !to_shared, false, use.width_bytes, warp.sources[instruction], executions,
         bulk});
  }

  void add(TracedAccess traced) {
    const std::int64_t at = first_address(traced.requests);
    const std::string name = traced.shared ? shared_name(at) : buffer_name(at);
    const bool known = traced.bulk_bytes == 0 && all_known(traced.requests);
    if (traced.bulk_bytes != 0) split_bulk(traced);
    const RequestCost cost = known ? cost_of(traced) : assumed_cost(traced);
    if (!known && traced.bulk_bytes == 0) result_.assumed_contiguous.insert(name);
    const auto key = std::tuple(traced.shared, name, traced.store, traced.width,
                                std::lround(16 * cost.sectors), std::lround(16 * cost.wavefronts));
    Draft& draft = drafts_[key];
    draft.access.name = name;
    draft.access.shared = traced.shared;
    draft.access.store = traced.store;
    draft.access.width_bytes = std::max(1, traced.width);
    draft.access.requests_per_warp += traced.executions;
    draft.instructions.insert(traced.instruction);
    draft.access.instructions = static_cast<int>(draft.instructions.size());
    draft.sum.add(cost, traced.executions);
    if (traced.shared) return;
    draft.access.buffer_bytes = buffer_bytes(at);
    record(recorded_[{name, traced.store}], traced, known, cost);
  }

  void split_bulk(TracedAccess& traced) {
    if (traced.bulk_bytes < 0) result_.unknown_copy_sizes = true;
    traced.width = kBulkPiece;
    traced.executions *=
        std::max(1.0, static_cast<double>(traced.bulk_bytes) / (kBulkPiece * kLanes));
  }

  static bool all_known(const std::vector<WarpRequest>& requests) {
    return std::all_of(requests.begin(), requests.end(),
                       [](const WarpRequest& request) { return request.known; });
  }

  static std::int64_t first_address(const std::vector<WarpRequest>& requests) {
    for (const WarpRequest& request : requests) {
      for (const std::int64_t address : request.addresses) {
        if (address >= 0) return address;
      }
    }
    return ptx::kUnknownAddress;
  }

  const KernelArgument* argument_at(std::int64_t address) const {
    const std::int64_t index = address < 0 ? -1 : address / kBufferStep - 1;
    const auto& arguments = launch_.input.arguments;
    if (index < 0 || index >= static_cast<std::int64_t>(arguments.size())) return nullptr;
    return &arguments[static_cast<std::size_t>(index)];
  }

  std::string buffer_name(std::int64_t address) const {
    const KernelArgument* argument = argument_at(address);
    return argument == nullptr ? "global memory" : argument->name;
  }

  // What lies in no buffer that can be told lies in one of them.
  double buffer_bytes(std::int64_t address) const {
    if (const KernelArgument* argument = argument_at(address)) return argument->buffer_bytes;
    double all = 0;
    for (const KernelArgument& argument : launch_.input.arguments) all += argument.buffer_bytes;
    return all;
  }

  std::string shared_name(std::int64_t address) const {
    if (address >= ptx::kSharedWindow) address -= ptx::kSharedWindow;
    const ptx::Variable* found = nullptr;
    for (const ptx::Variable& variable : launch_.function.shared) {
      const bool nearer = found == nullptr || variable.offset >= found->offset;
      if (variable.offset <= address && nearer) found = &variable;
    }
    return found == nullptr ? "shared memory" : short_name(found->name);
  }

  RequestCost cost_of(const TracedAccess& traced) const {
    RequestCost mean;
    const double share = 1 / static_cast<double>(traced.requests.size());
    for (const WarpRequest& request : traced.requests) {
      RequestCost cost;
      cost.active_lanes = request.active_lanes;
      cost.wavefronts = models::shared_wavefronts(request.addresses, traced.width);
      if (!traced.shared) {
        const auto moved = models::global_request(request.addresses, traced.width, granule_);
        cost.sectors = moved.sectors;
        cost.lines = moved.lines;
        cost.granules = moved.granules;
        cost.efficiency = moved.efficiency;
      }
      mean.add(cost, share);
    }
    return mean;
  }

  // Lanes side by side.
  RequestCost assumed_cost(const TracedAccess& traced) const {
    RequestCost cost;
    cost.active_lanes = traced.bulk_bytes != 0 ? kLanes : mean_lanes(traced.requests);
    const double bytes = cost.active_lanes * traced.width;
    cost.wavefronts = std::max(1.0, bytes / 128);
    if (traced.shared) return cost;
    cost.sectors = std::ceil(bytes / 32);
    cost.lines = std::ceil(bytes / 128);
    cost.granules = std::ceil(bytes / granule_);
    cost.efficiency = 1;
    return cost;
  }

  static double mean_lanes(const std::vector<WarpRequest>& requests) {
    double lanes = 0;
    for (const WarpRequest& request : requests) lanes += request.active_lanes;
    return lanes / static_cast<double>(std::max<std::size_t>(1, requests.size()));
  }

  void record(Recorded& recorded, const TracedAccess& traced, bool known,
              const RequestCost& cost) const {
    recorded.moved_bytes += traced.executions * cost.granules * granule_ * launch_.warps;
    if (!known) return;
    for (const WarpRequest& request : traced.requests) {
      std::set<std::int64_t> touched;
      for (const std::int64_t address : request.addresses) {
        if (address < 0) continue;
        for (std::int64_t byte = address; byte < address + traced.width; byte += kWord) {
          recorded.words.insert(byte / kWord);
          touched.insert(byte / granule_);
        }
      }
      recorded.requested_granules += static_cast<double>(touched.size());
      recorded.granules.merge(touched);
    }
  }

  // What a warp asks for again it finds in L1; what the grid asks for beyond the buffer's size is
  // found in a cache, too.
  models::MemoryAccess finish(const Draft& draft) {
    models::MemoryAccess access = draft.access;
    const double share = 1 / access.requests_per_warp;
    RequestCost mean;
    mean.add(draft.sum, share);
    access.active_lanes = mean.active_lanes;
    access.bank_wavefronts = mean.wavefronts;
    if (access.shared) return access;
    access.sectors_per_request = mean.sectors;
    access.lines_per_request = mean.lines;
    access.granules_per_request = mean.granules;
    access.efficiency = mean.efficiency;
    const Recorded& recorded = recorded_[{access.name, access.store}];
    if (recorded.moved_bytes > 0) {
      access.first_touch = access.requests_per_warp * mean.granules * granule_ * launch_.warps /
                           recorded.moved_bytes;
    }
    access.reuse = recorded.own_reuse();
    if (!access.store) access.l1_reuse = access.reuse;
    const double moved = recorded.moved_bytes / access.reuse;
    const double wanted = moved * recorded.useful_share(granule_);
    if (access.buffer_bytes > 0 && wanted > kReadOnce * access.buffer_bytes) {
      access.reuse *= moved / access.buffer_bytes;
      result_.assumed_cached.insert(access.name);
    }
    return access;
  }

  const TracedLaunch& launch_;
  const int granule_;
  std::map<std::tuple<bool, std::string, bool, int, long, long>, Draft> drafts_;
  std::map<std::pair<std::string, bool>, Recorded> recorded_;  // by buffer and whether stored
  DerivedAccesses result_;
};

}  // namespace

DerivedAccesses derive_accesses(const TracedLaunch& launch) {
  return AccessDeriver(launch).derive();
}

}  // namespace tuner
