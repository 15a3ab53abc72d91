// Which configuration a problem got. Reading takes no lock, so that it costs nanoseconds from any
// number of threads; whoever adds holds the owner's lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "tuner/kernel/kernel.h"
#include "tuner/runtime/loaded_kernel.h"
#include "tuner/runtime/runtime.h"

namespace tuner::runtime {

namespace detail {
inline constexpr std::int64_t kNotSet = std::numeric_limits<std::int64_t>::min();
}

using Codes = std::array<std::int64_t, detail::kMaxAxes>;  // of a problem's axes

// What was chosen for a problem. Immutable but for what is marked.
struct Choice {
  Choice(tuner::Kernel kernel_in, search::Config config_in, Selection selection_in)
      : kernel(std::move(kernel_in)),
        config(std::move(config_in)),
        selection(std::move(selection_in)) {}

  const tuner::Kernel kernel;
  const search::Config config;
  const Selection selection;
  Codes codes{};

  std::mutex loading;  // guards `owned`
  std::unique_ptr<LoadedKernel> owned;
  std::atomic<LoadedKernel*> loaded{nullptr};  // `owned`, once it is there
  std::atomic<std::int64_t> calls{0};          // not yet captured
};

class ChoiceTable {
 public:
  ChoiceTable();

  // Null where there is none. Any thread.
  Choice* find(const Codes& codes, std::size_t axes) const noexcept;
  // Takes the place of an older choice of the same codes, which stays alive. One thread at a time.
  Choice* insert(std::unique_ptr<Choice> choice, std::size_t axes);
  void clear();  // what was in it stays alive; one thread at a time
  const std::vector<std::unique_ptr<Choice>>& all() const { return all_; }

 private:
  struct Slots {
    explicit Slots(std::size_t size) : slots(size) {}
    std::vector<std::atomic<Choice*>> slots;  // a power of 2
    std::size_t used = 0;
  };
  void publish(std::size_t size, bool keep, std::size_t axes);

  std::atomic<Slots*> current_{nullptr};
  // A reader may still be in one that was replaced, so that none is ever freed. Each is twice the
  // one before: together they are twice the last.
  std::vector<std::unique_ptr<Slots>> generations_;
  std::vector<std::unique_ptr<Choice>> all_;
};

}  // namespace tuner::runtime
