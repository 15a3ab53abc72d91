// Aligned text tables for the terminal. Plain data in, one string out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

enum class Align { left, right };

struct Column {
  std::string heading;  // all headings empty: no heading line
  Align align = Align::left;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Missing cells are empty; cells beyond the columns are left out. Control characters become
  // escapes (tuner/report/escape.h).
  void add(std::vector<std::string> cells);

  // Two spaces between columns, none at a line's end. `bold_heading`: with the terminal's sequences
  // for bold around the heading.
  std::string render(bool bold_heading = false) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "0.1234", "123.4", "85210": four digits, or whole; never a power of ten.
std::string four_digits(double value);

// Characters that UTF-8 `text` shows, taken as one column each.
std::size_t display_width(std::string_view text);

}  // namespace tuner
