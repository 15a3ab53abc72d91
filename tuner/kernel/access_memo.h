// What the accesses of a kernel were seen to do. Configurations that differ in nothing an access
// depends on (its index, width, block, and place in the grid) share the answer, and playing it
// is most of what an estimate costs.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tuner {

// What one access was seen to do: sums over warps, each weighted by those it stands for.
struct AccessTally {
  double weight = 0, active_weight = 0;
  double lanes = 0, sectors = 0, lines = 0, granules = 0, runs = 0, efficiency = 0, wavefronts = 0;
};

// For one kernel; used from one thread at a time.
class AccessMemo {
 public:
  using Key = std::vector<std::int64_t>;

  // nullptr where it has not been seen. `access` numbers the accesses of the kernel. Valid until
  // the next keep().
  const AccessTally* find(std::size_t access, const Key& key) {
    if (access >= last_.size()) last_.resize(access + 1);
    // Neighbours in a space mostly ask what the one before them asked.
    const Entry*& last = last_[access];
    if (last != nullptr && last->first == key) return &last->second;
    const auto found = tallies_.find(key);
    if (found == tallies_.end()) return nullptr;
    last = &*found;
    return &found->second;
  }
  const AccessTally& keep(const Key& key, const AccessTally& tally) {
    return tallies_.insert_or_assign(key, tally).first->second;
  }
  // Room to make a key in. It begins with the number of its access.
  Key& key() { return key_; }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, of words
      for (const std::int64_t word : key) {
        hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x100000001b3U;
        hash ^= hash >> 32U;
      }
      return hash;
    }
  };
  using Tallies = std::unordered_map<Key, AccessTally, Hash>;
  using Entry = Tallies::value_type;
  Tallies tallies_;
  std::vector<const Entry*> last_;  // found, of each access
  Key key_;
};

}  // namespace tuner
