#include "tests/bench/peers/report.h"

#include <fmt/format.h>

#include "tuner/measure/statistics.h"

namespace tuner::bench {
namespace {

using nlohmann::ordered_json;

constexpr double kGoalSlack = 0.99;

const char* mode_name(CacheMode cache) { return cache == CacheMode::cold ? "cold" : "warm"; }

ordered_json row_json(const Row& row) {
  ordered_json json = {
      {"group", row.what.group}, {"case", row.what.label}, {"cache", mode_name(row.cache)}};
  if (!row.ratio) {
    json["problem"] = row.problem;
    return json;
  }
  const Ratio& ratio = *row.ratio;
  json["ours"] = {
      {"kernel", row.what.kernel}, {"config", ratio.ours}, {"time_ns", median(ratio.ours_ns)}};
  json["peer"] = {{"name", ratio.peer}, {"time_ns", median(ratio.peer_ns)}};
  json["launches_per_sample"] = ratio.launches;
  json["samples"] = ratio.ours_ns.size();
  json["scale"] = ratio.scale;
  json["ratio"] = ratio.median;
  json["low"] = ratio.interval.low;
  json["high"] = ratio.interval.high;
  if (row.what.goal > 0) {
    json["goal"] = row.what.goal;
    json["met"] = meets_goal(row);
  }
  return json;
}

std::string row_text(const Row& row) {
  const std::string head =
      fmt::format("| {} | {} | {} |", row.what.group, row.what.label, mode_name(row.cache));
  if (!row.ratio) return fmt::format("{} | | | {} | |\n", head, row.problem);
  const Ratio& ratio = *row.ratio;
  const std::string goal =
      row.what.goal > 0 ? fmt::format("{:.2f}{}", row.what.goal, meets_goal(row) ? "" : ", missed")
                        : "";
  return fmt::format("{} {:.2f} | {:.2f} | {} | {:.3f} ({:.3f}–{:.3f}) | {} |\n", head,
                     median(ratio.ours_ns) * 1e-3, median(ratio.peer_ns) * 1e-3, ratio.peer,
                     ratio.median, ratio.interval.low, ratio.interval.high, goal);
}

}  // namespace

bool meets_goal(const Row& row) {
  return row.ratio && row.ratio->interval.low >= kGoalSlack * row.what.goal;
}

ordered_json to_json_document(const std::vector<Row>& rows, const RunFacts& facts) {
  ordered_json json = {
      {"schema", "tuner.peers"},  {"version", 1},           {"gpu", facts.gpu},
      {"driver", facts.driver},   {"cuda", facts.cuda},     {"date", facts.date},
      {"command", facts.command}, {"rounds", facts.rounds}, {"rows", ordered_json::array()}};
  for (const Row& row : rows) json["rows"].push_back(row_json(row));
  return json;
}

std::string markdown_table(const std::vector<Row>& rows) {
  std::string table =
      "| kernel | case | cache | ours µs | peer µs | peer | peer ÷ ours (95 %) | goal "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows) table += row_text(row);
  return table;
}

}  // namespace tuner::bench
