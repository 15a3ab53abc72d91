#include "models/join.h"

#include <algorithm>
#include <cmath>

namespace tuner::models {
namespace {

// Norms of the joins, round numbers that recordings of matmul, transposes and gathers bear out.
// FMAs and other instructions share issue slots: they add up. Shared memory works beside them, L2
// beside DRAM: nearly a maximum. What one warp does one after the other is hidden less well: a
// scheduler must find another warp that is ready. Memory works beside the SMs; where no barrier
// parts a block's loads from its arithmetic, each warp's instructions delay its loads. The
// dispatcher works beside everything: the sweep of block sizes on H200 is nearly a maximum too.
constexpr double kFmaWithShared = 4;
constexpr double kSmWithChain = 1.8;
constexpr double kDramWithL2 = 8;
constexpr double kSmWithMemory = 6, kSmWithMemoryInTurn = 3;
constexpr double kWithDispatch = 8;

double quantization(double blocks, double slots) {
  if (blocks <= 0 || slots <= 0) return 1;
  const double rounds = blocks / slots;
  return std::ceil(rounds) / rounds;
}

double joined(const LaunchLoad& load, const PipeTimes& pipes, double blocks, double waves) {
  const double arithmetic = pipes.fma + pipes.issue;
  const double busy = norm(arithmetic, pipes.shared + pipes.spill, kFmaWithShared) * blocks;
  const double sm = norm(busy, pipes.chain * waves, kSmWithChain) + pipes.barrier * waves;
  const double roof = norm(pipes.dram, pipes.l2, kDramWithL2);
  const double memory = norm(roof, pipes.latency * waves, load.device.latency_norm);
  const bool in_turn = load.shape.barriers_per_block <= 0 || feeds_chains(load.shape);
  const double with_memory = in_turn ? kSmWithMemoryInTurn : kSmWithMemory;
  return norm(norm(sm, memory, with_memory), pipes.dispatch, kWithDispatch);
}

}  // namespace

double norm(double a, double b, double p) {
  const double larger = std::max(a, b);
  if (larger <= 0) return 0;
  const double ratio = std::min(a, b) / larger;
  return larger * std::pow(1 + std::pow(ratio, p), 1 / p);
}

double block_quantization(const LaunchLoad& load) {
  return quantization(static_cast<double>(load.shape.blocks), load.device.sm_count);
}

double wave_quantization(const LaunchLoad& load) {
  return quantization(static_cast<double>(load.shape.blocks),
                      load.device.sm_count * load.resident_blocks);
}

double joined_ns(const LaunchLoad& load, const PipeTimes& pipes) {
  return joined(load, pipes, block_quantization(load), wave_quantization(load));
}

double even_ns(const LaunchLoad& load, const PipeTimes& pipes) { return joined(load, pipes, 1, 1); }

}  // namespace tuner::models
