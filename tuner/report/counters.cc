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
     {"M instructions", "instructions", &Counters::instructions, 1e-6},
     {"bank conflicts", "bank_conflicts", &Counters::bank_conflicts}});

std::string cell(const Counters& counters, const CounterColumn& column) {
  const std::optional<double>& value = counters.*column.value;
  return value ? four_digits(*value * column.scale) : "";
}

// A mean over requests; nothing where there are none.
std::optional<double> a_request(const std::optional<AccessCounts>& counts,
                                double AccessCounts::*value) {
  if (!counts || !(counts->requests > 0)) return std::nullopt;
  return (*counts).*value / counts->requests;
}

const char* memory_of(const AccessKind& kind) { return kind.shared ? "shared" : "global"; }

nlohmann::ordered_json to_json(const std::optional<AccessCounts>& counts) {
  if (!counts) return nullptr;
  nlohmann::ordered_json json = {{"requests", counts->requests}};
  json[counts->kind.shared ? "wavefronts_per_request" : "sectors_per_request"] =
      a_request(counts, counts->kind.shared ? &AccessCounts::wavefronts : &AccessCounts::sectors)
          .value_or(0);
  return json;
}

nlohmann::ordered_json to_json(const AccessRow& row) {
  return {{"names", row.names},          {"memory", memory_of(row.kind)},
          {"store", row.kind.store},     {"width_bytes", row.kind.width_bytes},
          {"model", to_json(row.model)}, {"measured", to_json(row.measured)}};
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

PageTable accesses_table(const CounterRow& row) {
  PageTable table{"accesses",
                  fmt::format("Accesses of {}, counted beside the model", row.label),
                  {{"access"},
                   {"memory"},
                   {"bytes a lane", true},
                   {"requests, model", true},
                   {"counted", true},
                   {"sectors a request, model", true},
                   {"counted", true},
                   {"wavefronts a request, model", true},
                   {"counted", true}},
                  {}};
  const auto text = [](const std::optional<double>& value) {
    return value ? four_digits(*value) : std::string();
  };
  for (const AccessRow& access : row.accesses) {
    const auto both = [&](double AccessCounts::*value, bool told) {
      const auto one = [&](const std::optional<AccessCounts>& counts) {
        return told ? text(a_request(counts, value)) : std::string();
      };
      return std::pair(one(access.model), one(access.measured));
    };
    const auto requests = [&](const std::optional<AccessCounts>& counts) {
      return counts ? four_digits(counts->requests) : std::string();
    };
    const auto [model_sectors, sectors] = both(&AccessCounts::sectors, !access.kind.shared);
    const auto [model_wavefronts, wavefronts] = both(&AccessCounts::wavefronts, access.kind.shared);
    table.rows.push_back(
        {access.names.empty() ? "(none of the source)" : access.names,
         fmt::format("{} {}", memory_of(access.kind), access.kind.store ? "store" : "load"),
         fmt::format("{}", access.kind.width_bytes), requests(access.model),
         requests(access.measured), model_sectors, sectors, model_wavefronts, wavefronts});
  }
  return table;
}

nlohmann::ordered_json counters_json(const CounterRow& row) {
  nlohmann::ordered_json json = {{"model", to_json(row.model)},
                                 {"measured", to_json(row.measured)}};
  for (const AccessRow& access : row.accesses) json["accesses"].push_back(to_json(access));
  return json;
}

}  // namespace tuner
