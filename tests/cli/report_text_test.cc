#include <gtest/gtest.h>

#include <limits>

#include "tuner/report/bar.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

TEST(Table, AlignsByWhatIsSeen) {
  Table table({{"name"}, {"n", Align::right}, {""}});
  table.add({"a", "1", "██"});
  table.add({"é·", "100", "x"});
  table.add({"long name"});
  EXPECT_EQ(table.render(),
            "name         n\n"
            "a            1  ██\n"
            "é·         100  x\n"
            "long name\n");
}

TEST(FourDigits, NeverWritesAPowerOfTen) {
  EXPECT_EQ(four_digits(85214.3), "85214");
  EXPECT_EQ(four_digits(123.456), "123.5");
  EXPECT_EQ(four_digits(0.5), "0.5");
  EXPECT_EQ(four_digits(0), "0");
}

TEST(Table, HasNoHeadingLineWithoutHeadings) {
  Table table({{""}, {""}});
  table.add({"a", "b"});
  EXPECT_EQ(table.render(), "a  b\n");
}

TEST(Bar, FillsByTheEighth) {
  EXPECT_EQ(bar(0, 4), "····");
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(0.5, 4), "██··");
  EXPECT_EQ(bar(0.375, 4), "█▌··");
  EXPECT_EQ(bar(7, 4), "████");
  EXPECT_EQ(bar(-1, 4), "····");
  EXPECT_EQ(bar(std::numeric_limits<double>::quiet_NaN(), 4), "····");
  for (const double fraction : {0.01, 0.33, 0.99}) EXPECT_EQ(display_width(bar(fraction, 20)), 20U);
}

}  // namespace
}  // namespace tuner
