// Every text of a description compiled against one problem and one device: what Kernel's methods
// evaluate. Built once, then read by any number of threads; not to be moved, since its parts refer
// to one another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/occupancy.h"
#include "tuner/kernel/bound_text.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

struct BoundAccess {
  const AccessSpec* spec = nullptr;
  std::size_t number = 0;  // among all accesses of the kernel
  BoundText index, element_bytes, width, count, active, reuse, l1_reuse, async;
  std::int64_t buffer_element = 0;  // bytes; 0: no buffer
  double buffer_bytes = 0;
  // What index and active read, in their quick forms: slots that are known before a thread is, the
  // block's number, the warp's, and which of the launch's loops.
  std::vector<int> known_slots;
  bool by_block = false, by_warp = false;
  std::vector<bool> by_loop;
};

struct BoundLoop {
  int slot = 0;
  BoundText count;
};

struct BoundStep {
  const StepSpec* spec = nullptr;
  BoundText when;
  BoundTemplate entry;
  std::array<BoundText, 3> grid, block, cluster;
  BoundText dynamic_shared, bytes;
  std::vector<BoundLoop> loops;
  std::vector<BoundAccess> accesses;
  BoundText fma, fma_registers, fma_fresh, instructions, ilp, loads_in_flight, barriers, exchanges,
      atomics;
  BoundText min_registers;
  bool fp64 = false;
  bool uses_compiled = false;  // the grid or the model hangs on registers or blocks a SM
};

struct BoundArgument {
  const ArgumentSpec* spec = nullptr;
  BoundText count;  // buffer, constant: elements; workspace: bytes
  BoundText value;
  BoundTemplate init_kind;
  std::string element;           // of a buffer, constant or scalar; empty: by element_slot
  std::optional<int> parameter;  // slot of the parameter that names a scalar's type
  std::vector<BoundText> sizes, strides, box;
};

class BoundKernel {
 public:
  BoundKernel(KernelDescription description_in, Problem problem_in,
              models::DeviceProfile device_in);
  BoundKernel(const BoundKernel&) = delete;
  BoundKernel& operator=(const BoundKernel&) = delete;

  const BoundArgument& argument(std::string_view name) const;
  // Rendered; not checked against what a compiler would take.
  BufferSpec buffer(const BoundArgument& argument) const;
  std::string element(const BoundArgument& argument, std::span<const expr::Cell> cells) const;
  // With its value converted to the type; where `reference`, from the problem alone.
  LaunchArgument scalar(const BoundArgument& argument, std::span<const expr::Cell> cells) const;

  const KernelDescription description;
  const Problem problem;
  const models::DeviceProfile device;
  const Names names;
  std::vector<BoundArgument> arguments;
  std::vector<BoundStep> steps, reference;
  std::vector<BoundTemplate> options;
  std::vector<std::pair<std::string, BoundTemplate>> defines;
  std::optional<std::size_t> register_limit;                // the parameter of role maxrregcount
  std::optional<int> register_limit_slot, min_blocks_slot;  // its value's, and that of the
                                                            // parameter of role min_blocks_per_sm
  BoundText relative, absolute, frobenius, flops, bytes;
  std::optional<search::Space> space;

 private:
  BoundText bind(const Text& text, Phase phase, std::optional<Type> wanted,
                 std::span<const LoopSpec> loops = {}) const;
  BoundTemplate bind(const Text& text, Phase phase) const;
  void bind_arguments();
  BoundArgument bind_argument(const ArgumentSpec& spec) const;
  BoundStep bind_step(const StepSpec& spec, Phase phase) const;
  void bind_model(BoundStep& step) const;
  bool uses_compiled(const BoundStep& step) const;
  BoundAccess bind_access(const AccessSpec& spec, const std::vector<LoopSpec>& loops) const;
  void set_dependences(BoundAccess& access, const std::vector<LoopSpec>& loops) const;
  void resolve_element(BoundArgument& argument) const;
  void check_reference() const;
  void check_checks() const;
  void make_space();
};

}  // namespace tuner
