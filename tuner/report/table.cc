#include "tuner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/report/escape.h"

namespace tuner {
namespace {

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - std::min(width, display_width(cell)), ' ');
  return align == Align::left ? cell + space : space + cell;
}

std::string line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += (i == 0 ? "" : "  ") + padded(cells[i], widths[i], columns[i].align);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

std::string four_digits(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  return size > 0 && size < 1e-3 ? fmt::format("{:.2g}", value) : fmt::format("{:.4g}", value);
}

std::size_t display_width(std::string_view text) {
  // Every byte but the continuation bytes begins a character.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; }));
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = terminal_safe(cell);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::render(bool bold_heading) const {
  std::vector<std::string> headings;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    headings.push_back(columns_[i].heading);
    widths.push_back(display_width(columns_[i].heading));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  if (std::ranges::any_of(headings, [](const std::string& each) { return !each.empty(); })) {
    const std::string heading = line(columns_, widths, headings);
    text += (bold_heading ? "\x1b[1m" + heading + "\x1b[0m" : heading) + '\n';
  }
  for (const auto& row : rows_) text += line(columns_, widths, row) + '\n';
  return text;
}

}  // namespace tuner
