#include "tuner/kernel/access_sampling.h"

#include <algorithm>
#include <limits>

#include "models/memory_access.h"

namespace tuner {
namespace {

using expr::Cell;
using expr::kLanes;
using Lanes = std::array<Cell, kLanes>;

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kMostThreads = 4096;            // no device takes more
constexpr std::int64_t kBase = std::int64_t{1} << 40;  // keeps addresses before the buffer apart
constexpr int kWidest = 16;                            // bytes of one lane's access

struct WarpSample {
  std::int64_t warp = 0;
  double weight = 1;        // warps it stands for
  int lanes = kLanes;       // that exist
  std::array<Lanes, 5> at;  // tx ty tz tid lane
};

WarpSample make_warp(std::int64_t warp, double weight, const std::array<std::int64_t, 3>& block) {
  WarpSample sample;
  sample.warp = warp;
  sample.weight = weight;
  const std::int64_t threads = block[0] * block[1] * block[2];
  sample.lanes = static_cast<int>(std::min(kWarp, threads - warp * kWarp));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    // Lanes beyond the block repeat the last thread, so that every index can be evaluated.
    const std::int64_t tid = std::min(warp * kWarp + static_cast<std::int64_t>(lane), threads - 1);
    sample.at[0][lane].i = tid % block[0];
    sample.at[1][lane].i = tid / block[0] % block[1];
    sample.at[2][lane].i = tid / block[0] / block[1];
    sample.at[3][lane].i = tid;
    sample.at[4][lane].i = tid % kWarp;
  }
  return sample;
}

std::vector<WarpSample> make_warps(const std::array<std::int64_t, 3>& block) {
  const std::int64_t warps = (block[0] * block[1] * block[2] + kWarp - 1) / kWarp;
  std::vector<WarpSample> samples;
  samples.push_back(make_warp(0, 1, block));
  if (warps > 2) {
    samples.push_back(make_warp((warps - 1) / 2, static_cast<double>(warps - 2), block));
  }
  if (warps > 1) samples.push_back(make_warp(warps - 1, 1, block));
  return samples;
}

// What one access was seen to do, weighted.
struct Tally {
  double weight = 0, active_weight = 0;
  double lanes = 0, sectors = 0, lines = 0, granules = 0, efficiency = 0, wavefronts = 0;
};

class Sampler {
 public:
  Sampler(const BoundKernel& kernel, const BoundStep& step, const std::array<std::int64_t, 3>& grid,
          const std::array<std::int64_t, 3>& block, std::vector<Cell> cells)
      : kernel_(kernel),
        names_(kernel.names),
        step_(step),
        grid_(grid),
        cells_(std::move(cells)),
        varying_{names_.tx, names_.ty, names_.tz, names_.tid, names_.lane},
        warps_(make_warps(block)) {
    for (const BoundLoop& loop : step.loops) trips_.push_back(loop.count.integer(cells_, 1));
  }

  models::MemoryAccess access(const BoundAccess& bound) {
    models::MemoryAccess result;
    result.name = bound.spec->name;
    result.shared = bound.spec->shared;
    result.store = bound.spec->store;
    element_bytes_ = bound.element_bytes.integer(cells_, bound.buffer_element);
    if (element_bytes_ < 1) bound.element_bytes.fail("an element has at least 1 byte");
    const std::int64_t width = bound.width.integer(cells_, element_bytes_);
    result.width_bytes = static_cast<int>(std::clamp<std::int64_t>(width, 1, kWidest));
    result.reuse = bound.reuse.real(cells_, 1);
    result.buffer_bytes = bound.buffer_bytes;
    fill(result, sample(bound, result), bound.count.real(cells_, 1));
    return result;
  }

 private:
  static void fill(models::MemoryAccess& result, const Tally& tally, double count) {
    if (!(tally.active_weight > 0)) {
      result.active_lanes = 0;
      return;
    }
    result.requests_per_warp = count * tally.active_weight / tally.weight;
    result.active_lanes = tally.lanes / tally.active_weight;
    result.sectors_per_request = tally.sectors / tally.active_weight;
    result.lines_per_request = tally.lines / tally.active_weight;
    result.granules_per_request = tally.granules / tally.active_weight;
    result.bank_wavefronts = tally.wavefronts / tally.active_weight;
    if (!result.shared) result.efficiency = tally.efficiency / tally.active_weight;
  }

  bool uses(const BoundAccess& bound, int slot) const {
    return bound.index.uses(slot) || bound.active.uses(slot);
  }

  Tally sample(const BoundAccess& bound, const models::MemoryAccess& access) {
    const bool many_blocks = grid_[0] > 1 || grid_[1] > 1 || grid_[2] > 1;
    const bool by_block =
        many_blocks && (uses(bound, names_.bx) || uses(bound, names_.by) || uses(bound, names_.bz));
    bool by_loop = false;
    for (std::size_t i = 0; i < step_.loops.size(); ++i) {
      by_loop |= trips_[i] > 1 && uses(bound, step_.loops[i].slot);
    }
    Tally tally;
    for (std::size_t turn = 0; turn < (by_block || by_loop ? 2U : 1U); ++turn) {
      set_block(by_block && turn == 1);
      for (std::size_t w = 0; w < warps_.size(); ++w) {
        // Both blocks share the work of both values: half of the pairs show as much as all.
        set_loops(by_block ? (turn + w) % 2 == 1 : turn == 1);
        play(bound, access, warps_[w], tally);
      }
    }
    return tally;
  }

