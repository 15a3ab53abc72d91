#include "tuner/kernel/access_sampling.h"

#include <algorithm>
#include <cstring>
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

class Sampler {
 public:
  Sampler(const BoundKernel& kernel, const BoundStep& step, const std::array<std::int64_t, 3>& grid,
          const std::array<std::int64_t, 3>& block, std::vector<Cell> cells, AccessMemo* memo)
      : kernel_(kernel),
        names_(kernel.names),
        step_(step),
        grid_(grid),
        block_(block),
        cells_(std::move(cells)),
        memo_(memo),
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
    result.async = bound.async.boolean(cells_, false);
    fill(result, tally(bound, result), bound.count.real(cells_, 1));
    return result;
  }

 private:
  static void fill(models::MemoryAccess& result, const AccessTally& tally, double count) {
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

  // Which of the samples an access tells apart.
  struct Variety {
    bool by_block = false, by_loop = false;
  };

  Variety variety(const BoundAccess& bound) const {
    const bool many_blocks = grid_[0] > 1 || grid_[1] > 1 || grid_[2] > 1;
    Variety result;
    result.by_block =
        many_blocks && (uses(bound, names_.bx) || uses(bound, names_.by) || uses(bound, names_.bz));
    for (std::size_t i = 0; i < step_.loops.size(); ++i) {
      result.by_loop |= trips_[i] > 1 && uses(bound, step_.loops[i].slot);
    }
    return result;
  }

  AccessTally tally(const BoundAccess& bound, const models::MemoryAccess& access) {
    const Variety variety = this->variety(bound);
    if (memo_ == nullptr) return sample(bound, access, variety);
    make_key(bound, access, variety);
    if (const AccessTally* known = memo_->find(key_)) return *known;
    return memo_->keep(key_, sample(bound, access, variety));
  }

  // All that sample() depends on.
  void make_key(const BoundAccess& bound, const models::MemoryAccess& access,
                const Variety& variety) {
    const auto identity = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(bound.spec));
    key_.assign({identity, access.width_bytes, element_bytes_});
    key_.insert(key_.end(), block_.begin(), block_.end());
    for (const int slot : bound.known_slots) {
      std::int64_t bits = 0;
      std::memcpy(&bits, &cells_[static_cast<std::size_t>(slot)], sizeof(bits));
      key_.push_back(bits);
    }
    key_.push_back(variety.by_block ? 1 : 0);
    if (variety.by_block) {
      for (const std::int64_t blocks : grid_) key_.push_back(blocks / 2);
    }
    for (const std::int64_t trips : trips_) key_.push_back(trips > 1 ? 1 : 0);
  }

  AccessTally sample(const BoundAccess& bound, const models::MemoryAccess& access,
                     const Variety& variety) {
    AccessTally tally;
    for (std::size_t turn = 0; turn < (variety.by_block || variety.by_loop ? 2U : 1U); ++turn) {
      set_block(variety.by_block && turn == 1);
      for (std::size_t w = 0; w < warps_.size(); ++w) {
        // Both blocks share the work of both values: half of the pairs show as much as all.
        set_loops(variety.by_block ? (turn + w) % 2 == 1 : turn == 1);
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
            AccessTally& tally) {
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
  std::array<std::int64_t, 3> grid_, block_;
  std::vector<Cell> cells_;
  AccessMemo* memo_;
  AccessMemo::Key key_;
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
                                                  std::vector<expr::Cell> cells, AccessMemo* memo) {
  std::vector<models::MemoryAccess> accesses;
  if (step.accesses.empty() || !holds_threads(block, kMostThreads)) return accesses;
  if (!holds_threads(grid, std::numeric_limits<std::int64_t>::max())) return accesses;
  Sampler sampler(kernel, step, grid, block, std::move(cells), memo);
  accesses.reserve(step.accesses.size());
  for (const BoundAccess& bound : step.accesses) accesses.push_back(sampler.access(bound));
  return accesses;
}

}  // namespace tuner
