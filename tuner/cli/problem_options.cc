#include "tuner/cli/problem_options.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string_view>

#include "expr/error.h"

namespace tuner {
namespace {

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

template <typename T>
bool parse_whole(const std::string& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string list_of(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + to_string(value);
  return text;
}

using GivenAxis = std::pair<std::string, std::vector<std::string>>;

// --n 1,2 and --n 1 2 are one axis of two values.
void add_short(std::vector<GivenAxis>& axes, const std::string& name,
               const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  GivenAxis axis{name, {}};
  for (const std::string& text : texts) {
    for (std::string& part : split_setting(name + "=" + text, "--" + name).second) {
      axis.second.push_back(std::move(part));
    }
  }
  axes.push_back(std::move(axis));
}

std::vector<GivenAxis> axes_of(const ProblemOptions& options) {
  std::vector<GivenAxis> axes;
  add_short(axes, "n", options.n);
  add_short(axes, "m", options.m);
  add_short(axes, "k", options.k);
  for (const std::string& text : options.sizes) axes.push_back(split_setting(text, "--size"));
  for (const std::string& text : options.others) {
    GivenAxis axis = split_setting(text, "--with");
    if (axis.second.size() > 1) {
      throw TunerError(fmt::format("--with {}: one value at a time", text));
    }
    axes.push_back(std::move(axis));
  }
  std::set<std::string> seen;
  for (const GivenAxis& axis : axes) {
    if (!seen.insert(axis.first).second) {
      throw TunerError(fmt::format("{} is given twice", axis.first));
    }
  }
  return axes;
}

}  // namespace

void ProblemOptions::add_to(CLI::App& app) {
  const std::string group = "Problem";
  app.add_option("KERNEL", kernel, "a kernel's name (see tuner list), or its kernel.json or folder")
      ->required();
  const auto add_size = [&](const char* option, std::vector<std::string>& values,
                            const char* help) {
    app.add_option(option, values, help)->type_name("V")->group(group);
  };
  add_size("--n", n, "short for --size n=V; several, with commas, make several problems");
  add_size("--m", m, "short for --size m=V");
  add_size("--k", k, "short for --size k=V");
  app.add_option("--size", sizes, "a size of the problem, by name; 2^20 is understood")
      ->type_name("NAME=V")
      ->group(group);
  app.add_option("--with", others, "another axis of the problem (dtype=f64 op=max)")
      ->type_name("NAME=V")
      ->group(group);
  app.add_option("--set", settings, "fix a parameter (BM=128), or narrow it (BM=64,128)")
      ->type_name("NAME=V[,V]")
      ->group(group);
}

bool ProblemOptions::names_axes() const {
  return !(n.empty() && m.empty() && k.empty() && sizes.empty() && others.empty());
}

std::vector<ProblemOptions::Given> ProblemOptions::problems() const {
  std::vector<Given> problems(1);
  for (const auto& [name, values] : axes_of(*this)) {
    std::vector<Given> longer;
    for (const Given& problem : problems) {
      for (const std::string& value : values) {
        longer.push_back(problem);
        longer.back().emplace_back(name, value);
      }
    }
    problems = std::move(longer);
  }
  return problems;
}

ProblemOptions::Given ProblemOptions::single_problem() const {
  std::vector<Given> all = problems();
  if (all.size() > 1) {
    throw TunerError(
        fmt::format("{} problems are given; this command takes one at a time", all.size()));
  }
  return std::move(all.front());
}

search::Space ProblemOptions::narrow(search::Space space) const {
  std::set<std::string> seen;
  for (const std::string& text : settings) {
    const auto [name, parts] = split_setting(text, "--set");
    if (!seen.insert(name).second) throw TunerError(fmt::format("--set {} is given twice", name));
    std::vector<Value> values;
    if (const auto index = space.find_parameter(name)) {
      for (const std::string& part : parts) {
        values.push_back(parse_parameter_value(space.parameters()[*index], part));
      }
    }
    // An unknown name is for the space to refuse: it knows the nearest.
    space = space.narrowed(name, values);
  }
  return space;
}

Value parse_parameter_value(const search::Parameter& parameter, const std::string& text) {
  for (const Value& value : parameter.values) {
    if (to_string(value) == text) return value;
  }
  std::int64_t integer = 0;
  double real = 0;
  switch (type_of(parameter.values.front())) {
    case Type::integer:
      if (parse_whole(text, integer)) return integer;
      break;
    case Type::real:
      if (parse_whole(text, real)) return real;
      break;
    case Type::text:
      return text;
    case Type::boolean:
      if (text == "1") return true;
      if (text == "0") return false;
      break;
  }
  throw TunerError(fmt::format("--set {}={}: no such value; {} is one of {}", parameter.name, text,
                               parameter.name, list_of(parameter.values)));
}

std::pair<std::string, std::vector<std::string>> split_setting(const std::string& text,
                                                               const std::string& origin) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw TunerError(fmt::format("{} {}: expected NAME=VALUE", origin, text));
  }
  std::vector<std::string> values = split_commas(text.substr(equals + 1));
  for (const std::string& value : values) {
    if (value.empty()) {
      throw TunerError(fmt::format("{} {}: a value is missing", origin, text));
    }
  }
  return {text.substr(0, equals), std::move(values)};
}

std::optional<std::string> nothing_valid(const search::Space& space) {
  if (space.nearest_valid_to_default()) return std::nullopt;
  const search::Config standard = space.default_config();
  return fmt::format("{} cannot be: {} (and no other values of the parameters left open help)",
                     space.id(standard), space.violation(standard).value_or("the space is empty"));
}

}  // namespace tuner
