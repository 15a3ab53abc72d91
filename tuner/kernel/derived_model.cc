#include "tuner/kernel/derived_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "expr/error.h"
#include "tuner/kernel/derived_accesses.h"
#include "tuner/kernel/unknown_loops.h"
#include "tuner/ptx/dependences.h"
#include "tuner/ptx/instructions.h"

namespace tuner {
namespace {

using ptx::Instruction;
using ptx::Kind;

constexpr std::int64_t kMostThreads = 4096;  // no device takes more
constexpr double kWord = 4;                  // bytes
// Registers that hold addresses and counters, not data: a copy of eight 16-byte loads takes 38.
constexpr double kOtherRegisters = 6;

std::string list(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

class Deriver {
 public:
  Deriver(const DeriveInput& input, const ptx::Function& function, models::LaunchShape& launch)
      : input_(input),
        function_(function),
        flow_(ptx::control_flow(function)),
        launch_(launch),
        trace_(trace_launch(function, flow_, arguments())) {
    count_executions();
    scale_unknown_loops();
  }

  models::Derivation derive() {
    set_counts();
    set_ilp();
    set_accesses();
    set_loads_in_flight();
    describe_loops();
    describe_rest();
    return std::move(derivation_);
  }

 private:
  ptx::Launch arguments() const {
    ptx::Launch launch{launch_.grid, launch_.block, {}};
    for (std::size_t i = 0; i < input_.arguments.size(); ++i) {
      const KernelArgument& argument = input_.arguments[i];
      launch.arguments.push_back(argument.pointer
                                     ? std::optional(static_cast<std::int64_t>(i + 1) * kBufferStep)
                                     : argument.value);
    }
    return launch;
  }

  double threads() const { return static_cast<double>(launch_.blocks) * launch_.threads; }
  double warps() const {
    constexpr int kWarp = 32;
    const int of_block = (launch_.threads + kWarp - 1) / kWarp;
    return static_cast<double>(launch_.blocks) * of_block;
  }
  int loop_of(std::size_t instruction) const {
    return flow_.blocks[static_cast<std::size_t>(flow_.block_of[instruction])].loop;
  }

  // By the mean warp.
  void count_executions() {
    executions_.assign(function_.code.size(), 0);
    for (const WarpTrace& warp : trace_.warps) {
      for (std::size_t i = 0; i < executions_.size(); ++i) {
        executions_[i] += warp.weight * static_cast<double>(warp.executions[i]);
      }
    }
  }

  // Loops whose end is not known take their share of the work that is declared.
  void scale_unknown_loops() {
    DeclaredWork work{input_.useful_flops, input_.useful_bytes, 0, threads()};
    for (const KernelArgument& argument : input_.arguments) {
      work.buffer_bytes += argument.buffer_bytes;
    }
    UnknownLoops loops = tuner::scale_unknown_loops(function_, flow_, trace_, executions_, work);
    factors_ = std::move(loops.factors);
    for (std::size_t i = 0; i < executions_.size(); ++i) executions_[i] *= factors_[i];
    if (!loops.assumed.empty()) derivation_.assumed.push_back(std::move(loops.assumed));
    if (loops.unscaled) {
      derivation_.unknown.emplace_back(
          "how often loops run whose end the PTX does not show: they count once");
    }
  }

  void set_counts() {
    double fp32 = 0;
    double fp64 = 0;
    double of_three = 0;
    for (std::size_t i = 0; i < executions_.size(); ++i) {
      const Instruction& instruction = function_.code[i];
      const Kind kind = ptx::kind_of(instruction);
      kinds_[static_cast<std::size_t>(kind)] += executions_[i];
      if (kind == Kind::fp32) fp32 += executions_[i];
      if (kind == Kind::fp64) fp64 += executions_[i];
      if (kind == Kind::fp32 || kind == Kind::fp64) {
        if (registers_read(instruction) >= 3) of_three += executions_[i];
      } else if (!ptx::memory_use(instruction)) {
        launch_.instructions_per_thread += executions_[i] * ptx::issue_slots(instruction);
      }
      if (kind == Kind::barrier) launch_.barriers_per_block += executions_[i];
    }
    // What is fewer is counted with the other instructions; f64 weighs more, for it has fewer
    // lanes.
    launch_.fp64 = fp64 > 0 && fp64 >= fp32 / 8;
    launch_.fma_per_thread = launch_.fp64 ? fp64 : fp32;
    launch_.instructions_per_thread += launch_.fp64 ? fp32 : fp64;
    launch_.fma_registers = 2 * of_three > fp32 + fp64 ? 3 : 2;
  }

  static std::size_t registers_read(const Instruction& instruction) {
    std::set<int> registers;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
      if (instruction.operands[i].kind == ptx::Operand::Kind::reg) {
        registers.insert(instruction.operands[i].reg);
      }
    }
    return registers.size();
  }

  // Operations of the basic blocks ÷ the longest chains of them that wait for one another.
  void set_ilp() {
    double operations = 0;
    double steps = 0;
    for (const ptx::Block& block : flow_.blocks) {
      const ptx::FmaChain chain = ptx::fma_chain(function_, block);
      const double times = executions_[static_cast<std::size_t>(block.begin)];
      operations += times * chain.operations;
      steps += times * chain.longest;
    }
    if (steps > 0) launch_.ilp = std::max(1.0, operations / steps);
  }

  void set_accesses() {
    DerivedAccesses found = derive_accesses({input_, function_, trace_, factors_, warps()});
    launch_.accesses = std::move(found.accesses);
    if (!found.assumed_contiguous.empty()) {
      derivation_.assumed.push_back(
          fmt::format("neighbouring lanes touch neighbouring addresses of {}: they hang on what "
                      "memory holds, or "
                      "come later than all lanes were followed",
                      list(found.assumed_contiguous)));
    }
    if (!found.assumed_cached.empty()) {
      derivation_.assumed.push_back(
          fmt::format("what is asked of {} more than once is still cached after the first time",
                      list(found.assumed_cached)));
    }
    if (found.unknown_copy_sizes) derivation_.unknown.emplace_back("the size of bulk copies");
  }

  void set_loads_in_flight() {
    double loads = 0;
    double runs = 0;
    double words = 0;
    for (std::size_t begin = 0; begin < flow_.blocks.size();) {
      const std::size_t end = stretch_end(begin);
      const ptx::LoadRuns held =
          ptx::load_runs(function_, std::span(flow_.blocks).subspan(begin, end - begin));
      const double times = executions_of(begin);
      begin = end;
      loads += times * held.loads;
      runs += times * held.runs;
      words += times * held.bytes / kWord;
    }
    if (!(runs > 0)) return;
    launch_.loads_in_flight = loads / runs * copy_groups();
    if (!launch_.registers || !(words > 0)) return;
    // Loads need registers to arrive in.
    const double room = (*launch_.registers - kOtherRegisters) / (words / loads);
    launch_.loads_in_flight = std::min(launch_.loads_in_flight, std::max(1.0, room));
  }

  double executions_of(std::size_t block) const {
    return executions_[static_cast<std::size_t>(flow_.blocks[block].begin)];
  }

  // The end of the blocks from `begin` on that run one after the other, as those of an unrolled
  // loop with guards do: in one loop, equally often.
  std::size_t stretch_end(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < flow_.blocks.size() && flow_.blocks[end].loop == flow_.blocks[begin].loop &&
           executions_of(end) == executions_of(begin)) {
      ++end;
    }
    return end;
  }