  void set_block(bool middle) {
    const std::array<int, 3> slots = {names_.bx, names_.by, names_.bz};
    for (std::size_t i = 0; i < 3; ++i) {
      cells_[static_cast<std::size_t>(slots[i])].i = middle ? grid_[i] / 2 : 0;
    }
  }

  void set_loops(bool second) {
    for (std::size_t i = 0; i < step_.loops.size(); ++i) {
      cells_[static_cast<std::size_t>(step_.loops[i].slot)].i = second && trips_[i] > 1 ? 1 : 0;
    }
  }

  void play(const BoundAccess& bound, const models::MemoryAccess& access, const WarpSample& warp,
            Tally& tally) {
    cells_[static_cast<std::size_t>(names_.warp)].i = warp.warp;
    tally.weight += warp.weight;
    models::LaneAddresses addresses;
    const int active = find_addresses(bound, warp, addresses);
    if (active == 0) return;
    tally.active_weight += warp.weight;
    tally.lanes += warp.weight * active;
    if (!access.shared) {
      const auto request =
          models::global_request(addresses, access.width_bytes, kernel_.device.dram_granule);
      tally.sectors += warp.weight * request.sectors;
      tally.lines += warp.weight * request.lines;
      tally.granules += warp.weight * request.granules;
      tally.efficiency += warp.weight * request.efficiency;
    }
    tally.wavefronts += warp.weight * models::shared_wavefronts(addresses, access.width_bytes);
  }

  // Returns the number of active lanes.
  int find_addresses(const BoundAccess& bound, const WarpSample& warp,
                     models::LaneAddresses& addresses) {
    std::array<bool, kLanes> active{};
    std::fill_n(active.begin(), warp.lanes, true);
    if (bound.active.given()) {
      Lanes answers;
      bound.active.lanes(cells_, varying_, warp.at, answers);
      for (std::size_t lane = 0; lane < kLanes; ++lane) active[lane] &= answers[lane].i != 0;
    }
    const auto count = static_cast<int>(std::count(active.begin(), active.end(), true));
    if (count == 0) return 0;
    Lanes index;
    evaluate_index(bound, warp, active, count, index);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::int64_t address = -1;
      if (active[lane] && (__builtin_mul_overflow(index[lane].i, element_bytes_, &address) ||
                           __builtin_add_overflow(address, kBase, &address) || address < 0)) {
        bound.index.fail("an index is too far from the buffer");
      }
      addresses[lane] = active[lane] ? address : -1;
    }
    return count;
  }

  // Lanes that skip the access may not have an index that can be computed: they repeat one that
  // does it.
  void evaluate_index(const BoundAccess& bound, const WarpSample& warp,
                      const std::array<bool, kLanes>& active, int count, Lanes& index) const {
    if (count == kLanes) {
      bound.index.lanes(cells_, varying_, warp.at, index);
      return;
    }
    const auto first =
        static_cast<std::size_t>(std::find(active.begin(), active.end(), true) - active.begin());
    std::array<Lanes, 5> at = warp.at;
    for (Lanes& lanes : at) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (!active[lane]) lanes[lane] = lanes[first];
      }
    }
    bound.index.lanes(cells_, varying_, at, index);
  }

  const BoundKernel& kernel_;
  const Names& names_;
  const BoundStep& step_;
  std::array<std::int64_t, 3> grid_;
  std::vector<Cell> cells_;
  std::array<int, 5> varying_;
  std::vector<WarpSample> warps_;
  std::vector<std::int64_t> trips_;
  std::int64_t element_bytes_ = 0;
};

bool holds_threads(const std::array<std::int64_t, 3>& sizes, std::int64_t most) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > most) return false;
    if (__builtin_mul_overflow(product, size, &product)) return false;
  }
  return product <= most;
}

}  // namespace

std::vector<models::MemoryAccess> sample_accesses(const BoundKernel& kernel, const BoundStep& step,
                                                  const std::array<std::int64_t, 3>& grid,
                                                  const std::array<std::int64_t, 3>& block,
                                                  std::vector<expr::Cell> cells) {
  std::vector<models::MemoryAccess> accesses;
  if (step.accesses.empty() || !holds_threads(block, kMostThreads)) return accesses;
  if (!holds_threads(grid, std::numeric_limits<std::int64_t>::max())) return accesses;
  Sampler sampler(kernel, step, grid, block, std::move(cells));
  accesses.reserve(step.accesses.size());
  for (const BoundAccess& bound : step.accesses) accesses.push_back(sampler.access(bound));
  return accesses;
}

}  // namespace tuner
