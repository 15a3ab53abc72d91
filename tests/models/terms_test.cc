// Each term of the estimate by itself: a shape that differs in one thing only.
#include <gtest/gtest.h>

#include <cmath>

#include "models/estimate.h"
#include "models/join.h"
#include "models/pipes.h"
#include "tests/models/known_devices.h"

namespace tuner::models {
namespace {

double time_of(const LaunchShape& launch) {
  KernelShape kernel;
  kernel.launches = {launch};
  return estimate(known_device("h200"), kernel).time_ns;
}

double pipe_of(const LaunchShape& launch, std::string_view name) {
  KernelShape kernel;
  kernel.launches = {launch};
  for (const Pipe& pipe : estimate(known_device("h200"), kernel).pipes) {
    if (pipe.name == name) return pipe.time_ns;
  }
  return 0;
}

MemoryAccess access(bool shared, bool store, double requests) {
  MemoryAccess result;
  result.shared = shared;
  result.store = store;
  result.width_bytes = 16;
  result.requests_per_warp = requests;
  result.bank_wavefronts = 4;
  if (!shared) {
    result.sectors_per_request = 16;
    result.lines_per_request = 4;
    result.granules_per_request = 8;
    result.buffer_bytes = 1e9;
  }
  return result;
}

// 132 SMs, a block of 8 warps each, 64 chains a thread.
LaunchShape arithmetic() {
  LaunchShape launch;
  launch.blocks = 132;
  launch.threads = 256;
  launch.registers = 128;
  launch.fma_per_thread = 64 * 4096;
  launch.ilp = 64;
  return launch;
}

LaunchShape copy(double loads_in_flight) {
  LaunchShape launch;
  launch.blocks = 1 << 16;
  launch.threads = 256;
  launch.registers = 32;
  launch.accesses = {access(false, false, loads_in_flight), access(false, true, loads_in_flight)};
  launch.loads_in_flight = loads_in_flight;
  return launch;
}

TEST(Terms, TwoWarpsLeaveTwoOfFourSchedulersIdle) {
  LaunchShape few = arithmetic();
  few.threads = 64;
  LaunchShape full = few;
  full.threads = 128;
  // Half of the work on half of the schedulers takes as long.
  EXPECT_DOUBLE_EQ(pipe_of(few, "fma"), pipe_of(full, "fma"));
}

TEST(Terms, SixWarpsOfOneWaveAreAsSlowAsEight) {
  LaunchShape six = arithmetic();
  six.threads = 192;
  LaunchShape eight = arithmetic();
  // Two of the four schedulers have two warps either way.
  EXPECT_DOUBLE_EQ(pipe_of(six, "fma"), pipe_of(eight, "fma"));
  // Over many waves what is left over goes to whoever is free.
  six.blocks *= 100;
  eight.blocks *= 100;
  EXPECT_DOUBLE_EQ(pipe_of(six, "fma") / pipe_of(eight, "fma"), 0.75);
}

TEST(Terms, ALoneBlockWaitsAtItsBarriersForItsSlowestWarp) {
  LaunchShape lone = arithmetic();
  lone.accesses = {access(true, false, 3 * 4096)};
  EXPECT_EQ(pipe_of(lone, "barrier"), 0);  // there is none
  lone.barriers_per_block = 1e-6;          // its own time is none either
  const double fma = pipe_of(lone, "fma"), issue = pipe_of(lone, "issue");
  EXPECT_NEAR(pipe_of(lone, "barrier"), 0.08 * (fma + issue), 1);
  LaunchShape pair = lone;
  pair.blocks *= 2;  // two share a SM, and fill in for each other
  EXPECT_NEAR(pipe_of(pair, "barrier"), 0.08 * (fma + issue), 1);
  lone.accesses.clear();  // nothing is handed from thread to thread
  EXPECT_NEAR(pipe_of(lone, "barrier"), 0, 1);
}

TEST(Terms, AWarpWaitsForWhatItLoadsItselfBeforeItGoesOn) {
  LaunchShape own = arithmetic();
  own.accesses = {access(true, false, 3 * 4096), access(false, false, 100)};
  LaunchShape copied = own;
  copied.accesses[1].async = true;
  const double moved = pipe_of(copied, "latency");
  EXPECT_GT(moved, 0);
  EXPECT_EQ(pipe_of(own, "latency"), moved);
  EXPECT_GT(pipe_of(own, "chain") - pipe_of(copied, "chain"), 0.5 * moved);
  EXPECT_GT(time_of(own), time_of(copied));
}

TEST(Terms, AccessesThatShareABufferFetchItOnce) {
  LaunchShape one = copy(2);
  one.accesses.pop_back();
  for (MemoryAccess& access : one.accesses) {
    access.buffer_bytes = 1e12;  // larger than what is asked for
    access.reuse = 4;
  }
  LaunchShape two = one;
  two.accesses.front().requests_per_warp /= 2;
  two.accesses.push_back(two.accesses.front());
  EXPECT_NEAR(pipe_of(two, "dram"), pipe_of(one, "dram"), 1);
  // A buffer of the very size that is asked for, touched in halves, comes once.
  const double moved = 2.0 * (1 << 16) * 8 * 8 * 64;
  for (MemoryAccess& access : one.accesses) access.buffer_bytes = moved;
  for (MemoryAccess& access : two.accesses) {
    access.buffer_bytes = moved;
    access.first_touch = 0.5;
  }
  EXPECT_NEAR(pipe_of(two, "dram"), pipe_of(one, "dram"), 1);
}

TEST(Terms, TheScoreIsTheEstimateWithoutItsReasons) {
  KernelShape kernel;
  kernel.launches = {arithmetic()};
  kernel.launches[0].accesses = {access(true, false, 3 * 4096), access(false, false, 100)};
  const Estimate whole = estimate(known_device("h200"), kernel);
  const Score bare = score(known_device("h200"), kernel);
  EXPECT_EQ(bare.time_ns, whole.time_ns);
  EXPECT_EQ(bare.bound_ns, whole.bound_ns);
  EXPECT_EQ(bare.keep, whole.keep);
  kernel.launches[0].threads = 4096;
  EXPECT_EQ(score(known_device("h200"), kernel).drop_reason,
            estimate(known_device("h200"), kernel).drop_reason);
}

TEST(Terms, ASmHoldsNoMoreBlocksThanTheGridHasForIt) {
  LaunchShape one = arithmetic();  // occupancy would allow two
  LaunchShape two = one;
  two.blocks = 264;
  EXPECT_DOUBLE_EQ(pipe_of(one, "chain"), pipe_of(two, "chain"));
}

TEST(Terms, FreshOperandsCostTheirShareOfThePorts) {
  LaunchShape fresh = arithmetic();
  fresh.fma_fresh = 0.15;
  EXPECT_NEAR(pipe_of(fresh, "fma") / pipe_of(arithmetic(), "fma"), 1.15, 1e-9);
}

TEST(Terms, AWarpAloneOnItsSchedulerKeepsItsOperands) {
  LaunchShape alone = arithmetic();
  alone.threads = 128;  // a warp a scheduler
  LaunchShape fresh = alone;
  fresh.fma_fresh = 0.15;
  EXPECT_DOUBLE_EQ(pipe_of(fresh, "fma"), pipe_of(alone, "fma"));
}

TEST(Terms, StoresToSharedMemoryAreHalfWaitedForUnlessACopyDoesThem) {
  LaunchShape copied = arithmetic();
  copied.accesses = {access(true, true, 1000)};
  copied.accesses[0].async = true;
  LaunchShape stored = copied;
  stored.accesses[0].async = false;
  const DeviceProfile h200 = known_device("h200");
  EXPECT_NEAR(pipe_of(stored, "chain") - pipe_of(copied, "chain"),
              500 * h200.shared_latency_cycles / h200.core_clock_mhz * 1e3, 1);
}

// A step of 32 FMAs covers the latency of 29 cycles, but not that of six wavefronts more.
TEST(Terms, FragmentsOfManyWavefrontsComeLater) {
  LaunchShape few = arithmetic();
  few.ilp = 32;
  few.accesses = {access(true, false, few.fma_per_thread / few.ilp)};
  few.accesses[0].bank_wavefronts = 1;
  LaunchShape many = few;
  many.accesses[0].bank_wavefronts = 6;
  const DeviceProfile h200 = known_device("h200");
  const double more = many.accesses[0].requests_per_warp * (29 + 2 * 6 - 32);
  EXPECT_NEAR(pipe_of(many, "chain") - pipe_of(few, "chain"), more / h200.core_clock_mhz * 1e3, 1);
}

TEST(Terms, AnExchangeTakesItsTimeAndCanBeLeftOut) {
  LaunchShape exchanging = arithmetic();
  exchanging.exchanges = 2;
  EXPECT_NEAR(time_of(exchanging) - time_of(arithmetic()), 4000, 1e-6);
  KernelShape kernel;
  kernel.launches = {exchanging};
  EXPECT_DOUBLE_EQ(estimate(known_device("h200"), kernel, kExchange).time_ns,
                   time_of(arithmetic()));
}

TEST(Terms, AtomicsAtOneAddressComeOneAfterTheOther) {
  LaunchShape counting = arithmetic();
  counting.atomics = 2;
  EXPECT_NEAR(time_of(counting) - time_of(arithmetic()),
              2 * static_cast<double>(counting.blocks) * known_device("h200").atomic_ns, 1e-6);
  KernelShape kernel;
  kernel.launches = {counting};
  EXPECT_DOUBLE_EQ(estimate(known_device("h200"), kernel, kAtomics).time_ns, time_of(arithmetic()));
}

TEST(Terms, WhatThePromisedBlocksHaveNoRegistersForIsSpilled) {
  LaunchShape roomy = arithmetic();
  roomy.registers.reset();
  roomy.min_registers = 120;
  EXPECT_EQ(pipe_of(roomy, "spill"), 0);
  LaunchShape crowded = roomy;
  crowded.min_blocks_per_sm = 3;  // 65,536 registers / 768 threads: 80
  LaunchShape limited = roomy;
  limited.register_limit = 80;
  EXPECT_GT(pipe_of(crowded, "spill"), 0);
  EXPECT_DOUBLE_EQ(pipe_of(crowded, "spill"), pipe_of(limited, "spill"));
}

TEST(Terms, CopiesSufferFromTooMuchInFlightReadsDoNot) {
  const auto dram_of_each = [](const LaunchShape& launch, double loads) {
    return pipe_of(launch, "dram") / loads;
  };
  EXPECT_GT(dram_of_each(copy(4), 4), 1.03 * dram_of_each(copy(1), 1));
  LaunchShape few = copy(1), many = copy(4);
  few.accesses.pop_back();
  many.accesses.pop_back();
  EXPECT_DOUBLE_EQ(dram_of_each(many, 4), dram_of_each(few, 1));
  LaunchShape staged_few = copy(1), staged_many = copy(4);
  staged_few.barriers_per_block = staged_many.barriers_per_block = 1;
  EXPECT_DOUBLE_EQ(dram_of_each(staged_many, 4), dram_of_each(staged_few, 1));
}

// Eight granules of 64 bytes a request: one run of 512 bytes, or four of 128, or eight of 64.
TEST(Terms, DramReadsShortRunsMoreSlowlyThanItWritesThem) {
  LaunchShape unbroken = copy(1), one = copy(1), four = copy(1), eight = copy(1), stored = copy(1);
  one.accesses[0].runs_per_request = 1;
  four.accesses[0].runs_per_request = 4;
  eight.accesses[0].runs_per_request = 8;
  stored.accesses[1].runs_per_request = 8;
  const double whole = pipe_of(unbroken, "dram");
  EXPECT_DOUBLE_EQ(pipe_of(one, "dram"), whole);
  EXPECT_NEAR(pipe_of(four, "dram") / whole, 1 + 0.18 / 2, 1e-9) << "half of the bytes are read";
  EXPECT_NEAR(pipe_of(eight, "dram") / whole, 1 + 2 * 0.18 / 2, 1e-9);
  EXPECT_DOUBLE_EQ(pipe_of(stored, "dram"), whole);
}

// Half of what is asked for is in L2. Loads of one instruction are there or are not; of two that
// are waited for together, one comes from DRAM in three of four cases.
TEST(Terms, LoadsInFlightWaitForTheSlowest) {
  LaunchShape one = copy(1);
  one.accesses[0].reuse = 2;
  one.accesses[0].buffer_bytes = 1e8;  // of 268 MB asked for
  one.loads_in_flight = 4;
  LaunchShape two = one;
  two.accesses[0].instructions = 2;
  const DeviceProfile h200 = known_device("h200");
  EXPECT_NEAR(pipe_of(two, "latency") / pipe_of(one, "latency"),
              (0.75 * h200.dram_latency_ns + 0.25 * h200.l2_latency_ns) /
                  (0.5 * h200.dram_latency_ns + 0.5 * h200.l2_latency_ns),
              1e-9);
}

// Pipes of 100 ns each that only the way of joining tells apart.
double joined(const LaunchShape& launch, const PipeTimes& pipes) {
  const DeviceProfile h200 = known_device("h200");
  return even_ns({.device = h200, .shape = launch, .resident_blocks = 1}, pipes);
}

TEST(Joins, L2WorksBesideDramAllButFreely) {
  EXPECT_NEAR(joined(copy(1), {.dram = 100, .l2 = 100}), 100 * std::pow(2, 1.0 / 8), 1e-9);
}

// What is staged once runs beside other blocks' memory; a warp whose instructions stand between its
// loads delays them, and so does a product that is fed step by step.
TEST(Joins, ABarrierPartsLoadsFromInstructions) {
  const PipeTimes pipes = {.dram = 100, .issue = 100};
  LaunchShape staged = copy(4);
  staged.barriers_per_block = 1;
  LaunchShape fed = staged;
  fed.fma_per_thread = 100;
  fed.accesses.push_back(access(true, false, 100));
  EXPECT_NEAR(joined(copy(4), pipes), 100 * std::pow(2, 1.0 / 3), 1e-9);
  EXPECT_NEAR(joined(staged, pipes), 100 * std::pow(2, 1.0 / 6), 1e-9);
  EXPECT_NEAR(joined(fed, pipes), 100 * std::pow(2, 1.0 / 3), 1e-9);
}

TEST(Terms, ACopyByOneWaveThatStridesTakesATenthLonger) {
  LaunchShape striding = copy(1);
  striding.blocks = 1056;  // eight a SM
  for (MemoryAccess& one : striding.accesses) one.requests_per_warp = 64;
  LaunchShape spread = copy(1);
  spread.blocks = striding.blocks * 64;
  EXPECT_NEAR(pipe_of(striding, "dram") / pipe_of(spread, "dram"), 1.1, 0.01);
}

}  // namespace
}  // namespace tuner::models
