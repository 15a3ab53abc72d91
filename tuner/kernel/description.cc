#include "tuner/kernel/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "expr/error.h"
#include "expr/expression.h"
#include "tuner/kernel/description_check.h"
#include "tuner/kernel/schema.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

// Reads one document. The schema has checked shapes and types before, so that only meaning is
// checked here.
class Reader {
 public:
  explicit Reader(KernelDescription& kernel) : kernel_(kernel) {}

  void read(const Json& json) {
    kernel_.name = json.at("name");
    kernel_.summary = json.value("summary", "");
    read_source(json);
    const auto options = json.value("options", Json::array());
    for (std::size_t i = 0; i < options.size(); ++i) {
      kernel_.options.push_back(text(options[i], fmt::format("/options/{}", i)));
    }
    const auto defines = json.value("defines", Json::object());
    for (const auto& [name, value] : defines.items()) {
      kernel_.defines.emplace_back(name, text(value, "/defines/" + name));
    }
    each(json, "problem", [this](const Json& item, const std::string& at) {
      kernel_.axes.push_back(axis(item, at));
    });
    each(json, "parameters", [this](const Json& item, const std::string& at) {
      kernel_.parameters.push_back(parameter(item, at));
    });
    each(json, "definitions", [this](const Json& item, const std::string& at) {
      kernel_.definitions.push_back({item.at("name"), text(item.at("value"), at + "/value")});
    });
    each(json, "constraints", [this](const Json& item, const std::string& at) {
      kernel_.constraints.push_back({text(item.at("holds"), at + "/holds"),
                                     item.value("why", item.at("holds").get<std::string>())});
    });
    each(json, "arguments", [this](const Json& item, const std::string& at) {
      kernel_.arguments.push_back(argument(item, at));
    });
    each(json, "launches", [this](const Json& item, const std::string& at) {
      kernel_.steps.push_back(step(item, at));
    });
    read_verify(json.at("verify"));
    const auto work = json.value("work", Json::object());
    kernel_.flops = optional_text(work, "flops", "/work");
    kernel_.bytes = optional_text(work, "bytes", "/work");
  }

 private:
  template <typename F>
  void each(const Json& json, const std::string& key, F read_item) {
    if (!json.contains(key)) return;
    std::size_t i = 0;
    for (const Json& item : json.at(key)) read_item(item, fmt::format("/{}/{}", key, i++));
  }

  static Text text(const Json& json, const std::string& pointer) {
    return {json.is_string() ? json.get<std::string>() : json.dump(), pointer};
  }
  static Text optional_text(const Json& json, const std::string& key, const std::string& at) {
    return json.contains(key) ? text(json.at(key), at + "/" + key) : Text{"", at + "/" + key};
  }
  static std::vector<Text> texts(const Json& json, const std::string& key, const std::string& at) {
    std::vector<Text> list;
    for (const Json& item : json.value(key, Json::array())) {
      list.push_back(text(item, fmt::format("{}/{}/{}", at, key, list.size())));
    }
    return list;
  }

