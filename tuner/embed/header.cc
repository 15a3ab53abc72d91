#include "tuner/embed/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "expr/cpp_code.h"
#include "expr/error.h"
#include "expr/expression.h"
#include "tuner/embed/identifiers.h"

namespace tuner {
namespace {

// Bounds of `int`, which most parameters fit.
bool fits_int(std::int64_t value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

bool all_types(const std::vector<Value>& values) {
  return std::all_of(values.begin(), values.end(), [](const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr && expr::size_of_type(*text).has_value();
  });
}

bool is_text(const Value& value) { return std::holds_alternative<std::string>(value); }

class KernelWriter {
 public:
  explicit KernelWriter(const ExportedKernel& kernel)
      : kernel_(kernel), description_(kernel.description) {}

  std::string write() {
    line("namespace {} {{", cpp_identifier(description_.name));
    line("");
    line("namespace x = tuner_export_1;");
    line("");
    enums();
    problem();
    for (std::size_t i = 0; i < kernel_.configs.size(); ++i) config(i);
    selection();
    line("}}  // namespace {}", cpp_identifier(description_.name));
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  // The launches' code names axes as they are.
  static const std::string& axis_name(const Axis& axis) {
    if (!is_cpp_word(axis.name)) return axis.name;
    throw TunerError(
        fmt::format("the axis '{}' is a word of C++, which cannot be exported", axis.name));
  }

  static bool has_enum(const Axis& axis) {
    return axis.kind != Axis::Kind::size && axis.kind != Axis::Kind::number &&
           is_text(axis.default_value);
  }
  static std::string enum_of(const Axis& axis) { return axis_name(axis) + "_axis"; }
  static std::string enum_of(const ParameterSpec& spec) {
    return cpp_identifier(spec.name) + "_value";
  }

  void one_enum(const std::string& name, const std::vector<Value>& values) {
    std::string list;
    for (const Value& value : values) {
      list += (list.empty() ? "" : ", ") + cpp_identifier(std::get<std::string>(value));
    }
    line("enum class {} {{ {} }};", name, list);
  }

  void enums() {
    for (const Axis& axis : description_.axes) {
      if (has_enum(axis)) one_enum(enum_of(axis), axis.values);
    }
    for (const ParameterSpec& spec : description_.parameters) {
      if (is_text(spec.values.front()) && !all_types(spec.values)) {
        one_enum(enum_of(spec), spec.values);
      }
    }
    line("");
  }

  std::string type_of_axis(const Axis& axis) const {
    if (has_enum(axis)) return enum_of(axis);
    if (axis.kind == Axis::Kind::size) return "long long";
    if (std::holds_alternative<bool>(axis.default_value)) return "bool";
    return std::holds_alternative<double>(axis.default_value) ? "double" : "long long";
  }

  std::string literal(const Value& value) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return expr::cpp_integer(*whole);
    if (const auto* real = std::get_if<double>(&value)) return expr::cpp_real(*real);
    return std::get<bool>(value) ? "true" : "false";
  }

  std::string axis_value(const Axis& axis, const Value& value) const {
    if (!has_enum(axis)) return literal(value);
    return enum_of(axis) + "::" + cpp_identifier(std::get<std::string>(value));
  }

  // Sizes have no default: one that was forgotten would be somebody else's problem.
  void problem() {
    line("// What is computed. Sizes that are not given are 0, which fits no configuration.");
    line("struct problem {{");
    for (const Axis& axis : description_.axes) {
      const Value zero = std::int64_t{0};
      const bool size = axis.kind == Axis::Kind::size;
      line("  {} {} = {};", type_of_axis(axis), axis_name(axis),
           axis_value(axis, size ? zero : axis.default_value));
    }
    line("}};");
    line("");
    same_kind();
    distance();
  }

  void same_kind() {
    line("constexpr bool same_kind(const problem& a, const problem& b) {{");
    std::string all;
    for (const Axis& axis : description_.axes) {
      if (axis.kind == Axis::Kind::size || axis.kind == Axis::Kind::number) continue;
      const std::string name = axis_name(axis);
      all += fmt::format("{}a.{} == b.{}", all.empty() ? "" : " && ", name, name);
    }
    if (all.empty()) line("  (void)a;\n  (void)b;");
    line("  return {};", all.empty() ? "true" : all);
    line("}}");
    line("");
  }

  void distance() {
    line("constexpr double distance(const problem& a, const problem& b) {{");
    line("  double sum = 0;");
    bool any = false;
    for (const Axis& axis : description_.axes) {
      const std::string name = axis_name(axis);
      if (axis.kind == Axis::Kind::number) {
        line("  if (a.{0} < b.{0} || b.{0} < a.{0}) return -1;", name);
      } else if (axis.kind == Axis::Kind::size && axis.exact) {
        line("  if (a.{0} != b.{0}) return -1;", name);
      } else if (axis.kind == Axis::Kind::size) {
        line("  const double by_{0} = x::size_distance(a.{0}, b.{0});", name);
        line("  if (by_{0} < 0) return -1;", name);
        line("  sum += by_{0} * by_{0};", name);
      } else {
        continue;
      }
      any = true;
    }
    if (!any) line("  (void)a;\n  (void)b;");
    line("  return sum;");
    line("}}");
    line("");
  }

  std::string problem_literal(const NamedValues& values) const {
    std::string list;
    for (const Axis& axis : description_.axes) {
      const Value* value = find_value(values, axis.name);
      if (value == nullptr) throw TunerError(fmt::format("no value of the axis {}", axis.name));
      list += (list.empty() ? "" : ", ") + axis_value(axis, *value);
    }
    return "{" + list + "}";
  }

  static std::string device_literal(const models::DeviceProfile& device) {
    return fmt::format(
        "{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", cpp_string(device.name),
        device.compute_capability, device.sm_count, device.max_threads_per_block,
        device.max_threads_per_sm, std::max(device.shared_per_block, device.shared_per_block_optin),
        device.shared_per_sm, device.registers_per_block, device.l2_bytes, device.memory_bytes,
        device.max_blocks_per_sm, device.registers_per_sm, device.reserved_shared_per_block);
  }

  void config(std::size_t index) {
    const ExportedConfig& one = kernel_.configs[index];
    line("// {}", one.fallback ? "The fallback: the kernel's default, not tuned."
                               : fmt::format("{} on {}", to_string(one.problem),
                                             cpp_string(one.device.name)));
    line("struct config_{} {{", index);
    about(one);
    for (const ParameterSpec& spec : description_.parameters) parameter(spec, one);
    valid(one);
    launches(one.code);
    workspaces(one.code);
    scalars(one.code);
    kernels(one.code);
    line("}};");
    line("");
    if (!one.code.defines.empty()) defines(index, one.code);
  }

  void about(const ExportedConfig& one) {
    line("  struct about {{");
    line("    static constexpr const char* id = {};", cpp_string(one.id));
    line("    static constexpr problem tuned_for = {};", problem_literal(one.problem));
    line("    static constexpr x::device tuned_on = {};",
         one.fallback ? "{}" : device_literal(one.device));
    line("    static constexpr bool is_fallback = {};", one.fallback);
    line("    static constexpr double time_ns = {};", expr::cpp_real(one.score.time_ns));
    line("    static constexpr double gflops = {}, gbps = {};", expr::cpp_real(one.score.gflops),
         expr::cpp_real(one.score.gbps));
    line("    static constexpr const char* cache = {};", cpp_string(one.cache));
    line("    static constexpr const char* date = {};", cpp_string(one.date));
    line("    static constexpr const char* cuda = {};", cpp_string(one.cuda));
    line("    static constexpr const char* tool = {};", cpp_string(one.tool));
    line("    static constexpr const char* source_hash = {};", cpp_string(one.source_hash));
    line("  }};");
  }

  void parameter(const ParameterSpec& spec, const ExportedConfig& one) {
    const Value* value = find_value(one.config, spec.name);
    if (value == nullptr) throw TunerError(fmt::format("no value of {}", spec.name));
    const std::string name = cpp_identifier(spec.name);
    if (const auto* text = std::get_if<std::string>(value)) {
      if (all_types(spec.values)) {
        line("  using {} = {};", name, expr::cpp_type_name(*text));
      } else {
        line("  static constexpr {} {} = {}::{};", enum_of(spec), name, enum_of(spec),
             cpp_identifier(*text));
      }
      return;
    }
    const auto* whole = std::get_if<std::int64_t>(value);
    if (whole != nullptr) {
      line("  static constexpr {} {} = {};", fits_int(*whole) ? "int" : "long long", name,
           fits_int(*whole) ? fmt::format("{}", *whole) : expr::cpp_integer(*whole));
    } else {
      line("  static constexpr {} {} = {};",
           std::holds_alternative<bool>(*value) ? "bool" : "double", name, literal(*value));
    }
    // What --maxrregcount was to NVRTC.
    if (spec.role == "maxrregcount" && whole != nullptr && *whole > 0) {
      line("  static constexpr int maxnreg = {};  // for __maxnreg__", *whole);
    }
  }

  // Of a function over a problem and a device that may read neither.
  void open(const std::string& result, const std::string& name, bool both, const char* indent) {
    line("{}{}static constexpr {} {}(const problem& p, const x::device& d) {{", indent,
         both ? "TUNER_EXPORT_BOTH " : "", result, name);
    line("{}  using namespace tuner_export_1;", indent);
    line("{}  (void)p;", indent);
    line("{}  (void)d;", indent);
  }

  void valid(const ExportedConfig& one) {
    open("bool", "valid", true, "  ");
    for (const Axis& axis : description_.axes) {
      if (axis.kind != Axis::Kind::size) continue;
      const std::string name = axis_name(axis);
      line("    if (p.{0} < {1} || p.{0} > {2}) return false;", name, expr::cpp_integer(axis.min),
           expr::cpp_integer(axis.max));
    }
    // Another architecture's code has other registers.
    if (one.code.uses_compiled) {
      line("    if (d.compute_capability != {}) return false;", one.device.compute_capability);
    }
    line("    return {};", one.code.valid);
    line("  }}");
  }

  static std::string extent(const std::array<std::string, 3>& sizes) {
    return fmt::format("{{{}, {}, {}}}", sizes[0], sizes[1], sizes[2]);
  }

  static std::string step(const LaunchCode& launch) {
    if (launch.memset) {
      return fmt::format("{{{}, true, \"\", {{}}, {{}}, {{}}, 0, false, {}, {}, {}}}",
                         cpp_string(launch.name), cpp_string(launch.target), launch.bytes,
                         launch.value);
    }
    return fmt::format("{{{}, false, {}, {}, {}, {}, {}, {}, \"\", 0, 0}}", cpp_string(launch.name),
                       cpp_string(launch.entry), extent(launch.grid), extent(launch.block),
                       extent(launch.cluster), launch.dynamic_shared, launch.cooperative);
  }

  void launches(const ConfigCode& code) {
    const std::string type =
        fmt::format("x::list<x::launch, {}>", std::max<std::size_t>(1, code.launches.size()));
    open(type, "launches", true, "  ");
    line("    {} all;", type);
    for (const LaunchCode& launch : code.launches) {
      const std::string when = launch.when == "true" ? "" : fmt::format("if ({}) ", launch.when);
      line("    {}all.add({});", when, step(launch));
    }
    line("    return all;");
    line("  }}");
  }

  void workspaces(const ConfigCode& code) {
    const std::string type =
        fmt::format("x::list<x::workspace, {}>", std::max<std::size_t>(1, code.workspaces.size()));
    open(type, "workspaces", true, "  ");
    line("    {} all;", type);
    for (const WorkspaceCode& one : code.workspaces) {
      line("    all.add({{{}, {}, {}}});", cpp_string(one.name), one.bytes, cpp_string(one.init));
    }
    line("    return all;");
    line("  }}");
  }

  void scalars(const ConfigCode& code) {
    if (code.scalars.empty()) return;
    line("  // The launches' scalar arguments.");
    line("  struct arguments {{");
    for (const ScalarCode& one : code.scalars) {
      open(one.type, cpp_identifier(one.name), true, "    ");
      line("      return static_cast<{}>({});", one.type, one.value);
      line("    }}");
    }
    line("  }};");
  }

  // The instantiations that were tuned, where the kernel's source is included before this header.
  void kernels(const ConfigCode& code) {
    const auto is_template = [](const LaunchCode& launch) {
      return !launch.memset && launch.entry.find('<') != std::string::npos;
    };
    if (std::none_of(code.launches.begin(), code.launches.end(), is_template)) return;
    line("#ifdef TUNED_WITH_KERNELS");
    for (const LaunchCode& launch : code.launches) {
      if (!is_template(launch)) continue;
      line("  static constexpr auto kernel_{}() {{ return &{}; }}", cpp_identifier(launch.name),
           launch.entry);
    }
    line("#endif");
  }

  // A plain kernel is compiled once for each set of macros: the one whose number is asked for.
  void defines(std::size_t index, const ConfigCode& code) {
    std::string upper = cpp_identifier(description_.name);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    line("#if defined(TUNED_{0}_CONFIG) && TUNED_{0}_CONFIG + 0 == {1}", upper, index);
    for (const std::string& define : code.defines) {
      const std::size_t at = define.find('=');
      line("#define {} {}", define.substr(0, at), define.substr(at + 1));
    }
    line("#endif");
    line("");
  }

  void selection() {
    const std::size_t count = kernel_.configs.size();
    line("inline constexpr int config_count = {};", count);
    line("inline constexpr x::candidate<problem> candidates[] = {{");
    for (std::size_t i = 0; i < count; ++i) {
      line(
          "    {{config_{0}::about::tuned_for, config_{0}::about::tuned_on, "
          "config_{0}::about::is_fallback, config_{0}::valid}},",
          i);
    }
    line("}};");
    line("");
    line("// The best configuration there is, and how well it fits.");
    line("constexpr x::choice select(const x::device& d, const problem& p) {{");
    line("  return x::select_among(candidates, p, d, distance, same_kind);");
    line("}}");
    line("");
    line(
        "// Calls f(config_<i>(), rung) with the configuration that select() chooses; false where");
    line("// there is none, and f was not called.");
    line("template <class F>");
    line("constexpr bool dispatch(const x::device& d, const problem& p, F&& f) {{");
    line("  const x::choice chosen = select(d, p);");
    line("  switch (chosen.index) {{");
    for (std::size_t i = 0; i < count; ++i) {
      line("    case {}:", i);
      line("      f(config_{}{{}}, chosen.how);", i);
      line("      return true;");
    }
    line("    default:");
    line("      return false;");
    line("  }}");
    line("}}");
    line("");
  }

  const ExportedKernel& kernel_;
  const KernelDescription& description_;
  std::string text_;
};

}  // namespace

std::string export_header(std::span<const ExportedKernel> kernels, const std::string& name_space) {
  std::string text = "// Tuned configurations of";
  for (const ExportedKernel& kernel : kernels) text += " " + kernel.description.name;
  text +=
      ".\n// Written by `tuner export`: do not edit; tune, review the JSON, and export again.\n"
      "// clang-format off\n#pragma once\n\n";
  text += export_prelude();
  text += fmt::format("\nnamespace {} {{\n\n", name_space);
  for (const ExportedKernel& kernel : kernels) text += KernelWriter(kernel).write() + "\n";
  text += fmt::format("}}  // namespace {}\n", name_space);
  return text;
}

}  // namespace tuner
