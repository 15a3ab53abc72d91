#include "search/walk.h"

#include <utility>

namespace tuner::search {

Walk::Walk(std::shared_ptr<const VisitPlan> plan, std::uint64_t step_limit)
    : plan_(std::move(plan)),
      steps_left_(step_limit),
      cells_(plan_->base_cells()),
      verdicts_(plan_->depths()),
      next_choice_(plan_->depths()),
      reached_(plan_->depths(), kHolds) {
  config_.choice.resize(plan_->depths());
}

void Walk::enter(std::size_t depth) {
  plan_->verdicts(depth, config_, cells_, verdicts_[depth]);
  next_choice_[depth] = 0;
}

bool Walk::advance(std::size_t depth) {
  const std::vector<Verdict>& verdicts = verdicts_[depth];
  std::size_t choice = next_choice_[depth];
  while (choice < verdicts.size() && verdicts[choice] == kFails) ++choice;
  if (choice == verdicts.size()) return false;
  next_choice_[depth] = choice + 1;
  const std::size_t parameter = plan_->parameter_at(depth);
  config_.choice[parameter] = static_cast<std::uint16_t>(choice);
  plan_->bind(parameter, choice, cells_);
  reached_[depth] = verdicts[choice] & (depth == 0 ? kHolds : reached_[depth - 1]);
  return true;
}

bool Walk::next() {
  const std::size_t depths = plan_->depths();
  if (plan_->never() || (depths == 0 && started_)) return false;
  std::size_t depth = started_ ? depths - 1 : 0;
  if (!started_ && depths > 0) enter(0);
  started_ = true;
  if (depths == 0) return true;
  while (steps_left_ > 0) {
    --steps_left_;
    if (!advance(depth)) {
      if (depth == 0) return false;
      --depth;
    } else if (depth + 1 < depths) {
      enter(++depth);
    } else {
      if (reached_[depth] == kErrs) plan_->throw_error(config_);
      return true;
    }
  }
  return false;
}

}  // namespace tuner::search
