#include "search/trial.h"

#include <array>
#include <utility>

namespace tuner::search {
namespace {

constexpr auto kStatusNames = std::to_array<std::pair<Status, std::string_view>>({
    {Status::ok, "ok"},
    {Status::pruned, "pruned"},
    {Status::compile_error, "compile_error"},
    {Status::compile_timeout, "compile_timeout"},
    {Status::launch_error, "launch_error"},
    {Status::crash, "crash"},
    {Status::timeout, "timeout"},
    {Status::wrong, "wrong"},
});

}  // namespace

std::string_view to_string(Status status) {
  for (const auto& [known, name] : kStatusNames) {
    if (known == status) return name;
  }
  return "unknown";
}

std::optional<Status> status_from_string(std::string_view name) {
  for (const auto& [status, known] : kStatusNames) {
    if (known == name) return status;
  }
  return std::nullopt;
}

}  // namespace tuner::search
