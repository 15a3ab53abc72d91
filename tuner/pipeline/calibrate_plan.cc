#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "tuner/pipeline/calibrate.h"

namespace tuner {
namespace {

using models::DeviceProfile;
using models::Probe;

constexpr const char* kDispatch = "dispatch.cu";
constexpr const char* kArithmetic = "arithmetic.cu";
constexpr const char* kMemory = "memory.cu";
constexpr const char* kNever = "never";
constexpr int kWarp = 32;
constexpr int kFullBlock = 1024;  // 8 warps a scheduler: enough to fill any unit of a SM
constexpr std::int64_t kWord = 4;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

LaunchArgument workspace(const std::string& name) {
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::workspace;
  argument.name = name;
  return argument;
}

LaunchArgument buffer(const std::string& name) {
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::buffer;
  argument.name = name;
  return argument;
}

LaunchArgument scalar(const char* type, std::int64_t value) {
  LaunchArgument argument;
  argument.type = type;
  argument.value = value;
  return argument;
}

// Amounts of which the slope is taken.
std::array<std::int64_t, 3> doubled(std::int64_t least) { return {least, 2 * least, 4 * least}; }

std::int64_t whole(std::int64_t amount, std::int64_t unit) {
  return std::max<std::int64_t>(1, amount / unit) * unit;
}

class Planner {
 public:
  explicit Planner(const DeviceProfile& device) : device_(device) {}

  CalibrationPlan plan() && {
    dispatching();
    fmas();
    shared_memory();
    caches();
    streams();
    strides_and_blocks();
    return std::move(plan_);
  }

 private:
  // What a quarter of the memory and the need of beating L2 leave: the size of one buffer.
  std::int64_t stream_bytes() const {
    return std::min<std::int64_t>(std::max(1024 * kMiB, 8 * device_.l2_bytes),
                                  device_.memory_bytes / 8);
  }

  ProbeLaunch launch(Probe probe, const char* source, std::string entry, std::int64_t blocks,
                     int threads) const {
    ProbeLaunch result;
    result.point.probe = probe;
    result.point.threads = threads;
    result.source = source;
    result.entry = std::move(entry);
    result.step.grid = {blocks, 1, 1};
    result.step.block = {threads, 1, 1};
    return result;
  }

  // As many blocks a SM, all of them resident.
  ProbeLaunch resident(Probe probe, const char* source, std::string entry, int threads,
                       int blocks_per_sm = 1) const {
    ProbeLaunch result = launch(probe, source, std::move(entry),
                                std::int64_t{device_.sm_count} * blocks_per_sm, threads);
    result.point.blocks_per_sm = blocks_per_sm;
    return result;
  }

  void add(ProbeLaunch launch, double variant, std::int64_t amount,
           std::vector<LaunchArgument> arguments) {
    launch.point.variant = variant;
    launch.point.amount = static_cast<double>(amount);
    for (const LaunchArgument& argument : arguments) {
      if (argument.kind == LaunchArgument::Kind::workspace && argument.name == kNever) {
        launch.workspaces.push_back({kNever, 256, "never"});
      }
      launch.walks_chain = launch.walks_chain || argument.kind == LaunchArgument::Kind::buffer;
    }
    launch.step.arguments = std::move(arguments);
    plan_.launches.push_back(std::move(launch));
  }

  void dispatching() {
    for (int i = 0; i < 3; ++i)
      add(launch(Probe::launch, kDispatch, "tuner_calibrate::empty", 1, kWarp), 0, 1, {});
    for (int threads = kWarp; threads <= kFullBlock; threads *= 2) {
      for (const std::int64_t blocks : doubled(std::int64_t{1} << 17)) {
        add(launch(Probe::dispatch, kDispatch, "tuner_calibrate::empty", blocks, threads), 0,
            blocks, {});
      }
    }
    for (const std::int64_t cycles : doubled(250000)) {
      add(resident(Probe::clock, kDispatch, "tuner_calibrate::spin", kWarp), 0, cycles,
          {scalar("i64", cycles)});
    }
    for (int threads = 2 * kWarp; threads <= kFullBlock; threads *= 2) {
      for (const std::int64_t count : doubled(2048)) {
        add(resident(Probe::barrier, kDispatch, "tuner_calibrate::barriers", threads), 0, count,
            {scalar("i32", count)});
      }
    }
  }

