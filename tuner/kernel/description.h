// A kernel.json as written: checked against the schema, expressions still texts. The format is
// described in docs/kernel-json.md. Each part remembers its JSON pointer, so that errors found
// later can name it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/value.h"
#include "tuner/kernel/plan.h"

namespace tuner {

// An expression or template with the place where it stands. Empty text: not given.
struct Text {
  std::string text;
  std::string pointer;  // JSON pointer, "/launches/0/grid/1"
  bool given() const { return !text.empty(); }
};

struct Axis {
  enum class Kind { size, choice, type, number } kind = Kind::size;
  std::string name, help, pointer;
  std::vector<Value> values;                          // choice and type
  Text default_size;                                  // size: an expression
  Value default_value = std::int64_t{0};              // the other kinds
  bool exact = false;                                 // lookup must match it exactly
  std::int64_t min = 1, max = std::int64_t{1} << 40;  // size
  Type type() const;
};

struct ParameterSpec {
  std::string name, help, role, pointer;
  std::vector<Value> values;
  std::size_t default_index = 0;
  Text when;
};

// A name that stands for an expression wherever texts of the phase of its own names stand.
struct DefinitionSpec {
  std::string name;
  Text value;
};

struct ConstraintSpec {
  Text holds;
  std::string why;
};

struct ArgumentSpec {
  enum class Kind { buffer, scalar, workspace, constant, tensor_map } kind = Kind::buffer;
  std::string name, pointer;
  Text element;  // buffer, constant: axis, parameter or short type name; scalar: type
  Text count;    // buffer, constant: elements; workspace: bytes
  bool input = true, output = false;
  Text init_kind;   // template over axes
  BufferInit init;  // numbers of the initial values
  Text value;       // scalar
  std::string workspace_init = "never";
  std::string symbol;  // constant
  std::string buffer;  // tensor_map
  std::vector<Text> sizes, strides, box;
  std::string swizzle = "none";
};

struct LoopSpec {
  std::string name;
  Text count;
};

struct AccessSpec {
  std::string name, buffer;
  bool shared = false, store = false;
  Text index, element_bytes, width, count, active, reuse, l1_reuse, async;
};

struct ModelSpec {
  bool given = false;
  std::vector<LoopSpec> loops;
  std::vector<AccessSpec> accesses;
  Text fma, fma_registers, fma_fresh, instructions, ilp, loads_in_flight, barriers, exchanges,
      atomics;
  Text min_registers;
};

struct StepSpec {
  bool memset = false;
  std::string name, pointer;
  Text when;
  // kernel
  Text entry;
  std::array<Text, 3> grid, block, cluster;
  Text dynamic_shared;
  bool cooperative = false;
  std::vector<std::string> arguments;
  ModelSpec model;
  // memset
  std::string target;
  Text bytes;
  int value = 0;
};

struct VerifySpec {
  Text relative, absolute, frobenius;
  std::filesystem::path reference_source;  // empty: none
  std::vector<StepSpec> reference;
  std::vector<ElementCheck> checks;
  std::vector<std::string> check_pointers;
};

struct KernelDescription {
  std::filesystem::path file;  // the kernel.json
  std::string name, summary;
  std::filesystem::path source;                     // absolute
  std::vector<std::filesystem::path> include_dirs;  // absolute, the source's folder first
  std::vector<Text> options;
  std::vector<std::pair<std::string, Text>> defines;
  std::vector<Axis> axes;
  std::vector<ParameterSpec> parameters;
  std::vector<DefinitionSpec> definitions;
  std::vector<ConstraintSpec> constraints;
  std::vector<ArgumentSpec> arguments;
  std::vector<StepSpec> steps;
  VerifySpec verify;
  Text flops, bytes;  // work

  const Axis* find_axis(std::string_view name) const;
  const ArgumentSpec* find_argument(std::string_view name) const;
  // An error that names the file and the place in it.
  [[noreturn]] void fail(const std::string& pointer, const std::string& message) const;
};

// `path`: a kernel.json, or a folder that holds one. Throws TunerError naming the file, the JSON
// pointer, the value and what was expected.
// `data`: where the schemas are; empty: data_folder().
KernelDescription load_kernel_description(const std::filesystem::path& path,
                                          const std::filesystem::path& data = {});

}  // namespace tuner
