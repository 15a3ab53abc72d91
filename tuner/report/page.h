// An HTML page that holds all that it shows: text, tables, charts, its style and its script.
// Everything that is handed in as text is escaped here.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/report/chart.h"

namespace tuner {

struct PageColumn {
  std::string heading;
  bool number = false;
};

// A table that is written out as a whole but for its empty columns, with a button that saves it as
// CSV.
struct PageTable {
  std::string id;  // letters, digits, '-'; names the CSV file
  std::string title;
  std::vector<PageColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

PageTable without_empty_columns(const PageTable& table);

// A table of many rows: the script shows some of them, sorted and filtered; the CSV has all. Charts
// name its rows in their tooltips. `rows[i]` has a cell a column; of a number's column a number or
// null.
struct PageData {
  std::string id, title;
  std::vector<PageColumn> columns;
  std::vector<std::vector<nlohmann::ordered_json>> rows;
  std::size_t label_column = 0;  // begins a tooltip
};

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  void heading(const std::string& text);
  void subheading(const std::string& text);
  void paragraph(const std::string& text);
  void configuration(const std::string& id);
  void note(const std::string& text);  // set apart: what is missing, and what would bring it
  // Large figures beside each other: a label, a value.
  void facts(const std::vector<std::pair<std::string, std::string>>& facts);
  void add(const PageTable& table);
  void add(const PageData& data);
  // `data`: id of the PageData that the points' rows are in; empty for none.
  void add(const Chart& chart, const std::string& data = {});
  void add_small(const std::vector<Chart>& charts, const std::string& data = {});

  // `vega`: vega_script(); without it the charts are SVGs, and the page says so.
  std::string html(const std::optional<std::string>& vega) const;

 private:
  std::string figure(const Chart& chart, const std::string& data);

  std::string title_, body_;
  nlohmann::ordered_json charts_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json tables_ = nlohmann::ordered_json::object();
};

// Parts of every page.
std::string page_style();
std::string page_script();

}  // namespace tuner
