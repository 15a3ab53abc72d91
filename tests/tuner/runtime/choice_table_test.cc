#include "tuner/runtime/choice_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "tests/tuner/select/copy_results.h"

namespace tuner::runtime {
namespace {

constexpr std::size_t kAxes = 2;

class ChoiceTableTest : public testing::Test {
 protected:
  std::unique_ptr<Choice> choice(std::int64_t first, std::int64_t second) const {
    auto made = std::make_unique<Choice>(kernel_, kernel_.space().default_config(), Selection{});
    made->codes = {first, second};
    return made;
  }

  CopyResults results_;
  const tuner::Kernel kernel_ = results_.copy_of(1024, results_.h200_);
  ChoiceTable table_;
};

TEST_F(ChoiceTableTest, FindsWhatWasInsertedAndNothingElse) {
  Choice* added = table_.insert(choice(1, 2), kAxes);
  EXPECT_EQ(table_.find({1, 2}, kAxes), added);
  EXPECT_EQ(table_.find({2, 1}, kAxes), nullptr);
  // Beyond the axes there is nothing to compare.
  EXPECT_EQ(table_.find({1, 2, 3}, kAxes), added);
}

TEST_F(ChoiceTableTest, KeepsAllWhileItGrows) {
  std::set<Choice*> added;
  for (std::int64_t i = 0; i < 1000; ++i) {
    added.insert(table_.insert(choice(i << 20, -i), kAxes));
  }
  for (std::int64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(added.contains(table_.find({i << 20, -i}, kAxes))) << i;
  }
  EXPECT_EQ(added.size(), 1000U);
}

TEST_F(ChoiceTableTest, ALaterChoiceTakesThePlaceOfAnEarlierOneWhichLives) {
  Choice* before = table_.insert(choice(1, 2), kAxes);
  Choice* after = table_.insert(choice(1, 2), kAxes);
  EXPECT_NE(before, after);
  EXPECT_EQ(table_.find({1, 2}, kAxes), after);
  EXPECT_EQ(before->codes[1], 2);
  EXPECT_EQ(table_.all().size(), 2U);
}

TEST_F(ChoiceTableTest, IsEmptyOnceCleared) {
  Choice* before = table_.insert(choice(1, 2), kAxes);
  table_.clear();
  EXPECT_EQ(table_.find({1, 2}, kAxes), nullptr);
  EXPECT_EQ(before->codes[0], 1);
}

TEST_F(ChoiceTableTest, ReadersSeeWholeChoicesWhileItGrows) {
  constexpr std::int64_t kCount = 500;
  std::atomic<std::int64_t> inserted{0};
  std::atomic<int> wrong{0};
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&] {
      while (inserted.load() < kCount) {
        const std::int64_t known = inserted.load();
        for (std::int64_t i = 0; i < known; ++i) {
          const Choice* found = table_.find({i, 7}, kAxes);
          if (found == nullptr || found->codes[0] != i) ++wrong;
        }
      }
    });
  }
  for (std::int64_t i = 0; i < kCount; ++i) {
    table_.insert(choice(i, 7), kAxes);
    inserted.store(i + 1);
  }
  readers.clear();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace tuner::runtime
