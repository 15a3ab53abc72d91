#include "tuner/kernel/access_sampling.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "models/memory_access.h"

namespace tuner {
namespace {

using expr::Cell;
using expr::kLanes;
using Lanes = std::array<Cell, kLanes>;

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kMostThreads = 4096;            // of a block: no device takes more
constexpr std::int64_t kBase = std::int64_t{1} << 40;  // keeps addresses before the buffer apart
constexpr int kWidest = 16;                            // bytes of one lane's access

using ThreadLanes = std::array<Lanes, 5>;  // tx ty tz tid lane

void set_thread(ThreadLanes& at, std::size_t lane, std::int64_t tid,
                const std::array<std::int64_t, 3>& block) {
  at[0][lane].i = tid % block[0];
  at[1][lane].i = tid / block[0] % block[1];
  at[2][lane].i = tid / block[0] / block[1];
  at[3][lane].i = tid;
  at[4][lane].i = tid % kWarp;
}

struct WarpSample {
  std::int64_t warp = 0;
  double weight = 1;   // warps it stands for
  int lanes = kLanes;  // that exist
  ThreadLanes at;
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
    set_thread(sample.at, lane, tid, block);
  }
  return sample;
}

struct WarpSamples {
  std::array<WarpSample, 3> samples;
  std::size_t count = 0;
};

std::int64_t count_warps(const std::array<std::int64_t, 3>& block) {
  return (block[0] * block[1] * block[2] + kWarp - 1) / kWarp;
}

WarpSamples make_warps(const std::array<std::int64_t, 3>& block) {
  const std::int64_t warps = count_warps(block);
  WarpSamples result;
  const auto add = [&](std::int64_t warp, double weight) {
    result.samples[result.count++] = make_warp(warp, weight, block);
  };
  add(0, 1);
  if (warps > 2) add((warps - 1) / 2, static_cast<double>(warps - 2));
  if (warps > 1) add(warps - 1, 1);
  return result;
}

// A block from about the middle of `blocks`: of few numbers, so that grids of many sizes share what
// was played, and an odd one, so that it is not aligned better than most.
std::int64_t inner_block(std::int64_t blocks) {
  const auto half = static_cast<std::uint64_t>(blocks / 2);
  return static_cast<std::int64_t>(std::bit_floor(half + 1) - 1);
}

constexpr std::size_t kLoops = 16;  // of a launch: more than anyone writes

class Sampler {
 public:
  Sampler(const BoundKernel& kernel, const BoundStep& step, const std::array<std::int64_t, 3>& grid,
          const std::array<std::int64_t, 3>& block, std::span<Cell> cells, AccessMemo* memo)
      : kernel_(kernel),
        names_(kernel.names),
        step_(step),
        grid_(grid),
        block_(block),
        cells_(cells),
        memo_(memo),
        varying_{names_.tx, names_.ty, names_.tz, names_.tid, names_.lane} {
    for (std::size_t i = 0; i < std::min(step.loops.size(), kLoops); ++i)
      repeats_[i] = step.loops[i].count.integer(cells_, 1) > 1;
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
    result.l1_reuse = bound.l1_reuse.real(cells_, 1);
    result.reuse = std::max(bound.reuse.real(cells_, 1), result.l1_reuse);
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
    result.runs_per_request = tally.runs / tally.active_weight;
    result.bank_wavefronts = tally.wavefronts / tally.active_weight;
    if (!result.shared) result.efficiency = tally.efficiency / tally.active_weight;
  }

  // Which of the samples an access tells apart.
  struct Variety {
    bool by_block = false, by_loop = false;
  };

  Variety variety(const BoundAccess& bound) const {
    Variety result;
    result.by_block = bound.by_block && (grid_[0] > 1 || grid_[1] > 1 || grid_[2] > 1);
    for (std::size_t i = 0; i < bound.by_loop.size(); ++i)
      result.by_loop |= repeats(i) && bound.by_loop[i];
    return result;
  }

  AccessTally tally(const BoundAccess& bound, const models::MemoryAccess& access) {
    const Variety variety = this->variety(bound);
    if (memo_ == nullptr || !kernel_.names.extended(cells_)) return sample(bound, access, variety);
    const AccessMemo::Key& key = make_key(bound, access, variety);
    if (const AccessTally* known = memo_->find(bound.number, key)) return *known;
    return memo_->keep(key, sample(bound, access, variety));
  }