  // `fmas` a thread.
  void add_fmas(Probe probe, const char* type, const char* operands, int chains, int threads,
                std::int64_t fmas) {
    for (const std::int64_t amount : doubled(fmas)) {
      add(resident(probe, kArithmetic,
                   fmt::format("tuner_calibrate::fmas<{}, tuner_calibrate::Operands::{}, {}>", type,
                               operands, chains),
                   threads),
          chains, amount, {scalar("i32", amount / chains), workspace(kNever)});
    }
  }

  void fmas() {
    constexpr std::int64_t kFmas = 16384, kUnrolled = 256;
    for (const int chains : {1, 2, 4, 8}) {
      for (const int threads : {128, 256, kFullBlock}) {
        add_fmas(Probe::fma_three, "float", "three", chains, threads, kFmas);
      }
    }
    for (const int chains : {1, 8}) {
      add_fmas(Probe::fma_two, "float", "two", chains, kFullBlock, kFmas);
      add_fmas(Probe::fma_immediate, "float", "immediate", chains, kFullBlock, kFmas);
    }
    add_fmas(Probe::fma_immediate, "float", "immediate", 1, 128, kFmas);
    const auto doubles = static_cast<std::int64_t>(128 * device_.fp64_lanes_per_sm);
    add_fmas(Probe::fma_double, "double", "three", 8, kFullBlock, whole(doubles, kUnrolled));
    for (const int pairs : {2, 4}) {
      const std::int64_t instructions = 8 + 2 * pairs;
      for (const std::int64_t steps : doubled(1024)) {
        add(resident(Probe::issue, kArithmetic, fmt::format("tuner_calibrate::issue<{}>", pairs),
                     kFullBlock),
            2 * pairs, steps * instructions, {scalar("i32", steps), workspace(kNever)});
      }
    }
  }

  void shared_memory() {
    for (const std::int64_t requests : doubled(4096)) {
      add(resident(Probe::shared_read, kMemory, "tuner_calibrate::read_shared", kFullBlock), 0,
          requests, {scalar("i32", requests), workspace(kNever)});
      add(resident(Probe::shared_chase, kMemory, "tuner_calibrate::chase_shared", kWarp), 0,
          requests, {scalar("i32", requests), workspace(kNever)});
    }
    for (const int lines : {8, 16, 32}) {
      for (const std::int64_t requests : doubled(1024)) {
        ProbeLaunch tags = resident(Probe::tags, kMemory,
                                    fmt::format("tuner_calibrate::tags<{}>", lines), kFullBlock);
        tags.workspaces.push_back({"in", std::int64_t{512} * lines, "never"});
        add(std::move(tags), lines, requests,
            {workspace("in"), scalar("i32", requests), scalar("i32", std::int64_t{32} * lines),
             workspace(kNever)});
      }
    }
  }

