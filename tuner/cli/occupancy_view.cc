#include "tuner/cli/occupancy_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/report/bar.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

// The models say "no limit" by the largest int.
nlohmann::ordered_json limit_json(int blocks) {
  return blocks == std::numeric_limits<int>::max() ? nlohmann::ordered_json(nullptr)
                                                   : nlohmann::ordered_json(blocks);
}

void add_limit(Table& table, const models::Occupancy& occupancy, models::Limiter limiter,
               int blocks) {
  const bool binds = std::ranges::find(occupancy.limiters, limiter) != occupancy.limiters.end();
  const bool unlimited = blocks == std::numeric_limits<int>::max();
  table.add({"  " + std::string(models::to_string(limiter)),
             unlimited ? "no limit" : fmt::format("{}", blocks), binds ? "<- binds" : ""});
}

}  // namespace

nlohmann::ordered_json occupancy_json(const models::Occupancy& occupancy) {
  nlohmann::ordered_json limiters = nlohmann::ordered_json::array();
  for (const models::Limiter limiter : occupancy.limiters) {
    // The keys of `limits`, so that a script can look them up there.
    std::string key(models::to_string(limiter));
    std::ranges::replace(key, ' ', '_');
    limiters.push_back(std::move(key));
  }
  return {{"blocks_per_sm", occupancy.blocks_per_sm},
          {"warps_per_sm", occupancy.warps_per_sm},
          {"max_warps_per_sm", occupancy.max_warps_per_sm},
          {"occupancy", occupancy.occupancy},
          {"limits",
           {{"warps", limit_json(occupancy.limits.warps)},
            {"registers", limit_json(occupancy.limits.registers)},
            {"shared_memory", limit_json(occupancy.limits.shared_memory)},
            {"blocks", limit_json(occupancy.limits.blocks)}}},
          {"limiters", limiters},
          {"refusal", occupancy.refusal}};
}

std::string limiters_in_words(const models::Occupancy& occupancy) {
  std::string words;
  for (const models::Limiter limiter : occupancy.limiters) {
    words += (words.empty() ? "" : " and ") + std::string(models::to_string(limiter));
  }
  return words.empty() ? "nothing" : words;
}

std::string occupancy_text(const models::Occupancy& occupancy, bool color) {
  if (!occupancy.refusal.empty()) return "cannot launch: " + occupancy.refusal + '\n';
  Table table({{"blocks a SM by", Align::left}, {"", Align::right}, {"", Align::left}});
  add_limit(table, occupancy, models::Limiter::warps, occupancy.limits.warps);
  add_limit(table, occupancy, models::Limiter::registers, occupancy.limits.registers);
  add_limit(table, occupancy, models::Limiter::shared_memory, occupancy.limits.shared_memory);
  add_limit(table, occupancy, models::Limiter::blocks, occupancy.limits.blocks);
  return fmt::format("occupancy {} {:.1f} %   {} blocks, {} of {} warps a SM; limited by {}\n{}",
                     bar(occupancy.occupancy), 100 * occupancy.occupancy, occupancy.blocks_per_sm,
                     occupancy.warps_per_sm, occupancy.max_warps_per_sm,
                     limiters_in_words(occupancy), table.render(color));
}

}  // namespace tuner
