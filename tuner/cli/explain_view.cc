#include "tuner/cli/explain_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/occupancy_view.h"
#include "tuner/cli/quantity.h"
#include "tuner/cli/value_json.h"
#include "tuner/pipeline/counting.h"
#include "tuner/pipeline/moved_bytes.h"
#include "tuner/report/bar.h"
#include "tuner/report/table.h"
#include "tuner/report/table_text.h"

namespace tuner {
namespace {

using nlohmann::ordered_json;

constexpr double kNsPerMs = 1e6;

bool is_memset(const models::LaunchShape& launch) { return launch.memset_bytes > 0; }

// A memset's occupancy is empty, and there may be none at all where the estimate stopped early.
models::Occupancy occupancy_of(const Explanation& explanation, std::size_t launch) {
  const auto& all = explanation.estimate.occupancy;
  return launch < all.size() ? all[launch] : models::Occupancy{};
}

ordered_json launch_json(const models::LaunchShape& launch, const models::Occupancy& occupancy) {
  ordered_json json = occupancy_json(occupancy);
  json["registers"] = launch.registers.value_or(0);
  json["spill_bytes"] = launch.spill_bytes;
  json["static_smem"] = launch.static_shared.value_or(0);
  json["dynamic_smem"] = launch.dynamic_shared;
  json["grid"] = launch.blocks;
  json["block"] = launch.threads;
  return json;
}

ordered_json access_json(const models::LaunchShape& launch, const models::MemoryAccess& access) {
  return {{"name", access.name},
          {"launch", launch.name},
          {"memory", access.shared ? "shared" : "global"},
          {"store", access.store},
          {"width_bytes", access.width_bytes},
          {"requests_per_warp", access.requests_per_warp},
          {"sectors_per_request", access.sectors_per_request},
          {"efficiency", access.efficiency},
          {"bank_wavefronts", access.bank_wavefronts}};
}

ordered_json loop_json(const models::DerivedLoop& loop) {
  return {{"depth", loop.depth},
          {"iterations", loop.iterations},
          {"iterations_known", loop.iterations_known},
          {"instructions", loop.instructions},
          {"fma", loop.fma},
          {"global_load_bytes", loop.global_load_bytes},
          {"global_store_bytes", loop.global_store_bytes},
          {"shared_load_bytes", loop.shared_load_bytes},
          {"shared_store_bytes", loop.shared_store_bytes}};
}

// Null where the launch has a model of its own.
ordered_json derived_json(const models::LaunchShape& launch) {
  if (!launch.derived) return nullptr;
  ordered_json loops = ordered_json::array();
  for (const models::DerivedLoop& loop : launch.derived->loops) loops.push_back(loop_json(loop));
  return {{"fma", launch.fma_per_thread},
          {"instructions", launch.instructions_per_thread},
          {"ilp", launch.ilp},
          {"loads_in_flight", launch.loads_in_flight},
          {"barriers", launch.barriers_per_block},
          {"loops", std::move(loops)},
          {"known", launch.derived->known},
          {"assumed", launch.derived->assumed},
          {"unknown", launch.derived->unknown}};
}

std::string launch_text(const models::LaunchShape& launch, const models::Occupancy& occupancy,
                        bool color) {
  if (is_memset(launch)) {
    return fmt::format("{}: sets {}\n", launch.name.empty() ? "memset" : launch.name,
                       show_bytes(static_cast<std::int64_t>(launch.memset_bytes)));
  }
  return fmt::format(
      "{}: {} blocks of {} threads, {} registers a thread, {} spilled, shared memory {} static + "
      "{} dynamic\n{}",
      launch.name.empty() ? "kernel" : launch.name, launch.blocks, launch.threads,
      launch.registers.value_or(0), show_bytes(launch.spill_bytes),
      show_bytes(launch.static_shared.value_or(0)), show_bytes(launch.dynamic_shared),
      occupancy_text(occupancy, color));
}

std::string pipes_text(const models::Estimate& estimate, bool color) {
  double longest = 0;
  for (const models::Pipe& pipe : estimate.pipes) longest = std::max(longest, pipe.time_ns);
  Table table({{"pipe"}, {"alone", Align::right}, {""}, {""}});
  for (const models::Pipe& pipe : estimate.pipes) {
    if (!(pipe.time_ns > 0)) continue;
    table.add({pipe.name, show_time_ns(pipe.time_ns), bar(pipe.time_ns / longest, 30),
               pipe.name == estimate.bound ? "<- binds" : ""});
  }
  return table.render(color);
}

std::string accesses_text(const models::KernelShape& shape, bool color) {
  Table table({{"access"},
               {"memory"},
               {"bytes a lane", Align::right},
               {"sectors a request", Align::right},
               {"efficiency", Align::right},
               {"bank wavefronts", Align::right}});
  bool any = false;
  for (const models::LaunchShape& launch : shape.launches) {
    for (const models::MemoryAccess& access : launch.accesses) {
      any = true;
      table.add({access.name,
                 fmt::format("{} {}", access.shared ? "shared" : "global",
                             access.store ? "store" : "load"),
                 fmt::format("{}", access.width_bytes),
                 access.shared ? "" : fmt::format("{:.2f}", access.sectors_per_request),
                 access.shared ? "" : fmt::format("{:.1f} %", 100 * access.efficiency),
                 access.bank_wavefronts > 0 ? fmt::format("{:.2f}", access.bank_wavefronts) : ""});
    }
  }
  return any ? '\n' + table.render(color) : "";
}

std::string loops_text(const std::vector<models::DerivedLoop>& loops, bool color) {
  if (loops.empty()) return "";
  Table table({{"loop"},
               {"iterations", Align::right},
               {"instructions", Align::right},
               {"FMAs", Align::right},
               {"global in", Align::right},
               {"out", Align::right},
               {"shared in", Align::right},
               {"out", Align::right}});
  for (const models::DerivedLoop& loop : loops) {
    table.add({std::string(2 * static_cast<std::size_t>(loop.depth - 1), ' ') + "loop",
               fmt::format("{}{:.4g}", loop.iterations_known ? "" : "~", loop.iterations),
               fmt::format("{}", loop.instructions), fmt::format("{:.4g}", loop.fma),
               fmt::format("{:.4g} B", loop.global_load_bytes),
               fmt::format("{:.4g} B", loop.global_store_bytes),
               fmt::format("{:.4g} B", loop.shared_load_bytes),
               fmt::format("{:.4g} B", loop.shared_store_bytes)});
  }
  return "\na thread's loops, each iteration without what inner ones do\n" + table.render(color);
}

std::string notes_text(const char* label, const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += fmt::format("{:<9} {}\n", label, note);
  return text;
}

std::string derived_text(const models::LaunchShape& launch, bool color) {
  if (!launch.derived) return "";
  const models::Derivation& derived = *launch.derived;
  return fmt::format(
             "\n{} has no model. From its PTX, a thread: {:.4g} FMAs in {:.3g} independent chains, "
             "{:.4g} other instructions, {:.3g} global loads in flight; a block: {:.4g} barriers\n",
             launch.name.empty() ? "the kernel" : launch.name, launch.fma_per_thread, launch.ilp,
             launch.instructions_per_thread, launch.loads_in_flight, launch.barriers_per_block) +
         notes_text("derived", derived.known) + notes_text("assumed", derived.assumed) +
         notes_text("unknown", derived.unknown) + loops_text(derived.loops, color);
}

// Where the useful FLOPs stand under the roofs of arithmetic and memory.
struct Roofline {
  double flops_per_byte = 0, ridge = 0;        // of DRAM; 0: no bytes there
  double l2_flops_per_byte = 0, l2_ridge = 0;  // between the SMs and L2
  double roof_gflops = 0;                      // 0: the work is no FLOPs
};

Roofline place(const Explanation& explanation) {
  const models::KernelShape& shape = explanation.shape;
  if (!(shape.useful_flops > 0) || !explanation.estimate.keep) return {};
  const models::DeviceProfile& device = explanation.kernel.device();
  const MovedBytes moved = moved_bytes(device, shape, explanation.estimate);
  const bool fp64 = std::ranges::any_of(shape.launches, &models::LaunchShape::fp64);
  Roofline result;
  const double peak = fp64 ? device.fp64_gflops() : device.fp32_gflops();
  result.roof_gflops = peak;
  const auto under = [&](double bytes, double gbps, double& intensity, double& ridge) {
    if (!(bytes > 0) || !(gbps > 0)) return;
    intensity = shape.useful_flops / bytes;
    ridge = peak / gbps;
    result.roof_gflops = std::min(result.roof_gflops, intensity * gbps);
  };
  under(moved.dram, device.dram_gbps, result.flops_per_byte, result.ridge);
  under(moved.l2, device.l2_gbps, result.l2_flops_per_byte, result.l2_ridge);
  return result;
}

std::string roofline_text(const Roofline& roofline) {
  if (!(roofline.roof_gflops > 0)) return "";
  const auto side = [](const char* memory, double intensity, double ridge) {
    return intensity > 0
               ? fmt::format(", {:.3g} FLOP a byte of {} ({} of the ridge at {:.3g})", intensity,
                             memory, intensity < ridge ? "left" : "right", ridge)
               : "";
  };
  return fmt::format("roofline: {:.0f} GFLOP/s at most{}{}\n", roofline.roof_gflops,
                     side("DRAM", roofline.flops_per_byte, roofline.ridge),
                     side("L2", roofline.l2_flops_per_byte, roofline.l2_ridge));
}

}  // namespace

ordered_json explanation_json(const Explanation& explanation) {
  const auto& [kernel, config, shape, estimate, counters] = explanation;
  ordered_json json = {{"kernel", kernel.description().name},
                       {"problem", problem_json(kernel.problem())},
                       {"device", device_json(kernel.device())},
                       {"config", config_json(kernel.space(), config)}};
  ordered_json launches = ordered_json::array();
  ordered_json accesses = ordered_json::array();
  bool first = true;
  for (std::size_t i = 0; i < shape.launches.size(); ++i) {
    const models::LaunchShape& launch = shape.launches[i];
    if (is_memset(launch)) continue;
    ordered_json entry = launch_json(launch, occupancy_of(explanation, i));
    if (first) json.update(entry);
    first = false;
    entry["name"] = launch.name;
    entry["instructions"] = nullptr;  // of all warps
    if (const auto all = model_counters(kernel.device(), shape, estimate, i).instructions)
      entry["instructions"] = *all;
    entry["derived"] = derived_json(launch);
    launches.push_back(std::move(entry));
    for (const auto& access : launch.accesses) accesses.push_back(access_json(launch, access));
  }
  json["predicted_ms"] = estimate.time_ns / kNsPerMs;
  json["bound_ms"] = estimate.bound_ns / kNsPerMs;
  json["pipes"] = ordered_json::object();
  for (const models::Pipe& pipe : estimate.pipes)
    json["pipes"][pipe.name] = pipe.time_ns / kNsPerMs;
  if (const Roofline roofline = place(explanation); roofline.roof_gflops > 0) {
    json["roofline"] = {{"flops_per_byte", roofline.flops_per_byte},
                        {"ridge", roofline.ridge},
                        {"l2_flops_per_byte", roofline.l2_flops_per_byte},
                        {"l2_ridge", roofline.l2_ridge},
                        {"roof_gflops", roofline.roof_gflops}};
  }
  json["bound"] = estimate.bound;
  json["words"] = estimate.words;
  json["accesses"] = std::move(accesses);
  json["launches"] = std::move(launches);
  for (const CounterRow& row : counters) json["counters"][row.label] = counters_json(row);
  json["keep"] = estimate.keep;
  json["drop_reason"] = estimate.drop_reason;
  return json;
}

std::string explanation_text(const Explanation& explanation, bool color) {
  const auto& [kernel, config, shape, estimate, counters] = explanation;
  std::string text =
      fmt::format("{}  {}  {}\non {} (sm_{}; rates: {})\n\n", kernel.description().name,
                  to_string(kernel.problem()), kernel.space().id(config), kernel.device().name,
                  kernel.device().compute_capability, kernel.device().rates_source);
  for (std::size_t i = 0; i < shape.launches.size(); ++i) {
    text += launch_text(shape.launches[i], occupancy_of(explanation, i), color) + '\n';
  }
  if (!estimate.keep) text += "the search would drop it: " + estimate.drop_reason + '\n';
  text +=
      fmt::format("predicted {}, no run can beat {}; bound by {}\n{}\n{}\n{}",
                  show_time_ns(estimate.time_ns), show_time_ns(estimate.bound_ns), estimate.bound,
                  estimate.words, roofline_text(place(explanation)), pipes_text(estimate, color));
  text += accesses_text(shape, color);
  for (const models::LaunchShape& launch : shape.launches) text += derived_text(launch, color);
  if (counters.empty()) return text;
  const auto add = [&](const PageTable& table) {
    text += '\n' + table.title + '\n' + terminal_text(table, color);
  };
  add(counters_table(counters));
  for (const CounterRow& row : counters) {
    if (!row.accesses.empty()) add(accesses_table(row));
  }
  return text;
}

}  // namespace tuner
