// Configurations by name, and narrowing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/fixture.h"

namespace tuner::search {
namespace {

using testing::HasSubstr;

Space small_space() {
  return make_space({{"BM", integers({32, 64, 128}), 1},
                     {"BN", integers({32, 64, 128}), 2},
                     {"scale", {0.5, 1.0, 2.0}},
                     {"algo", {std::string("tiled"), std::string("naive")}}},
                    {"BM <= BN"});
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const TunerError& error) {
    return error.what();
  }
  return "no error";
}

using Named = std::vector<std::pair<std::string, Value>>;

TEST(FromValues, KeepsDefaultsOfTheRest) {
  const Named values = {{"BM", std::int64_t{128}}, {"algo", std::string("naive")}};
  EXPECT_EQ(small_space().from_values(values), (Config{{2, 2, 0, 1}}));
  EXPECT_EQ(small_space().from_values({}), (Config{{1, 2, 0, 0}}));
}

TEST(FromValues, TakesAnIntegerForAReal) {
  const Named values = {{"scale", std::int64_t{2}}};
  EXPECT_EQ(small_space().from_values(values).choice[2], 2);
}

TEST(FromValues, SuggestsTheNearestName) {
  const Named values = {{"BMM", std::int64_t{64}}};
  const std::string message = message_of([&] { small_space().from_values(values); });
  EXPECT_THAT(message, HasSubstr("BMM"));
  EXPECT_THAT(message, HasSubstr("did you mean 'BM'"));
}

TEST(FromValues, ListsTheValues) {
  const Named values = {{"BM", std::int64_t{48}}};
  const std::string message = message_of([&] { small_space().from_values(values); });
  EXPECT_THAT(message, HasSubstr("48"));
  EXPECT_THAT(message, HasSubstr("32, 64, 128"));
}

TEST(FromValues, RefusesAnotherType) {
  const Named values = {{"BM", std::string("64")}};
  EXPECT_THROW(small_space().from_values(values), TunerError);
  const Named real = {{"BM", 64.0}};
  EXPECT_THROW(small_space().from_values(real), TunerError);
}

TEST(Narrowed, KeepsDeclaredOrderAndDefault) {
  const std::vector<Value> values = integers({128, 64, 64});
  const Space narrow = small_space().narrowed("BN", values);
  const Parameter& parameter = narrow.parameters()[1];
  EXPECT_EQ(parameter.values, integers({64, 128}));
  EXPECT_EQ(parameter.default_index, 1U);
  // BM <= BN: 2 + 3 pairs, each with 3 scales and 2 algorithms.
  EXPECT_EQ(narrow.count(), 30U);
}

TEST(Narrowed, MovesADefaultThatIsGone) {
  const std::vector<Value> values = integers({64, 32});
  const Space narrow = small_space().narrowed("BN", values);
  EXPECT_EQ(narrow.parameters()[1].values, integers({32, 64}));
  EXPECT_EQ(narrow.parameters()[1].default_index, 1U);  // the first that was named
}

TEST(Narrowed, RefusesWhatIsNotThere) {
  const Space space = small_space();
  const std::vector<Value> unknown = integers({64, 48});
  const std::vector<Value> known = integers({64});
  EXPECT_THAT(message_of([&] { space.narrowed("BN", unknown); }), HasSubstr("32, 64, 128"));
  EXPECT_THAT(message_of([&] { space.narrowed("BNN", known); }), HasSubstr("did you mean 'BN'"));
  EXPECT_THROW(space.narrowed("BN", {}), TunerError);
}

}  // namespace
}  // namespace tuner::search
