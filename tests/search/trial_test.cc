#include "search/trial.h"

#include <gtest/gtest.h>

namespace tuner::search {
namespace {

TEST(Status, IsSpelledAsInTheDesign) {
  const std::vector<std::pair<Status, std::string_view>> spelled = {
      {Status::ok, "ok"},
      {Status::pruned, "pruned"},
      {Status::compile_error, "compile_error"},
      {Status::compile_timeout, "compile_timeout"},
      {Status::launch_error, "launch_error"},
      {Status::crash, "crash"},
      {Status::timeout, "timeout"},
      {Status::wrong, "wrong"},
  };
  for (const auto& [status, name] : spelled) {
    EXPECT_EQ(to_string(status), name);
    EXPECT_EQ(status_from_string(name), status);
  }
  EXPECT_EQ(status_from_string("OK"), std::nullopt);
  EXPECT_EQ(status_from_string(""), std::nullopt);
}

}  // namespace
}  // namespace tuner::search
