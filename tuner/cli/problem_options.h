// The options that say which kernel, which problem and which part of its space.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/space.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

struct ProblemOptions {
  std::string kernel;
  std::vector<std::string> n, m, k;
  std::vector<std::string> sizes;     // NAME=V[,V...]
  std::vector<std::string> others;    // NAME=V
  std::vector<std::string> settings;  // NAME=V[,V...]

  void add_to(CLI::App& app);
  bool names_axes() const;  // any of --n, --m, --k, --size, --with

  // Axis names with values as typed, one set for each problem: several values of a size make
  // several problems, in the order given. Throws TunerError for what is no NAME=VALUE, and for a
  // name given twice.
  using Given = std::vector<std::pair<std::string, std::string>>;
  std::vector<Given> problems() const;
  // Throws TunerError where there are several.
  Given single_problem() const;

  // `space` with each parameter of --set narrowed. Throws TunerError for unknown parameters and
  // values, with what is known.
  search::Space narrow(search::Space space) const;
};

// What --set made of a parameter's text: a value of the parameter's type. Whether it is among the
// parameter's values is for Space to say, unless the text is no such value at all.
Value parse_parameter_value(const search::Parameter& parameter, const std::string& text);

// "a=1,2" as {"a", {"1", "2"}}.
std::pair<std::string, std::vector<std::string>> split_setting(const std::string& text,
                                                               const std::string& origin);

// Where no configuration is valid: what forbids the default one.
std::optional<std::string> nothing_valid(const search::Space& space);

}  // namespace tuner