  static Value value(const Json& json) {
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_number()) return json.get<double>();
    return json.get<std::string>();
  }

  std::filesystem::path existing(const std::string& relative, const std::string& pointer) const {
    const auto path =
        std::filesystem::absolute(kernel_.file.parent_path() / relative).lexically_normal();
    if (!std::filesystem::exists(path))
      kernel_.fail(pointer, fmt::format("there is no {}", path.string()));
    return path;
  }

  void read_source(const Json& json) {
    kernel_.source = existing(json.at("source"), "/source");
    kernel_.include_dirs.push_back(kernel_.source.parent_path());
    const auto folders = json.value("include_dirs", Json::array());
    for (std::size_t i = 0; i < folders.size(); ++i) {
      kernel_.include_dirs.push_back(existing(folders[i], fmt::format("/include_dirs/{}", i)));
    }
  }

  Axis axis(const Json& json, const std::string& at) const {
    static const std::vector<std::pair<std::string, Axis::Kind>> kinds = {
        {"size", Axis::Kind::size},
        {"choice", Axis::Kind::choice},
        {"type", Axis::Kind::type},
        {"number", Axis::Kind::number}};
    Axis axis;
    axis.name = json.at("name");
    axis.help = json.value("help", "");
    axis.pointer = at;
    const std::string kind = json.at("kind");
    axis.kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) {
                  return k.first == kind;
                })->second;
    const bool is_size = axis.kind == Axis::Kind::size;
    axis.exact = json.value("match", is_size ? "nearest" : "exact") == "exact";
    axis.min = json.value("min", axis.min);
    axis.max = json.value("max", axis.max);
    for (const Json& item : json.value("values", Json::array())) axis.values.push_back(value(item));
    if (is_size) {
      axis.default_size = optional_text(json, "default", at);
      if (!axis.default_size.given()) kernel_.fail(at, "a size axis needs a default");
    } else {
      read_choice_default(axis, json, at);
    }
    return axis;
  }

  void read_choice_default(Axis& axis, const Json& json, const std::string& at) const {
    if (axis.kind == Axis::Kind::number) {
      axis.default_value = json.contains("default") ? json.at("default").get<double>() : 0.0;
      return;
    }
    if (axis.values.empty()) kernel_.fail(at, "needs a list of values");
    check_one_type(axis.values, at + "/values");
    axis.default_value = json.contains("default") ? value(json.at("default")) : axis.values.front();
    if (std::find(axis.values.begin(), axis.values.end(), axis.default_value) ==
        axis.values.end()) {
      kernel_.fail(at + "/default",
                   fmt::format("{} is not one of the values", to_string(axis.default_value)));
    }
    if (axis.kind != Axis::Kind::type) return;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      if (type_of(axis.values[i]) != Type::text || !expr::size_of_type(to_string(axis.values[i]))) {
        kernel_.fail(fmt::format("{}/values/{}", at, i),
                     "not an element type: use f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64");
      }
    }
  }

  void check_one_type(const std::vector<Value>& values, const std::string& at) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (type_of(values[i]) != type_of(values[0])) {
        kernel_.fail(fmt::format("{}/{}", at, i), "all values must be of one type");
      }
      if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
          values.begin() + static_cast<std::ptrdiff_t>(i)) {
        kernel_.fail(fmt::format("{}/{}", at, i),
                     fmt::format("{} stands twice", to_string(values[i])));
      }
    }
  }

  ParameterSpec parameter(const Json& json, const std::string& at) const {
    ParameterSpec spec;
    spec.name = json.at("name");
    spec.help = json.value("help", "");
    spec.role = json.value("role", "");
    spec.pointer = at;
    spec.when = optional_text(json, "when", at);
    if (json.contains("values") == json.contains("range"))
      kernel_.fail(at, "needs either values or range");
    if (json.contains("range")) {
      spec.values = range(json.at("range"), at + "/range");
    } else {
      for (const Json& item : json.at("values")) spec.values.push_back(value(item));
      check_one_type(spec.values, at + "/values");
    }
    if (json.contains("default")) {
      const Value wanted = value(json.at("default"));
      const auto found = std::find(spec.values.begin(), spec.values.end(), wanted);
      if (found == spec.values.end()) {
        kernel_.fail(at + "/default",
                     fmt::format("{} is not one of the values", to_string(wanted)));
      }
      spec.default_index = static_cast<std::size_t>(found - spec.values.begin());
    }
    return spec;
  }

  std::vector<Value> range(const Json& json, const std::string& at) const {
    const std::int64_t from = json.at("from"), to = json.at("to");
    const std::int64_t step = json.value("step", std::int64_t{0}),
                       times = json.value("times", std::int64_t{0});
    if ((step > 0) == (times > 1))
      kernel_.fail(at, "needs either a step of 1 or more, or times of 2 or more");
    if (times > 1 && from < 1)
      kernel_.fail(at + "/from", "must be positive where the range multiplies");
    std::vector<Value> values;
    for (std::int64_t v = from; v <= to; v = step > 0 ? v + step : v * times) {
      values.emplace_back(v);
      if (values.size() > 65535) kernel_.fail(at, "holds over 65535 values");
    }
    if (values.empty()) kernel_.fail(at, "is empty: from is over to");
    return values;
  }

  ArgumentSpec argument(const Json& json, const std::string& at) const {
    static const std::vector<std::string> kinds = {"buffer", "scalar", "workspace", "constant",
                                                   "tensor_map"};
    ArgumentSpec spec;
    spec.name = json.at("name");
    spec.pointer = at;
    const std::string kind = json.at("kind");
    spec.kind = static_cast<ArgumentSpec::Kind>(std::find(kinds.begin(), kinds.end(), kind) -
                                                kinds.begin());
    const bool workspace = spec.kind == ArgumentSpec::Kind::workspace;
    spec.element =
        optional_text(json, spec.kind == ArgumentSpec::Kind::scalar ? "type" : "element", at);
    spec.count = optional_text(json, workspace ? "bytes" : "count", at);
    spec.value = optional_text(json, "value", at);
    const std::string access = json.value("access", "in");
    spec.input = access != "out";
    spec.output = access != "in";
    if (workspace) {
      spec.workspace_init = json.value("init", "never");
    } else {
      read_init(spec, json.value("init", Json::object()), at + "/init");
    }
    spec.symbol = json.value("symbol", "");
    spec.buffer = json.value("buffer", "");
    spec.sizes = texts(json, "sizes", at);
    spec.strides = texts(json, "strides", at);
    spec.box = texts(json, "box", at);
    spec.swizzle = json.value("swizzle", "none");
    require_parts(spec);
    return spec;
  }

  void require_parts(const ArgumentSpec& spec) const {
    using Kind = ArgumentSpec::Kind;
    const bool typed =
        spec.kind == Kind::buffer || spec.kind == Kind::constant || spec.kind == Kind::scalar;
    if (typed && !spec.element.given()) kernel_.fail(spec.element.pointer, "is missing");
    if (spec.kind == Kind::scalar && !spec.value.given())
      kernel_.fail(spec.value.pointer, "is missing");
    const bool counted = spec.kind != Kind::scalar && spec.kind != Kind::tensor_map;
    if (counted && !spec.count.given()) kernel_.fail(spec.count.pointer, "is missing");
    if (spec.kind == Kind::constant && spec.symbol.empty())
      kernel_.fail(spec.pointer + "/symbol", "is missing");
    if (spec.kind == Kind::tensor_map &&
        (spec.buffer.empty() || spec.sizes.empty() || spec.sizes.size() != spec.box.size() ||
         spec.strides.size() + 1 != spec.sizes.size())) {
      kernel_.fail(spec.pointer,
                   "a tensor map needs a buffer, and sizes, box and strides of matching rank");
    }
  }

  static void read_init(ArgumentSpec& spec, const Json& json, const std::string& at) {
    spec.init_kind = optional_text(json, "kind", at);
    if (!spec.init_kind.given()) spec.init_kind.text = "uniform";
    spec.init.low = json.value("low", json.value("value", json.value("mean", 0.0)));
    spec.init.high = json.value("high", json.value("deviation", 1.0));
    spec.init.seed = json.value("seed", std::uint64_t{0});
    spec.init.run = json.value("run", std::int64_t{1024});
    spec.init.file = json.value("path", "");
  }

  std::array<Text, 3> dim3(const Json& json, const std::string& key, const std::string& at) const {
    std::array<Text, 3> result;
    const auto list = texts(json, key, at);
    for (std::size_t i = 0; i < 3; ++i)
      result[i] = i < list.size() ? list[i] : Text{"1", at + "/" + key};
    return result;
  }

  StepSpec step(const Json& json, const std::string& at) const {
    StepSpec spec;
    spec.pointer = at;
    spec.when = optional_text(json, "when", at);
    spec.memset = json.contains("memset");
    if (spec.memset) {
      spec.target = json.at("memset");
      spec.name = "memset " + spec.target;
      spec.bytes = optional_text(json, "bytes", at);
      spec.value = json.value("value", 0);
      return spec;
    }
    if (!json.contains("entry")) kernel_.fail(at, "needs an entry, or a memset");
    spec.entry = text(json.at("entry"), at + "/entry");
    spec.name = json.value("name", spec.entry.text.substr(0, spec.entry.text.find('<')));
    spec.grid = dim3(json, "grid", at);
    spec.block = dim3(json, "block", at);
    spec.cluster = dim3(json, "cluster", at);
    spec.dynamic_shared = optional_text(json, "dynamic_shared", at);
    spec.cooperative = json.value("cooperative", false);
    spec.arguments = json.value("arguments", std::vector<std::string>{});
    if (json.contains("model")) spec.model = model(json.at("model"), at + "/model");
    return spec;
  }

  ModelSpec model(const Json& json, const std::string& at) const {
    ModelSpec spec;
    spec.given = true;
    for (const Json& loop : json.value("loops", Json::array())) {
      const std::string pointer = fmt::format("{}/loops/{}", at, spec.loops.size());
      spec.loops.push_back({loop.at("name"), text(loop.at("count"), pointer + "/count")});
    }
    for (const Json& item : json.value("accesses", Json::array())) {
      spec.accesses.push_back(
          access(item, fmt::format("{}/accesses/{}", at, spec.accesses.size())));
    }
    spec.fma = optional_text(json, "fma", at);
    spec.fma_registers = optional_text(json, "fma_registers", at);
    spec.fma_fresh = optional_text(json, "fma_fresh", at);
    spec.instructions = optional_text(json, "instructions", at);
    spec.ilp = optional_text(json, "ilp", at);
    spec.loads_in_flight = optional_text(json, "loads_in_flight", at);
    spec.barriers = optional_text(json, "barriers", at);
    spec.exchanges = optional_text(json, "exchanges", at);
    spec.atomics = optional_text(json, "atomics", at);
    spec.min_registers = optional_text(json, "min_registers", at);
    return spec;
  }

  AccessSpec access(const Json& json, const std::string& at) const {
    AccessSpec spec;
    spec.name = json.at("name");
    spec.shared = json.value("space", "global") == "shared";
    spec.store = json.value("kind", "load") == "store";
    spec.buffer = json.value("buffer", "");
    spec.index = optional_text(json, "index", at);
    spec.element_bytes = optional_text(json, "element_bytes", at);
    spec.width = optional_text(json, "width", at);
    spec.count = optional_text(json, "count", at);
    spec.active = optional_text(json, "active", at);
    spec.reuse = optional_text(json, "reuse", at);
    spec.l1_reuse = optional_text(json, "l1_reuse", at);
    spec.async = optional_text(json, "async", at);
    return spec;
  }

  void read_verify(const Json& json) {
    VerifySpec& verify = kernel_.verify;
    verify.relative = optional_text(json, "relative", "/verify");
    verify.absolute = optional_text(json, "absolute", "/verify");
    verify.frobenius = optional_text(json, "frobenius", "/verify");
    if (json.contains("reference")) {
      const Json& reference = json.at("reference");
      verify.reference_source = existing(reference.at("source"), "/verify/reference/source");
      for (const Json& item : reference.at("launches")) {
        verify.reference.push_back(
            step(item, fmt::format("/verify/reference/launches/{}", verify.reference.size())));
      }
    }
    for (const Json& item : json.value("checks", Json::array())) {
      verify.check_pointers.push_back(fmt::format("/verify/checks/{}", verify.checks.size()));
      verify.checks.push_back(check(item));
    }
    if (verify.reference.empty() && verify.checks.empty()) {
      kernel_.fail("/verify", "needs a reference or checks: nothing unverified can win");
    }
  }

  static ElementCheck check(const Json& json) {
    ElementCheck check;
    check.output = json.at("output");
    check.expected = json.at("expected");
    check.samples = json.value("samples", check.samples);
    for (const Json& load : json.value("loads", Json::array())) {
      check.loads.push_back({load.at("name"), load.at("buffer"), text(load.at("index"), "").text});
    }
    return check;
  }

  KernelDescription& kernel_;
};

}  // namespace

Type Axis::type() const {
  if (kind == Kind::size) return Type::integer;
  return type_of(default_value);
}

const Axis* KernelDescription::find_axis(std::string_view wanted) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == wanted; });
  return found == axes.end() ? nullptr : &*found;
}

const ArgumentSpec* KernelDescription::find_argument(std::string_view wanted) const {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const ArgumentSpec& spec) { return spec.name == wanted; });
  return found == arguments.end() ? nullptr : &*found;
}

void KernelDescription::fail(const std::string& pointer, const std::string& message) const {
  throw TunerError(fmt::format("{}: at {}: {}", file.string(), pointer, message));
}

KernelDescription load_kernel_description(const std::filesystem::path& path,
                                          const std::filesystem::path& data) {
  KernelDescription kernel;
  kernel.file = std::filesystem::is_directory(path) ? path / "kernel.json" : path;
  if (!std::filesystem::exists(kernel.file)) {
    throw TunerError(fmt::format("{}: there is no such kernel description", kernel.file.string()));
  }
  const nlohmann::ordered_json json = read_json_file(kernel.file);
  check_against_schema(json, "kernel.schema.json", kernel.file, data);
  Reader(kernel).read(json);
  check_references(kernel);
  return kernel;
}

}  // namespace tuner
