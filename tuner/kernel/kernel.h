// A kernel description bound to one problem and one device: the space of its configurations, and
// for each of them what to compile, what the model should know, and what to launch. Immutable; safe
// to read from several threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/device_profile.h"
#include "models/estimate.h"
#include "search/space.h"
#include "tuner/kernel/code.h"
#include "tuner/kernel/description.h"
#include "tuner/kernel/plan.h"

namespace tuner {

class AccessMemo;  // tuner/kernel/access_memo.h

// The axes' values of one tuning, every axis named, in declared order.
struct Problem {
  std::vector<std::pair<std::string, Value>> axes;
  const Value* find(std::string_view name) const;
};
std::string to_string(const Problem& problem);  // "n=4096 m=4096 k=4096 dtype=f32"

// `given`: axis names with their values as typed ("4096", "2^28", "f64"). The others take their
// defaults. Throws TunerError naming an unknown axis (with the nearest), or a value that is no
// positive size within the axis' bounds, or not in its list.
Problem resolve_problem(const KernelDescription& kernel,
                        std::span<const std::pair<std::string, std::string>> given);

// What the compiler is told for a configuration (or for the reference).
struct BuildPlan {
  std::filesystem::path source;
  std::vector<std::filesystem::path> include_dirs;
  std::vector<std::string> options;
  std::vector<std::string> entries;  // distinct
  std::vector<std::string> symbols;  // C++ names of constants
  bool keep_ptx = false;             // a launch has no model, and its PTX tells what it does
};

// What came out of it, by entry.
struct CompiledEntry {
  std::string entry;
  std::string lowered_name;
  int registers = 0;
  std::int64_t static_shared = 0;
  std::int64_t spill_bytes = 0;
  // The text of its module; null: not kept, and nothing is derived from it.
  std::shared_ptr<const std::string> ptx = nullptr;
};

struct LaunchPlan {
  std::vector<LaunchStep> steps;
  std::vector<WorkspaceSpec> workspaces;
  std::vector<SymbolSpec> symbols;
};

struct Tolerance {
  double relative = 0, absolute = 0, frobenius = 0;
};

class Kernel {
 public:
  // Compiles every expression; throws TunerError with file, JSON pointer and the text's own error.
  Kernel(KernelDescription description, Problem problem, models::DeviceProfile device);

  const KernelDescription& description() const;
  const Problem& problem() const;
  const models::DeviceProfile& device() const;
  const search::Space& space() const;
  // The same kernel over a part of its space; configurations are then points of that part.
  Kernel with_space(search::Space space) const;

  BuildPlan build(const search::Config& config) const;
  // Empty entries where the kernel is verified by checks only.
  BuildPlan reference_build() const;

  // `compiled` empty: the static shape, before compiling. Launches without a model get one from
  // their entry's PTX where that is there, which takes up to a second each. `memo`: one that serves
  // this kernel alone, from one thread; many shapes are much faster with it.
  models::KernelShape shape(const search::Config& config,
                            std::span<const CompiledEntry> compiled = {},
                            AccessMemo* memo = nullptr) const;
  LaunchPlan launch(const search::Config& config, std::span<const CompiledEntry> compiled,
                    std::span<const std::string> lowered_symbols) const;
  // As code for other sizes and devices; the axes of kind choice and type keep their values.
  // `compiled`: as of launch(), for launches that use it (docs/kernel-json.md: blocks_per_sm,
  // registers). An expression that lacks it throws TunerError.
  ConfigCode code(const search::Config& config, std::span<const CompiledEntry> compiled = {}) const;
  std::vector<LaunchStep> reference_launch(std::span<const CompiledEntry> compiled) const;

  std::vector<BufferSpec> buffers() const;   // constants' values among them
  std::vector<ElementCheck> checks() const;  // with axes and scalars filled in
  Tolerance tolerance() const;
  double useful_flops() const;  // 0 where not described
  double useful_bytes() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
  std::shared_ptr<const search::Space> space_;  // a part of the whole, where narrowed
};

// Built-in kernels of the data folder, by name; and paths. `name_or_path`: "matmul",
// "examples/stencil", "my/kernel.json". Throws TunerError with the nearest name.
// `data`: the data folder; empty: data_folder().
std::vector<KernelDescription> built_in_kernels(const std::filesystem::path& data = {});
KernelDescription find_kernel(const std::string& name_or_path,
                              const std::filesystem::path& data = {});

}  // namespace tuner
