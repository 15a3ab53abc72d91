#include "tuner/report/counters.h"

#include <fmt/format.h>

#include <array>

#include "tuner/report/table.h"

namespace tuner {
namespace {

struct CounterColumn {
  const char* heading;
  const char* key;  // in JSON, unscaled
  std::optional<double> Counters::*value;
  double scale = 1;
};

constexpr auto kColumns = std::to_array<CounterColumn>(
    {{"load sectors", "load_sectors_per_request", &Counters::load_sectors},
     {"store sectors", "store_sectors_per_request", &Counters::store_sectors},
     {"MB read", "dram_bytes_read", &Counters::dram_read, 1e-6},
     {"MB written", "dram_bytes_written", &Counters::dram_written, 1e-6},
     {"L1 hit %", "l1_hit_rate", &Counters::l1_hit, 100},
     {"L2 hit %", "l2_hit_rate", &Counters::l2_hit, 100},
     {"occupancy %", "occupancy", &Counters::occupancy, 100},
     {"bank conflicts", "bank_conflicts", &Counters::bank_conflicts}});

std::string cell(const Counters& counters, const CounterColumn& column) {
  const std::optional<double>& value = counters.*column.value;
  return value ? four_digits(*value * column.scale) : "";
}

nlohmann::ordered_json to_json(const Counters& counters) {
  nlohmann::ordered_json json;
  for (const CounterColumn& column : kColumns) {
    json[column.key] = nullptr;
    if (const auto& value = counters.*column.value) json[column.key] = *value;
  }
  return json;
}

}  // namespace

PageTable counters_table(const std::vector<CounterRow>& rows) {
  PageTable table{"counters", "Hardware counters beside the model", {{"case"}}, {}};
  for (const CounterColumn& column : kColumns) {
    table.columns.push_back({fmt::format("{}, model", column.heading), true});
    table.columns.push_back({fmt::format("{}, counted", column.heading), true});
  }
  for (const CounterRow& row : rows) {
    std::vector<std::string> cells = {row.label};
    for (const CounterColumn& column : kColumns) {
      cells.push_back(cell(row.model, column));
      cells.push_back(cell(row.measured, column));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

nlohmann::ordered_json counters_json(const CounterRow& row) {
  return {{"model", to_json(row.model)}, {"measured", to_json(row.measured)}};
}

}  // namespace tuner
