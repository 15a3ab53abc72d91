#include "models/pipes.h"

#include <algorithm>
#include <cmath>

#include "models/memory_access.h"

namespace tuner::models {
namespace {

constexpr double kLanes = 32;
constexpr double kSector = 32;

double clock_ghz(const DeviceProfile& device) { return device.core_clock_mhz * 1e-3; }

// Cycles of one SM, where each SM works on its share of the warps.
double sm_ns(const LaunchLoad& load, double cycles_per_warp) {
  return cycles_per_warp * load.warps / load.device.sm_count / clock_ghz(load.device);
}

// Bytes that stay in L2 between two touches: half of it, for the other half is passing through.
bool fits_l2(const DeviceProfile& device, double bytes) {
  return bytes > 0 && bytes <= 0.5 * static_cast<double>(device.l2_bytes);
}

double access_dram_bytes(const LaunchLoad& load, const MemoryAccess& access) {
  const double moved = load.warps * access.requests_per_warp * access.granules_per_request *
                       load.device.dram_granule;
  const double first = std::min(moved, access.buffer_bytes * access.first_touch);
  if (fits_l2(load.device, access.buffer_bytes)) return load.cold ? first : 0;
  return std::max(moved / std::max(access.reuse, 1.0), first);
}

double access_l2_bytes(const LaunchLoad& load, const MemoryAccess& access) {
  return load.warps * access.requests_per_warp * access.sectors_per_request * kSector /
         std::max(access.l1_reuse, 1.0);
}

double resident_warps(const LaunchLoad& load) {
  return load.resident_blocks * load.warps_per_block;
}

bool is_one_wave(const LaunchLoad& load) {
  return static_cast<double>(load.shape.blocks) <= load.resident_blocks * load.device.sm_count;
}

double global_round_trips(const LaunchShape& shape) {
  double loads = 0;
  for (const MemoryAccess& access : shape.accesses) {
    if (!access.shared && !access.store) loads += access.requests_per_warp;
  }
  return loads / std::max(shape.loads_in_flight, 1.0);
}

// What all resident warps have asked for at once.
double bytes_in_flight(const LaunchLoad& load) {
  double requests = 0, bytes = 0;
  for (const MemoryAccess& access : load.shape.accesses) {
    if (access.shared || access.store) continue;
    requests += access.requests_per_warp;
    bytes += access.requests_per_warp * access.sectors_per_request * kSector;
  }
  if (requests <= 0) return 0;
  const double at_once = std::clamp(load.shape.loads_in_flight, 1.0, std::max(requests, 1.0));
  return resident_warps(load) * load.device.sm_count * at_once * bytes / requests;
}

// DRAM turns between reads and writes. Where threads write what they have read without a barrier
// between, reads that are waiting keep DRAM from the writes: for each doubling of the bytes in
// flight beyond twice those that its latency asks for, a copy takes 5 % longer. And where one wave
// of blocks strides over everything, they drift apart and read and write at many places: 10 %.
// Reads alone do not mind. (Recordings of copies on an H200.)
double turning(const LaunchLoad& load, double roof, double mixed) {
  constexpr double kCostOfDoubling = 0.05, kEnough = 2, kCostOfStriding = 0.1, kLoop = 1.5;
  const double enough = kEnough * roof * load.device.dram_latency_ns;
  const bool crowds = enough > 0 && load.shape.barriers_per_block == 0;
  const double excess = crowds ? bytes_in_flight(load) / enough : 1;
  const bool strides = is_one_wave(load) && global_round_trips(load.shape) > kLoop;
  return 1 + mixed * (kCostOfDoubling * std::log2(std::max(excess, 1.0)) +
                      (strides ? kCostOfStriding : 0));
}

// DRAM opens a page for what lies side by side: reads of less than 256 bytes take 18 % longer for
// each halving. Writes wait in L2 until more have come. Returned as bytes more that could have been
// read. (A recording of transposes on an H200.)
double page_bytes(const LaunchLoad& load) {
  constexpr double kCostOfHalving = 0.18;
  double more = 0;
  for (const MemoryAccess& access : load.shape.accesses) {
    if (access.shared || access.store || access.runs_per_request <= 0) continue;
    const double run =
        access.granules_per_request * load.device.dram_granule / access.runs_per_request;
    if (run >= kLongRun) continue;
    more += access_dram_bytes(load, access) * kCostOfHalving * std::log2(kLongRun / run);
  }
  return more;
}

double dram_ns(const LaunchLoad& load) {
  const DramBytes bytes = dram_bytes(load);
  const double total = bytes.read + bytes.written;
  if (total <= 0) return 0;
  // Turning the bus around costs; the fewer the writes, the nearer the roof of reads alone.
  const double mixed = std::min(1.0, 2 * bytes.written / total);
  const double roof = mixed * load.device.dram_gbps + (1 - mixed) * load.device.dram_read_gbps;
  return (total + page_bytes(load)) / roof * turning(load, roof, mixed);
}

double l2_ns(const LaunchLoad& load) { return l2_bytes(load) / load.device.l2_gbps; }

// Loads in flight together that may be served by different memories: what one instruction brings
// are parts of a tile, which is in L2 or is not.
double fates_in_flight(const LaunchShape& shape) {
  double instructions = 0;
  for (const MemoryAccess& access : shape.accesses) {
    if (!access.shared && !access.store) instructions += access.instructions;
  }
  return std::max(1.0, std::min(shape.loads_in_flight, instructions));
}

// A load waits for DRAM or L2 in the shares in which they serve it, and with those that are in
// flight together for the slowest. What L1 serves is mostly asked for by the warps of a block side
// by side: the others wait for the first one's fetch.
double load_latency_ns(const LaunchLoad& load, const MemoryAccess& access) {
  const double requested = load.warps * access.requests_per_warp * access.granules_per_request *
                           load.device.dram_granule;
  if (requested <= 0) return 0;
  const double cached = std::max(0.0, 1 - access_dram_bytes(load, access) / requested);
  const double all_cached = std::pow(cached, fates_in_flight(load.shape));
  return (1 - all_cached) * load.device.dram_latency_ns + all_cached * load.device.l2_latency_ns;
}

// Serial time of one warp in round trips to global memory: loads that are independent share one.
// `own`: the part that also stands in the way of the warp's arithmetic. Where memory feeds every
// step of that, a warp waits for its loads before it goes on, unless an asynchronous copy brings
// them.
double global_wait_ns(const LaunchLoad& load, bool own) {
  if (own && !feeds_chains(load.shape)) return 0;
  double wait = 0;
  for (const MemoryAccess& access : load.shape.accesses) {
    if (access.shared || access.store) continue;
    if (own && access.async) continue;
    wait += access.requests_per_warp * load_latency_ns(load, access);
  }
  return wait / std::max(load.shape.loads_in_flight, 1.0);
}

// The warps of a block leave their slots together: a block that lives for few round trips leaves
// them idle while its slowest warp ends.
double drain_factor(const LaunchLoad& load) {
  const double trips = std::max(1.0, global_round_trips(load.shape));
  return 1 + load.device.block_drain * std::log2(std::max(load.warps_per_block, 1.0)) / trips;
}

// Serial cycles of one warp: a step of its chains waits for the FMA before, and for fragments from
// shared memory as far as the FMAs of a step do not cover that: for the latency and two cycles a
// wavefront. A warp that feeds its FMAs from shared memory issues no more than one a cycle, and
// waits half a latency for what it stores there by itself. (Recordings of matmul on an H200.)
double chain_cycles(const LaunchLoad& load) {
  constexpr double kCyclesOfWavefront = 2, kWaitOfStore = 0.5;
  const LaunchShape& shape = load.shape;
  const double steps = chain_steps(shape);
  double loads = 0, wavefronts = 0, stores = 0;
  for (const MemoryAccess& access : shape.accesses) {
    if (!access.shared || access.async) continue;
    (access.store ? stores : loads) += access.requests_per_warp;
    if (!access.store) wavefronts += access.requests_per_warp * access.bank_wavefronts;
  }
  const double latency = load.device.shared_latency_cycles;
  const double trips = steps > 0 ? std::min(steps, loads) : loads;
  const double drawn_out = steps > 0 ? kCyclesOfWavefront * wavefronts / steps : 0;
  const double exposed = std::max(0.0, latency + drawn_out - std::max(shape.ilp, 1.0));
  const double own = loads > 0 ? shape.fma_per_thread : 0;
  return std::max(steps * load.device.fma_latency_cycles, own) + trips * exposed +
         stores * kWaitOfStore * latency;
}

double chain_ns(const LaunchLoad& load) {
  const double resident = resident_warps(load) * load.device.sm_count;
  const double wait = chain_cycles(load) / clock_ghz(load.device) + global_wait_ns(load, true);
  return resident > 0 ? wait * load.warps / resident : 0;
}

// Latency ÷ active warps: each resident warp hides that of the others.
double latency_ns(const LaunchLoad& load) {
  const double wait = global_wait_ns(load, false) * drain_factor(load);
  const double resident = resident_warps(load) * load.device.sm_count;
  return resident > 0 ? wait * load.warps / resident : 0;
}

// A SM has a scheduler for each instruction that it issues a cycle, and a warp belongs to one of
// them: fewer warps leave some without work. In one wave, nothing evens out what a scheduler with a
// warp more has to do; over many waves blocks come to where others have ended.
double uneven_schedulers_factor(const LaunchLoad& load) {
  const double schedulers = std::max(load.device.issue_per_clock, 1.0);
  const double warps = std::max(resident_warps(load), 1.0);
  const double each = warps / schedulers;
  return (is_one_wave(load) ? std::ceil(each) : std::max(1.0, each)) / each;
}

// Three-register FMAs of one chain issue every other cycle where the register ports are the bound;
// measured on H200 the excess falls linearly in log2(chains) and is gone at 4. In an outer product
// a share of them stays, at the ends of its lines, where warps take turns: a warp that has its
// scheduler to itself finds its operands where it left them. (Recordings of matmul on an H200.)
double port_factor(const DeviceProfile& device, double ilp, double fresh) {
  const double free_chains = std::max(device.fma_port_free_chains, 1.0 + 1e-9);
  const double held = 1 - std::log2(std::max(ilp, 1.0)) / std::log2(free_chains);
  return 1 + (device.fma_port_slowdown - 1) * std::clamp(held, std::clamp(fresh, 0.0, 1.0), 1.0);
}

double fma_ns(const LaunchLoad& load) {
  const LaunchShape& shape = load.shape;
  const double lanes = shape.fp64 ? load.device.fp64_lanes_per_sm : load.device.fp32_lanes_per_sm;
  const bool reads_three = !shape.fp64 && shape.fma_registers >= 3;
  const bool alone = resident_warps(load) <= load.device.issue_per_clock;
  const double fresh = alone ? 0 : shape.fma_fresh;
  const double ports = reads_three ? port_factor(load.device, shape.ilp, fresh) : 1;
  return sm_ns(load,
               shape.fma_per_thread * kLanes / lanes * ports * uneven_schedulers_factor(load));
}

double issue_ns(const LaunchLoad& load) {
  return sm_ns(load, other_instructions(load.shape) / load.device.issue_per_clock *
                         uneven_schedulers_factor(load));
}

// Cycles of the L1 and shared-memory unit for one request: data wavefronts, or tags.
double request_cycles(const DeviceProfile& device, const MemoryAccess& access) {
  constexpr double kWavefrontBytes = 128;
  const double wavefront = kWavefrontBytes / device.shared_bytes_per_clock;
  if (access.shared) return access.bank_wavefronts * wavefront;
  const double returned = access.width_bytes * access.active_lanes / kWavefrontBytes;
  const double fetched = access.sectors_per_request * kSector / kWavefrontBytes;
  const double data = std::max({1.0, returned, fetched, access.bank_wavefronts});
  return std::max(data * wavefront, access.lines_per_request / device.l1_lines_per_clock);
}

double shared_ns(const LaunchLoad& load) {
  double cycles = 0;
  for (const MemoryAccess& access : load.shape.accesses) {
    cycles += access.requests_per_warp * request_cycles(load.device, access);
  }
  return sm_ns(load, cycles);
}

// What the compiler says it spills are the bytes of the instructions that store or load them, of
// which an inner loop that is unrolled over several steps of the chains runs each once: a wavefront
// and an issue slot. L1 writes the stores, half of them, through to L2.
double spill_ns(const LaunchLoad& load) {
  constexpr double kWord = 4, kUnrolled = 16;
  const double steps = std::max(1.0, chain_steps(load.shape) / kUnrolled);
  const double words = static_cast<double>(load.spill_bytes) / kWord * steps;
  const double wavefront = kLanes * kWord / load.device.shared_bytes_per_clock;
  const double cycles = words * (wavefront + 1 / load.device.issue_per_clock);
  return sm_ns(load, cycles) + words / 2 * kWord * kLanes * load.warps / load.device.l2_gbps;
}

// At a barrier the block stands still; other resident blocks go on. Its warps come to it one after
// the other: what a lone block computes between barriers takes 8 % longer. (Recordings of
// matmul on an H200.)
double barrier_ns(const LaunchLoad& load, double arithmetic_ns) {
  constexpr double kSkew = 0.08;
  if (load.shape.barriers_per_block <= 0) return 0;
  const double skew = feeds_chains(load.shape) ? kSkew : 0;
  const double cycles =
      load.shape.barriers_per_block * (load.device.barrier_cycles + load.warps_per_block);
  const double blocks_per_sm = static_cast<double>(load.shape.blocks) / load.device.sm_count;
  return (cycles / clock_ghz(load.device) * blocks_per_sm + skew * arithmetic_ns) /
         std::max(load.resident_blocks, 1.0);
}

}  // namespace

double chain_steps(const LaunchShape& shape) {
  return shape.fma_per_thread / std::max(shape.ilp, 1.0);
}

double other_instructions(const LaunchShape& shape) {
  double instructions = shape.instructions_per_thread;
  for (const MemoryAccess& access : shape.accesses) instructions += access.requests_per_warp;
  return instructions;
}

bool feeds_chains(const LaunchShape& shape) {
  const double steps = chain_steps(shape);
  double loads = 0;
  for (const MemoryAccess& access : shape.accesses) {
    if (!access.store && (access.shared || access.l1_reuse > 1)) loads += access.requests_per_warp;
  }
  return steps > 0 && loads >= steps;
}

DramBytes dram_bytes(const LaunchLoad& load) {
  DramBytes bytes;
  for (const MemoryAccess& access : load.shape.accesses) {
    if (access.shared) continue;
    (access.store ? bytes.written : bytes.read) += access_dram_bytes(load, access);
  }
  return bytes;
}

double l2_bytes(const LaunchLoad& load) {
  double bytes = 0;
  for (const MemoryAccess& access : load.shape.accesses) {
    if (!access.shared) bytes += access_l2_bytes(load, access);
  }
  return bytes;
}

PipeTimes pipe_times(const LaunchLoad& load) {
  const double fma = fma_ns(load), issue = issue_ns(load);
  return {.dram = dram_ns(load),
          .l2 = l2_ns(load),
          .latency = latency_ns(load),
          .fma = fma,
          .issue = issue,
          .shared = shared_ns(load),
          .chain = chain_ns(load),
          .spill = spill_ns(load),
          .barrier = barrier_ns(load, fma + issue),
          .dispatch = static_cast<double>(load.shape.blocks) / load.device.blocks_per_us * 1e3};
}

}  // namespace tuner::models