  // All that sample() depends on.
  const AccessMemo::Key& make_key(const BoundAccess& bound, const models::MemoryAccess& access,
                                  const Variety& variety) {
    AccessMemo::Key& key = memo_->key();
    std::int64_t flags = variety.by_block ? 1 : 0;
    for (std::size_t i = 0; i < bound.by_loop.size(); ++i)
      flags = 2 * flags + (repeats(i) && bound.by_loop[i] ? 1 : 0);
    key.assign({static_cast<std::int64_t>(bound.number), flags,
                element_bytes_ * (kWidest + 1) + access.width_bytes,
                (block_[2] * kMostThreads + block_[1]) * kMostThreads + block_[0]});
    for (const int slot : bound.known_slots)
      key.push_back(std::bit_cast<std::int64_t>(cells_[static_cast<std::size_t>(slot)]));
    if (!variety.by_block) return key;
    for (const std::int64_t blocks : grid_) key.push_back(inner_block(blocks));
    return key;
  }

  // Loops beyond the first kLoops are taken to run more than once.
  bool repeats(std::size_t loop) const { return loop >= kLoops || repeats_[loop]; }

  AccessTally sample(const BoundAccess& bound, const models::MemoryAccess& access,
                     const Variety& variety) {
    if (warps_.count == 0) warps_ = make_warps(block_);
    AccessTally tally;
    for (std::size_t turn = 0; turn < (variety.by_block || variety.by_loop ? 2U : 1U); ++turn) {
      set_block(variety.by_block && turn == 1 ? kInner : 0);
      const auto play_sample = [&](std::size_t w) {
        // Both blocks share the work of both values: half of the pairs show as much as all.
        set_loops(variety.by_block ? (turn + w) % 2 == 1 : turn == 1);
        return play(bound, access, warps_.samples[w], tally);
      };
      const bool first = play_sample(0);
      if (warps_.count == 1) continue;
      const bool last = play_sample(warps_.count - 1);
      if (warps_.count == 2) continue;
      const AccessTally ends = tally;
      if (play_sample(1) == first && first == last) continue;
      // Some warps take part and others do not: none of them stands for all between the ends.
      tally = ends;
      for (std::int64_t warp = 1; warp < warps_.samples[2].warp; ++warp)
        play(bound, access, make_warp(warp, 1, block_), tally);
    }
    const double bytes = tally.granules * kernel_.device.dram_granule;
    if (tally.runs > 0 && bytes < models::kLongRun * tally.runs) {
      const double joined = joined_warps(bound, access.width_bytes, variety);
      tally.runs = std::max(0.0, tally.runs - joined * tally.active_weight);
    }
    return tally;
  }

  // The pieces of DRAM that lie between the ends of a warp's request; none where it asks for
  // nothing.
  struct Extent {
    std::int64_t begin = 1, end = 0;
    bool empty() const { return begin > end; }
    bool touches(const Extent& other) const {
      return !empty() && !other.empty() && begin <= other.end && other.begin <= end;
    }
    void include(std::int64_t from, std::int64_t to) {
      begin = empty() ? from : std::min(begin, from);
      end = empty() ? to : std::max(end, to);
    }
  };
  using Extents = std::array<Extent, kLanes>;

  // Adds what the lane of each of the first 32 warps of the block that is set asks for.
  void include_lane(const BoundAccess& bound, std::int64_t lane, std::int64_t width,
                    Extents& extents) {
    const std::int64_t threads = block_[0] * block_[1] * block_[2];
    const std::int64_t granule = std::max(kernel_.device.dram_granule, 1);
    WarpSample of_warps;  // a lane a warp
    of_warps.lanes = static_cast<int>(std::min<std::int64_t>(kLanes, count_warps(block_)));
    for (std::size_t warp = 0; warp < kLanes; ++warp) {
      const std::int64_t tid = static_cast<std::int64_t>(warp) * kWarp + lane;
      set_thread(of_warps.at, warp, std::min(tid, threads - 1), block_);
    }
    models::LaneAddresses addresses;
    if (find_addresses(bound, of_warps, addresses) == 0) return;
    for (std::size_t warp = 0; warp < kLanes; ++warp) {
      const std::int64_t at = addresses[warp];
      if (at >= 0) extents[warp].include(at / granule, (at + width + granule - 1) / granule);
    }
  }

  // Where the block's first thread begins.
  Extent first_extent(const BoundAccess& bound, std::int64_t width) {
    Extents extents;
    include_lane(bound, 0, width, extents);
    return extents[0];
  }