  // cp.async.wait_group N lets N groups go on; one more is being waited for.
  double copy_groups() const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < function_.code.size(); ++i) {
      const Instruction& instruction = function_.code[i];
      if (instruction.name() != "cp" || !instruction.has("wait_group") || loop_of(i) < 0) continue;
      if (instruction.operands.size() == 1) {
        most = std::max(most, instruction.operands.front().value);
      }
    }
    return static_cast<double>(std::min<std::int64_t>(most, 16) + 1);
  }

  void describe_loops() {
    for (std::size_t l = 0; l < flow_.loops.size(); ++l) {
      const ptx::Loop& loop = flow_.loops[l];
      models::DerivedLoop told;
      told.depth = loop.depth;
      told.iterations_known = !trace_.unknown_trips[l];
      const auto header =
          static_cast<std::size_t>(flow_.blocks[static_cast<std::size_t>(loop.header)].begin);
      told.iterations = executions_[header];
      for (const int block : loop.blocks) {
        const ptx::Block& held = flow_.blocks[static_cast<std::size_t>(block)];
        if (held.loop != static_cast<int>(l)) continue;
        for (int i = held.begin; i < held.end; ++i) {
          count(function_.code[static_cast<std::size_t>(i)], share_of(i, told.iterations), told);
        }
      }
      derivation_.loops.push_back(told);
    }
  }

  // How often a thread passes an instruction in one iteration; 1 where the loop was never entered.
  double share_of(int instruction, double iterations) const {
    return iterations > 0 ? executions_[static_cast<std::size_t>(instruction)] / iterations : 1;
  }

  static void count(const Instruction& instruction, double times, models::DerivedLoop& loop) {
    ++loop.instructions;
    if (ptx::is_fma_pipe(instruction)) loop.fma += times;
    const auto use = ptx::memory_use(instruction);
    if (!use) return;
    const double bytes = times * use->width_bytes;
    const bool shared = use->space == ptx::Space::shared;
    const bool global = use->space == ptx::Space::global || use->space == ptx::Space::generic;
    if (use->async) {
      (shared ? loop.shared_store_bytes : loop.shared_load_bytes) += bytes;
      (shared ? loop.global_load_bytes : loop.global_store_bytes) += bytes;
    } else if (shared || global) {
      if (use->load) (shared ? loop.shared_load_bytes : loop.global_load_bytes) += bytes;
      if (use->store) (shared ? loop.shared_store_bytes : loop.global_store_bytes) += bytes;
    }
  }

  double kind_count(Kind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }

  void describe_rest() {
    derivation_.known.push_back(
        fmt::format("widths and counts of accesses, FMAs and other instructions, from {} PTX "
                    "instructions as warps of the middle block meet them",
                    function_.code.size()));
    derivation_.assumed.emplace_back(
        "global loads are issued together, as far as they do not wait for one another, nor come "
        "behind a branch and what waits for them");
    if (trace_.unknown_branches) {
      derivation_.assumed.emplace_back(
          "branches that hang on what memory holds are not taken: what they would skip runs");
    }
    if (trace_.atomic_branches) {
      derivation_.assumed.emplace_back(
          "what runs only where an atomic operation returned a certain value (as of the last "
          "block) "
          "is left out");
    }
    if (!trace_.complete) {
      derivation_.unknown.emplace_back("the end of a thread: it runs longer than was followed");
    }
    if (flow_.irreducible) {
      derivation_.unknown.emplace_back("a loop that is entered in several places");
    }
    if (flow_.indirect_jumps) derivation_.unknown.emplace_back("where indirect jumps lead");
    if (kind_count(Kind::call) > 0) {
      derivation_.unknown.emplace_back("what functions do that are called and not inlined");
    }
    if (kind_count(Kind::tensor) > 0) {
      derivation_.unknown.emplace_back("the time of tensor-core instructions");
    }
    if (kind_count(Kind::atomic) > 0) {
      derivation_.unknown.push_back(
          fmt::format("how much {:.4g} atomic operations of a thread wait for those of others",
                      kind_count(Kind::atomic)));
    }
    if (has_local_arrays()) {
      derivation_.unknown.emplace_back("the cost of arrays in local memory");
    }
  }

  bool has_local_arrays() const {
    for (std::size_t i = 0; i < executions_.size(); ++i) {
      const auto use = ptx::memory_use(function_.code[i]);
      if (use && use->space == ptx::Space::local && executions_[i] > 0) return true;
    }
    return false;
  }

  const DeriveInput& input_;
  const ptx::Function& function_;
  const ptx::ControlFlow flow_;
  models::LaunchShape& launch_;
  const LaunchTrace trace_;
  std::vector<double> executions_;  // by instruction, of the mean warp
  std::array<double, ptx::kKinds> kinds_{};
  std::vector<double> factors_;  // by instruction: executions for each that was followed
  models::Derivation derivation_;
};

bool can_be_walked(const models::LaunchShape& launch) {
  for (const std::int64_t size : launch.grid) {
    if (size < 1) return false;
  }
  for (const std::int64_t size : launch.block) {
    if (size < 1 || size > kMostThreads) return false;
  }
  return launch.threads <= kMostThreads && launch.blocks > 0;
}

}  // namespace

void derive_model(const DeriveInput& input, models::LaunchShape& launch) {
  if (!can_be_walked(launch)) return;
  try {
    const ptx::Function function = ptx::parse_entry(input.ptx, input.entry);
    launch.derived = Deriver(input, function, launch).derive();
  } catch (const TunerError& error) {
    launch.derived.emplace();
    launch.derived->unknown.emplace_back(error.what());
  }
}

}  // namespace tuner
