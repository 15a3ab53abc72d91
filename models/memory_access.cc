#include "models/memory_access.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace tuner::models {
namespace {

constexpr int kLanes = 32;
constexpr int kSector = 32;
constexpr int kLine = 128;
constexpr int kBanks = 32;
constexpr int kWord = 4;
constexpr int kWidest = 16;  // bytes that one lane can move with one instruction

// A set of few integers: a warp touches at most some hundred pieces, and most often a handful.
class Pieces {
 public:
  // Adds every piece of `size` bytes that [begin, end) touches.
  void add(std::int64_t begin, std::int64_t end, int size) {
    for (std::int64_t piece = begin / size; piece * size < end; ++piece) {
      if (count_ > 0 && values_[count_ - 1] == piece) continue;  // neighbours most often share it
      if (count_ == values_.size()) continue;
      ascending_ = ascending_ && (count_ == 0 || values_[count_ - 1] < piece);
      values_[count_++] = piece;
    }
  }
  // Sorted, valid until the next call.
  std::span<const std::int64_t> distinct() {
    if (ascending_) return std::span(values_).first(count_);
    const auto end = values_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::sort(values_.begin(), end);
    count_ = static_cast<std::size_t>(std::unique(values_.begin(), end) - values_.begin());
    return std::span(values_).first(count_);
  }

 private:
  // 32 lanes of 16 bytes, misaligned, touch at most 5 words each.
  std::array<std::int64_t, std::size_t{kLanes} * 5> values_;
  std::size_t count_ = 0;
  bool ascending_ = true;
};

Pieces pieces_of(const LaneAddresses& addresses, int width, int size) {
  Pieces pieces;
  for (const std::int64_t address : addresses) {
    if (address >= 0) pieces.add(address, address + width, size);
  }
  return pieces;
}

int distinct_pieces(const LaneAddresses& addresses, int width, int size) {
  return static_cast<int>(pieces_of(addresses, width, size).distinct().size());
}

// `pieces`: sorted.
int count_runs(std::span<const std::int64_t> pieces) {
  int runs = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == 0 || pieces[i] != pieces[i - 1] + 1) ++runs;
  }
  return runs;
}

// Bytes that at least one lane asks for.
std::int64_t useful_bytes(const LaneAddresses& addresses, int width) {
  LaneAddresses sorted = addresses;
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  std::int64_t bytes = 0;
  std::int64_t covered = 0;  // up to here
  for (const std::int64_t address : sorted) {
    if (address < 0) continue;
    const std::int64_t begin = std::max(address, covered);
    bytes += std::max<std::int64_t>(0, address + width - begin);
    covered = std::max(covered, address + width);
  }
  return bytes;
}

// Wavefronts of the lanes [first, first + count): the most distinct words in any bank.
int group_wavefronts(const LaneAddresses& addresses, int width, int first, int count) {
  Pieces words;
  for (int lane = first; lane < first + count; ++lane) {
    const std::int64_t address = addresses[static_cast<std::size_t>(lane)];
    if (address >= 0) words.add(address, address + width, kWord);
  }
  std::array<int, kBanks> in_bank{};
  for (const std::int64_t word : words.distinct()) {
    ++in_bank[static_cast<std::size_t>(word % kBanks)];
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}

// Whether every lane reads what the lane `apart` from it (1 or 2, as a bit of the lane's number)
// does.
bool in_pairs(const LaneAddresses& addresses, std::size_t apart) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t one = addresses[lane], other = addresses[lane ^ apart];
    if (one >= 0 && other >= 0 && one != other) return false;
  }
  return true;
}

}  // namespace

GlobalRequest global_request(const LaneAddresses& addresses, int width_bytes, int dram_granule) {
  GlobalRequest result;
  const int width = std::clamp(width_bytes, 1, kWidest);
  result.active_lanes = static_cast<int>(
      std::count_if(addresses.begin(), addresses.end(), [](std::int64_t a) { return a >= 0; }));
  if (result.active_lanes == 0) return result;
  result.sectors = distinct_pieces(addresses, width, kSector);
  result.lines = distinct_pieces(addresses, width, kLine);
  Pieces granules = pieces_of(addresses, width, std::max(dram_granule, kSector));
  result.granules = static_cast<int>(granules.distinct().size());
  result.runs = count_runs(granules.distinct());
  result.efficiency =
      static_cast<double>(useful_bytes(addresses, width)) / (result.sectors * kSector);
  return result;
}

int shared_wavefronts(const LaneAddresses& addresses, int width_bytes) {
  const int width = std::clamp(width_bytes, 1, kWidest);
  int groups = width > 8 ? 4 : width > 4 ? 2 : 1;
  // Two groups are served as one where neighbours, or next neighbours, read the same.
  if (groups > 1 && (in_pairs(addresses, 1) || in_pairs(addresses, 2))) groups /= 2;
  const int lanes = kLanes / groups;
  int wavefronts = 0;
  for (int group = 0; group < groups; ++group) {
    wavefronts += group_wavefronts(addresses, width, group * lanes, lanes);
  }
  return wavefronts;
}

}  // namespace tuner::models