  // The share of a block's warps whose requests go on in DRAM where another one's ends: 1 where all
  // do, and what comes next, in a loop or in the next block, as well. Where a thread asks for other
  // places next, warps drift apart: half of the ends come together.
  double joined_warps(const BoundAccess& bound, std::int64_t width, const Variety& variety) {
    if (bound.by_warp) return 1;  // cannot be told of several at once
    set_block(0);
    set_loops(false);
    int warps = 0, joined = 0;
    Extents extents;
    for (const std::int64_t lane : {std::int64_t{0}, kWarp - 1})
      include_lane(bound, lane, width, extents);
    Extent last, all;
    for (const Extent& extent : extents) {
      if (extent.empty()) continue;
      ++warps;
      if (extent.touches(last)) ++joined;
      last = extent;
      all.include(extent.begin, extent.end);
    }
    if (warps == 0) return 0;
    if (joined + 1 == warps && goes_on(bound, width, variety, all)) return 1;
    const double together = variety.by_loop ? 0.5 : 1;
    return together * joined / warps;
  }

  // Whether what comes after `all` of a block's requests, in a loop or else in the next block, lies
  // beside it.
  bool goes_on(const BoundAccess& bound, std::int64_t width, const Variety& variety,
               const Extent& all) {
    bool beside = false;
    if (variety.by_loop) {
      set_loops(true);
      beside = first_extent(bound, width).touches(all);
      set_loops(false);
    }
    if (!beside && variety.by_block) {
      set_block(1);
      beside = first_extent(bound, width).touches(all);
    }
    return beside;
  }

  // Of every dimension that has such a block.
  static constexpr std::int64_t kInner = -1;
  void set_block(std::int64_t number) {
    const std::array<int, 3> slots = {names_.bx, names_.by, names_.bz};
    bool left = true;  // a number counts along the first dimension that has several
    for (std::size_t i = 0; i < 3; ++i) {
      std::int64_t& at = cells_[static_cast<std::size_t>(slots[i])].i;
      if (number == kInner) {
        at = inner_block(grid_[i]);
      } else {
        at = left && grid_[i] > 1 ? number : 0;
        left = left && grid_[i] <= 1;
      }
    }
  }

  void set_loops(bool second) {
    for (std::size_t i = 0; i < step_.loops.size(); ++i) {
      cells_[static_cast<std::size_t>(step_.loops[i].slot)].i = second && repeats(i) ? 1 : 0;
    }
  }

  // Returns whether any lane of the warp takes part.
  bool play(const BoundAccess& bound, const models::MemoryAccess& access, const WarpSample& warp,
            AccessTally& tally) {
    cells_[static_cast<std::size_t>(names_.warp)].i = warp.warp;
    tally.weight += warp.weight;
    models::LaneAddresses addresses;
    const int active = find_addresses(bound, warp, addresses);
    if (active == 0) return false;
    tally.active_weight += warp.weight;
    tally.lanes += warp.weight * active;
    if (!access.shared) {
      const auto request =
          models::global_request(addresses, access.width_bytes, kernel_.device.dram_granule);
      tally.sectors += warp.weight * request.sectors;
      tally.lines += warp.weight * request.lines;
      tally.granules += warp.weight * request.granules;
      if (!access.store) tally.runs += warp.weight * request.runs;
      tally.efficiency += warp.weight * request.efficiency;
    }
    tally.wavefronts += warp.weight * models::shared_wavefronts(addresses, access.width_bytes);
    return true;
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
    ThreadLanes at = warp.at;
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
  std::span<Cell> cells_;
  AccessMemo* memo_;
  std::array<int, 5> varying_;
  WarpSamples warps_;                   // made when something is played
  std::array<bool, kLoops> repeats_{};  // of the launch's loops, which run more than once
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
                                                  std::span<expr::Cell> cells, AccessMemo* memo) {
  std::vector<models::MemoryAccess> accesses;
  if (step.accesses.empty() || !holds_threads(block, kMostThreads)) return accesses;
  if (!holds_threads(grid, std::numeric_limits<std::int64_t>::max())) return accesses;
  Sampler sampler(kernel, step, grid, block, cells, memo);
  accesses.reserve(step.accesses.size());
  for (const BoundAccess& bound : step.accesses) accesses.push_back(sampler.access(bound));
  return accesses;
}

}  // namespace tuner
