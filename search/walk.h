// Visits the valid configurations of a space one after another, in the plan's order.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "search/space.h"
#include "search/visit_plan.h"

namespace tuner::search {

// Takes memory for one configuration. Used from one thread; may outlive the space, not its scope.
class Walk {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  // Gives up after binding `step_limit` values.
  explicit Walk(std::shared_ptr<const VisitPlan> plan, std::uint64_t step_limit = kUnlimited);

  // Moves to the first, then to the next configuration; false after the last, or at the limit.
  // Throws ExpressionError at a point where a constraint errs and none is false.
  bool next();
  const Config& config() const { return config_; }
  bool cut_short() const { return steps_left_ == 0; }

 private:
  void enter(std::size_t depth);
  bool advance(std::size_t depth);

  std::shared_ptr<const VisitPlan> plan_;
  std::uint64_t steps_left_;
  bool started_ = false;
  std::vector<expr::Cell> cells_;
  std::vector<std::vector<Verdict>> verdicts_;  // by depth
  std::vector<std::size_t> next_choice_;        // by depth
  std::vector<Verdict> reached_;                // what all depths so far say together
  Config config_;
};

}  // namespace tuner::search
