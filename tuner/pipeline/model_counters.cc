// What the model says in the place of a hardware counter.
#include <algorithm>
#include <map>

#include "models/pipes.h"
#include "tuner/pipeline/counting.h"

namespace tuner {
namespace {

// The mean over requests of one kind.
std::optional<double> sectors_per_request(const models::LaunchShape& launch, bool store) {
  double requests = 0, sectors = 0;
  for (const models::MemoryAccess& access : launch.accesses) {
    if (access.shared || access.store != store) continue;
    requests += access.requests_per_warp;
    sectors += access.requests_per_warp * access.sectors_per_request;
  }
  return requests > 0 ? std::optional(sectors / requests) : std::nullopt;
}

std::optional<double> bank_conflicts(const models::LaunchShape& launch, double warps) {
  constexpr double kWavefrontBytes = 128;
  double conflicts = 0;
  bool any = false;
  for (const models::MemoryAccess& access : launch.accesses) {
    if (!access.shared) continue;
    any = true;
    const double least = std::max(1.0, access.width_bytes * access.active_lanes / kWavefrontBytes);
    conflicts += warps * access.requests_per_warp * std::max(0.0, access.bank_wavefronts - least);
  }
  return any ? std::optional(conflicts) : std::nullopt;
}

int warps_per_block(const models::LaunchShape& launch) { return (launch.threads + 31) / 32; }

double warps_of(const models::LaunchShape& launch) {
  return warps_per_block(launch) * static_cast<double>(launch.blocks);
}

}  // namespace

std::vector<AccessRow> access_rows(const models::LaunchShape& launch,
                                   const std::vector<AccessCounts>& counted) {
  std::map<AccessKind, AccessRow> rows;
  const auto row_of = [&](const AccessKind& kind) -> AccessRow& {
    return rows.try_emplace(kind, AccessRow{{}, kind, {}, {}}).first->second;
  };
  for (const models::MemoryAccess& access : launch.accesses) {
    const double requests = warps_of(launch) * access.requests_per_warp;
    if (!(requests > 0)) continue;
    AccessRow& row = row_of({access.shared, access.store, access.width_bytes});
    if (!row.model) row.model = AccessCounts{row.kind};
    row.names += (row.names.empty() ? "" : ", ") + access.name;
    row.model->requests += requests;
    row.model->sectors += requests * access.sectors_per_request;
    row.model->wavefronts += requests * access.bank_wavefronts;
  }
  for (const AccessCounts& counts : counted) row_of(counts.kind).measured = counts;
  std::vector<AccessRow> all;
  all.reserve(rows.size());
  for (auto& [kind, row] : rows) all.push_back(std::move(row));
  return all;
}

Counters model_counters(const models::DeviceProfile& device, const models::KernelShape& shape,
                        const models::Estimate& estimate, std::size_t launch) {
  Counters counters;
  if (launch >= estimate.occupancy.size()) return counters;
  const models::LaunchShape& one = shape.launches[launch];
  const double warps = warps_of(one);
  counters.occupancy = estimate.occupancy[launch].occupancy;
  if (one.accesses.empty()) return counters;
  counters.load_sectors = sectors_per_request(one, false);
  counters.store_sectors = sectors_per_request(one, true);
  counters.bank_conflicts = bank_conflicts(one, warps);
  if (one.instructions_per_thread > 0) {
    counters.instructions = warps * (one.fma_per_thread + models::other_instructions(one));
  }
  const models::DramBytes moved = models::dram_bytes(
      {.device = device,
       .shape = one,
       .warps_per_block = static_cast<double>(warps_per_block(one)),
       .warps = warps,
       .resident_blocks = static_cast<double>(estimate.occupancy[launch].blocks_per_sm),
       .spill_bytes = one.spill_bytes,
       .cold = shape.cold});
  counters.dram_read = moved.read;
  counters.dram_written = moved.written;
  return counters;
}

}  // namespace tuner
