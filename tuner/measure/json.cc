#include "tuner/measure/json.h"

#include <string>
#include <utility>
#include <variant>

namespace tuner {
namespace {

using nlohmann::json;

json value_to_json(const Value& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

// Integers and reals stay apart: 1 and 1.0 differ in both encodings.
Value value_from_json(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  return value.get<double>();
}

const char* name_of(LaunchArgument::Kind kind) {
  switch (kind) {
    case LaunchArgument::Kind::buffer:
      return "buffer";
    case LaunchArgument::Kind::reference_output:
      return "reference_output";
    case LaunchArgument::Kind::workspace:
      return "workspace";
    case LaunchArgument::Kind::tensor_map:
      return "tensor_map";
    case LaunchArgument::Kind::scalar:
      break;
  }
  return "scalar";
}

LaunchArgument::Kind argument_kind(const std::string& name) {
  for (const auto kind : {LaunchArgument::Kind::buffer, LaunchArgument::Kind::reference_output,
                          LaunchArgument::Kind::workspace, LaunchArgument::Kind::tensor_map}) {
    if (name == name_of(kind)) return kind;
  }
  return LaunchArgument::Kind::scalar;
}

// Reads a key into the member of the same name.
template <typename T>
void take(const json& object, const char* key, T& member) {
  object.at(key).get_to(member);
}

}  // namespace

void to_json(json& json, const BufferInit& init) {
  json = {{"kind", init.kind}, {"low", init.low}, {"high", init.high},
          {"seed", init.seed}, {"run", init.run}, {"file", init.file}};
}
void from_json(const json& json, BufferInit& init) {
  take(json, "kind", init.kind);
  take(json, "low", init.low);
  take(json, "high", init.high);
  take(json, "seed", init.seed);
  take(json, "run", init.run);
  take(json, "file", init.file);
}

void to_json(json& json, const BufferSpec& buffer) {
  json = {{"name", buffer.name},   {"element", buffer.element}, {"count", buffer.count},
          {"input", buffer.input}, {"output", buffer.output},   {"init", buffer.init}};
}
void from_json(const json& json, BufferSpec& buffer) {
  take(json, "name", buffer.name);
  take(json, "element", buffer.element);
  take(json, "count", buffer.count);
  take(json, "input", buffer.input);
  take(json, "output", buffer.output);
  take(json, "init", buffer.init);
}

void to_json(json& json, const WorkspaceSpec& workspace) {
  json = {{"name", workspace.name}, {"bytes", workspace.bytes}, {"init", workspace.init}};
}
void from_json(const json& json, WorkspaceSpec& workspace) {
  take(json, "name", workspace.name);
  take(json, "bytes", workspace.bytes);
  take(json, "init", workspace.init);
}

void to_json(json& json, const SymbolSpec& symbol) {
  json = {{"lowered_name", symbol.lowered_name}, {"buffer", symbol.buffer}};
}
void from_json(const json& json, SymbolSpec& symbol) {
  take(json, "lowered_name", symbol.lowered_name);
  take(json, "buffer", symbol.buffer);
}

void to_json(json& json, const TensorMapSpec& map) {
  json = {{"buffer", map.buffer},
          {"sizes", map.sizes},
          {"strides", map.strides},
          {"box", map.box},
          {"swizzle", map.swizzle}};
}
void from_json(const json& json, TensorMapSpec& map) {
  take(json, "buffer", map.buffer);
  take(json, "sizes", map.sizes);
  take(json, "strides", map.strides);
  take(json, "box", map.box);
  take(json, "swizzle", map.swizzle);
}

void to_json(json& json, const LaunchArgument& argument) {
  json = {{"kind", name_of(argument.kind)},
          {"name", argument.name},
          {"type", argument.type},
          {"value", value_to_json(argument.value)},
          {"tensor_map", argument.tensor_map}};
}
void from_json(const json& json, LaunchArgument& argument) {
  argument.kind = argument_kind(json.at("kind").get<std::string>());
  take(json, "name", argument.name);
  take(json, "type", argument.type);
  argument.value = value_from_json(json.at("value"));
  take(json, "tensor_map", argument.tensor_map);
}

void to_json(json& json, const LaunchStep& step) {
  json = {{"kind", step.kind == LaunchStep::Kind::memset ? "memset" : "kernel"},
          {"lowered_name", step.lowered_name},
          {"grid", step.grid},
          {"block", step.block},
          {"cluster", step.cluster},
          {"cooperative", step.cooperative},
          {"dynamic_shared", step.dynamic_shared},
          {"arguments", step.arguments},
          {"memset_target", step.memset_target},
          {"memset_bytes", step.memset_bytes},
          {"memset_value", step.memset_value}};
}
void from_json(const json& json, LaunchStep& step) {
  step.kind = json.at("kind").get<std::string>() == "memset" ? LaunchStep::Kind::memset
                                                             : LaunchStep::Kind::kernel;
  take(json, "lowered_name", step.lowered_name);
  take(json, "grid", step.grid);
  take(json, "block", step.block);
  take(json, "cluster", step.cluster);
  take(json, "cooperative", step.cooperative);
  take(json, "dynamic_shared", step.dynamic_shared);
  take(json, "arguments", step.arguments);
  take(json, "memset_target", step.memset_target);
  take(json, "memset_bytes", step.memset_bytes);
  take(json, "memset_value", step.memset_value);
}

void to_json(json& json, const ElementCheck& check) {
  auto loads = nlohmann::json::array();
  for (const ElementCheck::Load& load : check.loads) {
    loads.push_back({{"name", load.name}, {"buffer", load.buffer}, {"index", load.index}});
  }
  auto scalars = nlohmann::json::array();
  for (const auto& [name, value] : check.scalars) {
    scalars.push_back({{"name", name}, {"value", value_to_json(value)}});
  }
  json = {{"output", check.output},
          {"expected", check.expected},
          {"loads", std::move(loads)},
          {"scalars", std::move(scalars)},
          {"samples", check.samples}};
}
void from_json(const json& json, ElementCheck& check) {
  take(json, "output", check.output);
  take(json, "expected", check.expected);
  take(json, "samples", check.samples);
  check.loads.clear();
  for (const auto& load : json.at("loads")) {
    check.loads.push_back({load.at("name").get<std::string>(), load.at("buffer").get<std::string>(),
                           load.at("index").get<std::string>()});
  }
  check.scalars.clear();
  for (const auto& scalar : json.at("scalars")) {
    check.scalars.emplace_back(scalar.at("name").get<std::string>(),
                               value_from_json(scalar.at("value")));
  }
}

void to_json(json& json, const Verification& verification) {
  json = {{"reference_cubin", verification.reference_cubin},
          {"reference", verification.reference},
          {"checks", verification.checks},
          {"relative", verification.relative},
          {"absolute", verification.absolute},
          {"frobenius", verification.frobenius}};
}
void from_json(const json& json, Verification& verification) {
  take(json, "reference_cubin", verification.reference_cubin);
  take(json, "reference", verification.reference);
  take(json, "checks", verification.checks);
  take(json, "relative", verification.relative);
  take(json, "absolute", verification.absolute);
  take(json, "frobenius", verification.frobenius);
}

void to_json(json& json, const SamplingRule& rule) {
  json = {{"min_samples", rule.min_samples},
          {"max_samples", rule.max_samples},
          {"relative_error", rule.relative_error},
          {"max_ms", rule.max_ms},
          {"abandon_factor", rule.abandon_factor}};
}
void from_json(const json& json, SamplingRule& rule) {
  take(json, "min_samples", rule.min_samples);
  take(json, "max_samples", rule.max_samples);
  take(json, "relative_error", rule.relative_error);
  take(json, "max_ms", rule.max_ms);
  take(json, "abandon_factor", rule.abandon_factor);
}

void to_json(json& json, const MeasureSetup& setup) {
  json = {{"device", setup.device},
          {"buffers", setup.buffers},
          {"verification", setup.verification},
          {"cache", setup.cache == CacheMode::warm ? "warm" : "cold"},
          {"sampling", setup.sampling},
          {"run_timeout_ms", setup.run_timeout_ms}};
}
void from_json(const json& json, MeasureSetup& setup) {
  take(json, "device", setup.device);
  take(json, "buffers", setup.buffers);
  take(json, "verification", setup.verification);
  setup.cache = json.at("cache").get<std::string>() == "warm" ? CacheMode::warm : CacheMode::cold;
  take(json, "sampling", setup.sampling);
  take(json, "run_timeout_ms", setup.run_timeout_ms);
}

void to_json(json& json, const MeasureJob& job) {
  json = {{"id", job.id},
          {"cubin", job.cubin},
          {"steps", job.steps},
          {"workspaces", job.workspaces},
          {"symbols", job.symbols},
          {"incumbent_ns", job.incumbent_ns},
          {"may_abandon", job.may_abandon},
          {"full_check", job.full_check}};
}
void from_json(const json& json, MeasureJob& job) {
  take(json, "id", job.id);
  take(json, "cubin", job.cubin);
  take(json, "steps", job.steps);
  take(json, "workspaces", job.workspaces);
  take(json, "symbols", job.symbols);
  take(json, "incumbent_ns", job.incumbent_ns);
  take(json, "may_abandon", job.may_abandon);
  take(json, "full_check", job.full_check);
}

void to_json(json& json, const MeasureResult& result) {
  json = {{"id", result.id},
          {"status", result.status},
          {"reason", result.reason},
          {"time_ns", result.time_ns},
          {"low_ns", result.low_ns},
          {"high_ns", result.high_ns},
          {"relative_spread", result.relative_spread},
          {"first_ns", result.first_ns},
          {"samples", result.samples},
          {"launches_per_sample", result.launches_per_sample},
          {"samples_ns", result.samples_ns},
          {"max_error", result.max_error},
          {"frobenius_error", result.frobenius_error},
          {"verified", result.verified},
          {"abandoned", result.abandoned},
          {"throttled", result.throttled},
          {"clock_mhz", result.clock_mhz},
          {"power_w", result.power_w},
          {"temperature_c", result.temperature_c},
          {"gpu_ms", result.gpu_ms},
          {"verify_ms", result.verify_ms},
          {"sampling_ms", result.sampling_ms},
          {"recheck_ms", result.recheck_ms}};
}
void from_json(const json& json, MeasureResult& result) {
  take(json, "id", result.id);
  take(json, "status", result.status);
  take(json, "reason", result.reason);
  take(json, "time_ns", result.time_ns);
  take(json, "low_ns", result.low_ns);
  take(json, "high_ns", result.high_ns);
  take(json, "relative_spread", result.relative_spread);
  take(json, "first_ns", result.first_ns);
  take(json, "samples", result.samples);
  take(json, "launches_per_sample", result.launches_per_sample);
  take(json, "samples_ns", result.samples_ns);
  take(json, "max_error", result.max_error);
  take(json, "frobenius_error", result.frobenius_error);
  take(json, "verified", result.verified);
  take(json, "abandoned", result.abandoned);
  take(json, "throttled", result.throttled);
  take(json, "clock_mhz", result.clock_mhz);
  take(json, "power_w", result.power_w);
  take(json, "temperature_c", result.temperature_c);
  take(json, "gpu_ms", result.gpu_ms);
  take(json, "verify_ms", result.verify_ms);
  take(json, "sampling_ms", result.sampling_ms);
  take(json, "recheck_ms", result.recheck_ms);
}

void to_json(json& json, const CompareJob& job) {
  json = {{"jobs", job.jobs}, {"rounds", job.rounds}, {"seed", job.seed}};
}
void from_json(const json& json, CompareJob& job) {
  take(json, "jobs", job.jobs);
  take(json, "rounds", job.rounds);
  take(json, "seed", job.seed);
}

}  // namespace tuner
