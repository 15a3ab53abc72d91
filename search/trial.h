// What became of one configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/space.h"

namespace tuner::search {

enum class Status {
  ok,
  pruned,
  compile_error,
  compile_timeout,
  launch_error,
  crash,
  timeout,
  wrong
};
std::string_view to_string(Status status);  // as spelled above
std::optional<Status> status_from_string(std::string_view name);

struct Trial {
  Config config;
  Status status = Status::pruned;
  double time_ns = 0;      // median; meaningful only where status is ok
  bool abandoned = false;  // clearly behind the incumbent after its first samples: time_ns is rough
  std::string reason;      // why it failed or was pruned
};

}  // namespace tuner::search
