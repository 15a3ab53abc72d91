#include "tuner/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tuner/report/escape.h"
#include "tuner/report/svg.h"
#include "tuner/report/vega.h"
#include "tuner/report/vega_library.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

// Of a table whose rows the script shows: what a reader without scripts sees.
constexpr std::size_t kRowsWithoutScript = 50;

std::string element(const char* name, const std::string& text) {
  return fmt::format("<{0}>{1}</{0}>\n", name, html_escaped(text));
}

std::string cell(const char* name, const PageColumn& column, const std::string& text) {
  // Long ones want room, lest they are broken at every few characters.
  constexpr std::size_t kLong = 30;
  const char* kind = column.number ? " class='n'" : text.size() > kLong ? " class='w'" : "";
  return fmt::format("<{}{}>{}</{}>", name, kind, html_escaped(text), name);
}

std::string row(const char* name, const std::vector<PageColumn>& columns,
                const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out += cell(name, columns[i], i < cells.size() ? cells[i] : "");
  }
  return out + "</tr>\n";
}

std::string table_html(const std::vector<PageColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> headings;
  for (const PageColumn& column : columns) headings.push_back(column.heading);
  std::string out =
      "<div class='scroll'><table><thead>" + row("th", columns, headings) + "</thead><tbody>\n";
  for (const auto& cells : rows) out += row("td", columns, cells);
  return out + "</tbody></table></div>\n";
}

std::string titled_table(const std::string& id, const std::string& title, const char* kind,
                         const std::string& table) {
  return fmt::format(
      "<section class='table' data-{}='{}'><div class='bar'><h3>{}</h3><button type='button' "
      "class='csv'>Save as CSV</button></div>\n{}</section>\n",
      kind, html_escaped(id), html_escaped(title), table);
}

std::string shown(const Json& cell) {
  if (cell.is_null()) return "";
  if (cell.is_number_float()) return fmt::format("{:.5g}", cell.get<double>());
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

// Texts repeat from row to row: they are kept once, and numbered.
Json column_json(const PageData& data, std::size_t column) {
  Json values = Json::array(), texts = Json::array();
  std::map<std::string, std::size_t> places;
  for (const auto& row : data.rows) {
    if (data.columns[column].number) {
      const Json& value = row[column];
      values.push_back(value.is_number_float() ? Json(rounded(value.get<double>(), 6)) : value);
      continue;
    }
    const auto [place, is_new] = places.try_emplace(shown(row[column]), places.size());
    if (is_new) texts.push_back(place->first);
    values.push_back(place->second);
  }
  Json json = {{"heading", data.columns[column].heading},
               {"number", data.columns[column].number},
               {"values", std::move(values)}};
  if (!data.columns[column].number) json["texts"] = std::move(texts);
  return json;
}

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:";

bool is_empty(const PageTable& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [&](const std::vector<std::string>& row) {
    return column >= row.size() || row[column].empty();
  });
}

}  // namespace

PageTable without_empty_columns(const PageTable& table) {
  PageTable result{table.id, table.title, {}, {}};
  result.rows.resize(table.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (is_empty(table, i)) continue;
    result.columns.push_back(table.columns[i]);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const auto& cells = table.rows[row];
      result.rows[row].push_back(i < cells.size() ? cells[i] : "");
    }
  }
  return result;
}

void Page::heading(const std::string& text) { body_ += element("h1", text); }
void Page::subheading(const std::string& text) { body_ += element("h2", text); }
void Page::paragraph(const std::string& text) { body_ += element("p", text); }
void Page::configuration(const std::string& id) {
  body_ += "<p class='id'>" + html_escaped(id) + "</p>\n";
}
void Page::note(const std::string& text) {
  body_ += "<p class='note'>" + html_escaped(text) + "</p>\n";
}

void Page::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<dl class='facts'>";
  for (const auto& [label, value] : facts) {
    body_ +=
        fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", html_escaped(label), html_escaped(value));
  }
  body_ += "</dl>\n";
}

void Page::add(const PageTable& table) {
  const PageTable shown = without_empty_columns(table);
  body_ += titled_table(table.id, table.title, "static", table_html(shown.columns, shown.rows));
}

void Page::add(const PageData& data) {
  Json columns = Json::array();
  for (std::size_t i = 0; i < data.columns.size(); ++i) columns.push_back(column_json(data, i));
  tables_[data.id] = {
      {"rows", data.rows.size()}, {"label", data.label_column}, {"columns", std::move(columns)}};
  std::vector<std::vector<std::string>> first;
  for (std::size_t i = 0; i < std::min(kRowsWithoutScript, data.rows.size()); ++i) {
    std::vector<std::string>& cells = first.emplace_back();
    for (const Json& one : data.rows[i]) cells.push_back(shown(one));
  }
  body_ += titled_table(data.id, data.title, "rows", table_html(data.columns, first));
}

std::string Page::figure(const Chart& chart, const std::string& data) {
  charts_[chart.id] = {{"table", data}, {"spec", vega_spec(chart)}};
  return fmt::format(
      "<figure{} data-chart='{}'><h3>{}</h3><div class='plot'>{}</div>{}</figure>\n",
      chart.small ? " class='small'" : "", html_escaped(chart.id), html_escaped(chart.title),
      svg(chart),
      chart.caption.empty() ? "" : "<figcaption>" + html_escaped(chart.caption) + "</figcaption>");
}

void Page::add(const Chart& chart, const std::string& data) {
  if (!chart.empty()) body_ += figure(chart, data);
}

void Page::add_small(const std::vector<Chart>& charts, const std::string& data) {
  body_ += "<div class='smalls'>\n";
  for (const Chart& chart : charts) body_ += figure(chart, data);
  body_ += "</div>\n";
}

std::string Page::html(const std::optional<std::string>& vega) const {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
      "<meta http-equiv='Content-Security-Policy' content=\"{}\">\n<title>{}</title>\n"
      "<link rel='icon' href='data:,'>\n<style>\n{}{}</style>\n</head>\n<body>\n"
      "<button type='button' id='theme' hidden>Dark</button>\n<main>\n{}",
      kPolicy, html_escaped(title_), chart_style(), page_style(), body_);
  if (!vega && !charts_.empty()) {
    out += "<p class='note'>" + html_escaped(how_to_install_vega()) + "</p>\n";
  }
  out += "</main>\n<script type='application/json' id='data'>";
  out += script_json({{"charts", vega ? charts_ : Json::object()}, {"tables", tables_}});
  out += "</script>\n";
  if (vega) out += "<script>\n" + *vega + "</script>\n";
  return out + "<script>\n" + page_script() + "</script>\n</body>\n</html>\n";
}

}  // namespace tuner