  void add_chase(Probe probe, const char* name, std::int64_t bytes, std::int64_t steps) {
    BufferSpec spec;
    spec.name = name;
    spec.element = "i32";
    spec.count =
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes))) / kWord;
    spec.init.kind = "permutation";
    spec.init.seed = 1;
    plan_.chains.push_back(spec);
    for (const std::int64_t amount : {steps, steps * 3 / 2, steps * 2}) {
      add(resident(probe, kMemory, "tuner_calibrate::chase", 1), 0, amount,
          {buffer(name), scalar("i32", spec.count), scalar("i32", amount), workspace(kNever)});
    }
  }

  void caches() {
    constexpr std::int64_t kGranule = 64, kL2Steps = 2048;
    add_chase(Probe::l2_chase, "near", std::min(device_.l2_bytes / 4, 4 * kMiB), kL2Steps);
    // All walkers together touch more than L2 holds, or the next run would find their links there.
    add_chase(Probe::dram_chase, "far", std::min(8 * device_.l2_bytes, device_.memory_bytes / 8),
              std::max(kL2Steps, device_.l2_bytes * 5 / 2 / (kGranule * device_.sm_count)));

    constexpr int kThreads = 256, kBlocks = 2, kLoads = 4, kBytes = 16;
    const std::int64_t unit = std::int64_t{device_.sm_count} * kBlocks * kThreads * kLoads * kBytes;
    const std::int64_t bytes = whole(device_.l2_bytes / 4, unit);
    for (const std::int64_t passes : doubled(std::max<std::int64_t>(4, 256 * kMiB / bytes))) {
      ProbeLaunch read =
          resident(Probe::l2_read, kMemory, "tuner_calibrate::read_l2", kThreads, kBlocks);
      read.workspaces.push_back({"in", bytes, "never"});
      add(std::move(read), 0, bytes * passes,
          {workspace("in"), scalar("i32", bytes / kBytes), scalar("i32", passes),
           workspace(kNever)});
    }
  }

  // One load shape, with so many threads a SM.
  void add_stream(bool copy, int width, int loads, int threads, int blocks_per_sm) {
    const char* item = width == 16 ? "tuner_calibrate::Words4" : "tuner_calibrate::Word";
    const std::int64_t in_flight = std::int64_t{threads} * blocks_per_sm * loads * width;
    const std::int64_t bytes = whole(stream_bytes(), in_flight * device_.sm_count);
    const std::int64_t count = bytes / width;
    ProbeLaunch stream =
        resident(copy ? Probe::copy : Probe::read, kMemory,
                 fmt::format("tuner_calibrate::{}<{}, {}>", copy ? "copy" : "read", item, loads),
                 threads, blocks_per_sm);
    stream.workspaces.push_back({"in", bytes, "never"});
    if (copy) {
      stream.workspaces.push_back({"out", bytes, "never"});
      add(std::move(stream), static_cast<double>(in_flight), bytes,
          {workspace("in"), workspace("out"), scalar("i64", count)});
    } else {
      add(std::move(stream), static_cast<double>(in_flight), bytes,
          {workspace("in"), scalar("i64", count), workspace(kNever)});
    }
  }

  // Threads a block and blocks a SM, from an eighth of H200's warps to all of the device's.
  std::vector<std::pair<int, int>> fillings() const {
    std::vector<std::pair<int, int>> result = {{256, 1}, {512, 1}, {1024, 1}};
    if (device_.max_threads_per_sm > kFullBlock)
      result.emplace_back(device_.max_threads_per_sm / 2, 2);
    return result;
  }

  void streams() {
    for (const auto& [threads, blocks] : fillings()) {
      for (const int width : {4, 16}) {
        for (const int loads : {1, 2, 4, 8}) {
          // 128 bytes a thread are more registers than the compiler keeps in flight.
          if (loads * width > 64) continue;
          add_stream(false, width, loads, threads, blocks);
          if (loads != 2) add_stream(true, width, loads, threads, blocks);
        }
      }
    }
  }

  void strides_and_blocks() {
    constexpr std::int64_t kBlock = 256, kLoads = 8, kLargest = 32, kReads = std::int64_t{1} << 24;
    const std::int64_t reads =
        whole(std::min(kReads, device_.memory_bytes / 8 / (kLargest * kWord)), kBlock * kLoads);
    for (const std::int64_t stride : {std::int64_t{8}, std::int64_t{16}, kLargest}) {
      ProbeLaunch strided = launch(Probe::strided, kMemory, "tuner_calibrate::strided",
                                   reads / (kBlock * kLoads), kBlock);
      strided.workspaces.push_back({"in", reads * stride * kWord, "never"});
      add(std::move(strided), static_cast<double>(stride * kWord), reads,
          {workspace("in"), scalar("i32", stride), workspace(kNever)});
    }
    const std::int64_t elements = whole(stream_bytes() / 4 / kWord, kFullBlock);
    for (int threads = 2 * kWarp; threads <= kFullBlock; threads *= 2) {
      ProbeLaunch scale =
          launch(Probe::scale, kMemory, "tuner_calibrate::scale", elements / threads, threads);
      scale.workspaces = {{"in", elements * kWord, "never"}, {"out", elements * kWord, "never"}};
      add(std::move(scale), 0, elements, {workspace("in"), workspace("out")});
    }
  }

  const DeviceProfile& device_;
  CalibrationPlan plan_;
};

}  // namespace

CalibrationPlan calibration_plan(const DeviceProfile& device) { return Planner(device).plan(); }

}  // namespace tuner
