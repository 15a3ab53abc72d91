#include "tuner/report/table_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/report/escape.h"
#include "tuner/report/table.h"

namespace tuner {
namespace {

// A bar would end the cell, an end of line the table.
std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : html_escaped(text)) {
    if (c == '|') {
      cell += "\\|";
    } else {
      cell += c == '\n' ? ' ' : c;
    }
  }
  return cell;
}

std::vector<std::string> headings(const PageTable& table) {
  std::vector<std::string> words;
  for (const PageColumn& column : table.columns) words.push_back(column.heading);
  return words;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + csv_field(cells[i]);
  return line + "\r\n";
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + markdown_cell(cell) + " |";
  return line + '\n';
}

}  // namespace

std::string terminal_text(const PageTable& table, bool bold_heading) {
  const PageTable shown = without_empty_columns(table);
  std::vector<Column> columns;
  for (const PageColumn& column : shown.columns) {
    columns.push_back({column.heading, column.number ? Align::right : Align::left});
  }
  Table text(std::move(columns));
  for (const auto& row : shown.rows) text.add(row);
  return text.render(bold_heading);
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::string result, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      result += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return result + line + '\n';
}

std::string csv_text(const PageTable& table) {
  std::string text = csv_line(headings(table));
  for (const auto& row : table.rows) text += csv_line(row);
  return text;
}

std::string markdown_text(const PageTable& table) {
  std::string text =
      fmt::format("### {}\n\n{}|", markdown_cell(table.title), markdown_line(headings(table)));
  for (const PageColumn& column : table.columns) text += column.number ? " ---: |" : " --- |";
  text += '\n';
  for (const auto& row : table.rows) text += markdown_line(row);
  return text;
}

}  // namespace tuner
