// The buffers of a problem on the device: filled, poisoned, restored, and copied as often as a cold
// cache takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/generator.h"
#include "tuner/measure/guarded_buffer.h"
#include "tuner/measure/job.h"

namespace tuner {

// Floating-point outputs are poisoned with NaN (all bits set); integers with a byte that no result
// is likely to be made of.
std::uint8_t poison_byte(Element element);

// Set 0 is the one that runs are verified on. Further sets are copies of it, for rotation. Within a
// set, buffers stand in the order of the setup. For one thread.
class ProblemBuffers {
 public:
  static constexpr std::int64_t kMaxSets = 64;

  // Makes and fills set 0. Throws TunerError (values that cannot be made) or DriverError.
  ProblemBuffers(const Gpu& gpu, const std::vector<BufferSpec>& specs);

  const std::vector<BufferSpec>& specs() const { return specs_; }
  // Index by name. Throws TunerError for an unknown one.
  std::size_t index_of(const std::string& name) const;
  const GuardedBuffer& buffer(std::size_t set, std::size_t index) const {
    return sets_[set][index];
  }
  Generator& generator(std::size_t index) { return generators_[index]; }
  std::size_t sets() const { return sets_.size(); }
  std::int64_t bytes() const;  // of one set's data
  bool has_inout() const;

  // Copies set 0 until there are `count`, or no room is left.
  void make_sets(std::size_t count);
  // Queued: inputs that are written get their values back; pure outputs (and what is neither) are
  // poisoned.
  void restore(std::size_t set) const;
  void poison(std::size_t set) const;

  // The first input that is no output and does not hold its values any more, as a reason; empty
  // where all do. Compares all of an input up to kSampledBytes, else the pieces of
  // ranges_to_check(). Waits. A changed input makes all inputs be written anew.
  std::string check_inputs();
  // As tuner::check_guards(), of the given sets.
  std::string check_guards(std::size_t first_set, std::size_t end_set) const;

 private:
  void fill(std::size_t index, bool remember);
  void refill();
  bool inputs_equal(std::size_t index) const;

  const Gpu& gpu_;
  std::vector<BufferSpec> specs_;
  std::vector<Generator> generators_;
  std::vector<std::vector<GuardedBuffer>> sets_;
  std::vector<std::optional<GuardedBuffer>> originals_;   // of inout buffers
  std::vector<std::vector<std::uint64_t>> chunk_hashes_;  // of inputs' checked ranges, by chunk
};

}  // namespace tuner
