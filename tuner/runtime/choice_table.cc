#include "tuner/runtime/choice_table.h"

namespace tuner::runtime {
namespace {

constexpr std::size_t kFirstSlots = 64;

// Sizes are often powers of 2, so that every bit of the result has to depend on high ones, too (as
// in MurmurHash3's finishing steps).
std::size_t hash_of(const Codes& codes, std::size_t axes) noexcept {
  std::uint64_t hash = axes;
  for (std::size_t i = 0; i < axes; ++i) {
    hash = (hash ^ static_cast<std::uint64_t>(codes[i])) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

// By the word, not by memcmp: its wide loads would wait for a problem's narrow stores of just now.
bool same(const Codes& a, const Codes& b, std::size_t axes) noexcept {
  for (std::size_t i = 0; i < axes; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// The slot of these codes, or the free one where they would stand: the table is never full.
std::atomic<Choice*>& slot_of(std::vector<std::atomic<Choice*>>& slots, const Codes& codes,
                              std::size_t axes) noexcept {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = hash_of(codes, axes) & mask;; i = (i + 1) & mask) {
    const Choice* there = slots[i].load(std::memory_order_acquire);
    if (there == nullptr || same(there->codes, codes, axes)) return slots[i];
  }
}

}  // namespace

ChoiceTable::ChoiceTable() { publish(kFirstSlots, false, 0); }

Choice* ChoiceTable::find(const Codes& codes, std::size_t axes) const noexcept {
  Slots* slots = current_.load(std::memory_order_acquire);
  return slot_of(slots->slots, codes, axes).load(std::memory_order_acquire);
}

Choice* ChoiceTable::insert(std::unique_ptr<Choice> choice, std::size_t axes) {
  Slots* slots = current_.load(std::memory_order_relaxed);
  if (2 * (slots->used + 1) > slots->slots.size()) {
    publish(2 * slots->slots.size(), true, axes);
    slots = current_.load(std::memory_order_relaxed);
  }
  all_.push_back(std::move(choice));
  Choice* added = all_.back().get();
  std::atomic<Choice*>& slot = slot_of(slots->slots, added->codes, axes);
  if (slot.load(std::memory_order_relaxed) == nullptr) ++slots->used;
  slot.store(added, std::memory_order_release);
  return added;
}

void ChoiceTable::clear() { publish(kFirstSlots, false, 0); }

void ChoiceTable::publish(std::size_t size, bool keep, std::size_t axes) {
  auto next = std::make_unique<Slots>(size);
  if (keep) {
    for (const auto& slot : generations_.back()->slots) {
      Choice* choice = slot.load(std::memory_order_relaxed);
      if (choice == nullptr) continue;
      slot_of(next->slots, choice->codes, axes).store(choice, std::memory_order_relaxed);
      ++next->used;
    }
  }
  generations_.push_back(std::move(next));
  current_.store(generations_.back().get(), std::memory_order_release);
}

}  // namespace tuner::runtime
