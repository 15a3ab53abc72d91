#include "tests/models/clblast_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/memory_access.h"

namespace tuner::models {
namespace {

constexpr int kFloat = 4;
constexpr int kWidest = 16;

// One of the two operands: A walks along m with threadIdx.x, B along n with threadIdx.y.
struct Operand {
  const char* name;
  int tile;     // MWG, NWG
  int threads;  // MDIMC, NDIMC
  int copiers;  // MDIMA, NDIMB: threads along the tile when it is brought to shared memory
  int vector;   // VWM, VWN
  bool staged;  // SA, SB
  bool along_x;
};

struct Gemm {
  int n, depth, step, threads;
  Operand a, b;
};

Gemm gemm_of(const GemmParameters& p, int n) {
  return {
      .n = n,
      .depth = p.at("KWG"),
      .step = p.at("KWI"),
      .threads = p.at("MDIMC") * p.at("NDIMC"),
      .a = {"A", p.at("MWG"), p.at("MDIMC"), p.at("MDIMA"), p.at("VWM"), p.at("SA") != 0, true},
      .b = {"B", p.at("NWG"), p.at("NDIMC"), p.at("NDIMB"), p.at("VWN"), p.at("SB") != 0, false}};
}

int per_thread(const Operand& o) { return o.tile / o.threads; }

// A vector of 8 floats is moved by two instructions.
int pieces(const Operand& o) { return std::max(1, o.vector * kFloat / kWidest); }
int width(const Operand& o) { return std::min(kWidest, o.vector * kFloat); }

LaneAddresses lanes(const std::function<std::int64_t(int)>& element) {
  LaneAddresses result{};
  for (int lane = 0; lane < 32; ++lane) {
    result[static_cast<std::size_t>(lane)] = element(lane) * kFloat;
  }
  return result;
}

void set_global(const DeviceProfile& device, const LaneAddresses& at, MemoryAccess& access) {
  const GlobalRequest request = global_request(at, access.width_bytes, device.dram_granule);
  access.sectors_per_request = request.sectors;
  access.lines_per_request = request.lines;
  access.granules_per_request = request.granules;
  access.efficiency = request.efficiency;
}

// Of `reuse` fetches of a tile by the blocks beside each other, those within one wave find it in
// L2.
double l2_reuse(const Gemm& gemm) {
  const double blocks = static_cast<double>(gemm.n) / std::max(gemm.a.tile, gemm.b.tile);
  return std::max(1.0, std::min(blocks, 8.0));
}

double tiles(const Gemm& gemm) { return static_cast<double>(gemm.n) / gemm.depth; }

// The fragment of a thread for each k: from shared memory, or from global memory through L1.
MemoryAccess fragment(const DeviceProfile& device, const Gemm& gemm, const Operand& o,
                      int x_threads) {
  MemoryAccess access;
  access.name = fmt::format("{} fragment", o.name);
  access.shared = o.staged;
  access.width_bytes = width(o);
  access.requests_per_warp =
      static_cast<double>(gemm.n) * per_thread(o) * kFloat / access.width_bytes;
  const LaneAddresses at = lanes([&](int lane) {
    const int thread = o.along_x ? lane % x_threads : lane / x_threads;
    return std::int64_t{thread} * per_thread(o);
  });
  if (o.staged) {
    access.bank_wavefronts = shared_wavefronts(at, access.width_bytes);
    return access;
  }
  set_global(device, at, access);
  access.bank_wavefronts = shared_wavefronts(at, access.width_bytes);
  const double warps = gemm.threads / 32.0;
  const double asked = access.requests_per_warp / gemm.n * warps * access.sectors_per_request * 32;
  access.l1_reuse = std::max(1.0, asked / (o.tile * kFloat));
  access.reuse = access.l1_reuse * l2_reuse(gemm);
  return access;
}

// Unrolling keeps a step's loads in flight, or some steps' where a step has few.
double fragments_in_flight(const Operand& o) {
  constexpr double kLeast = 4;
  return std::max(kLeast, static_cast<double>(per_thread(o)) / o.vector * pieces(o));
}

// Bringing a tile of `depth` rows to shared memory. Returns the round trips to global memory of a
// thread: the loads of a tile go together, as far as registers allow.
double stage(const DeviceProfile& device, const Gemm& gemm, const Operand& o, LaunchShape& shape) {
  const int along = o.tile / o.copiers / o.vector;           // vectors a thread along the tile
  const int rows = gemm.depth / (gemm.threads / o.copiers);  // rows a thread
  MemoryAccess load;
  load.name = fmt::format("{} tile", o.name);
  load.width_bytes = width(o);
  load.requests_per_warp = tiles(gemm) * along * rows * pieces(o);
  const auto element = [&](int lane, int pitch) {
    return std::int64_t{lane % o.copiers} * along * o.vector +
           std::int64_t{lane / o.copiers} * rows * pitch;
  };
  set_global(device, lanes([&](int lane) { return element(lane, gemm.n); }), load);
  const double asked =
      load.requests_per_warp * gemm.threads / 32 * load.sectors_per_request * 32 / tiles(gemm);
  load.l1_reuse = std::max(1.0, asked / (o.tile * gemm.depth * kFloat));
  load.reuse = load.l1_reuse * l2_reuse(gemm);
  MemoryAccess put = load;
  put.name = fmt::format("{} tile put", o.name);
  put.shared = put.store = true;
  put.bank_wavefronts =
      shared_wavefronts(lanes([&](int lane) { return element(lane, o.tile); }), put.width_bytes);
  shape.accesses.push_back(load);
  shape.accesses.push_back(put);
  shape.static_shared = *shape.static_shared + std::int64_t{o.tile} * gemm.depth * kFloat;
  shape.instructions_per_thread += 4 * load.requests_per_warp;
  constexpr double kMostInFlight = 16;
  return load.requests_per_warp /
         std::clamp(load.requests_per_warp / tiles(gemm), 1.0, kMostInFlight);
}

MemoryAccess result_store(const DeviceProfile& device, const Gemm& gemm) {
  MemoryAccess access;
  access.name = "C tile";
  access.store = true;
  access.width_bytes = width(gemm.a);
  access.requests_per_warp =
      static_cast<double>(per_thread(gemm.a)) * per_thread(gemm.b) / gemm.a.vector * pieces(gemm.a);
  set_global(device, lanes([&](int lane) {
               return std::int64_t{lane % gemm.a.threads} * per_thread(gemm.a) +
                      std::int64_t{lane / gemm.a.threads} * per_thread(gemm.b) * gemm.n;
             }),
             access);
  const int vectors = per_thread(gemm.a) / gemm.a.vector;
  access.reuse = vectors;
  return access;
}

// What a thread holds: nothing is known of the compiled code, so what is missing is foreseen.
int registers_needed(const Gemm& gemm) {
  constexpr int kOthers = 24;  // addresses, counters
  return per_thread(gemm.a) * per_thread(gemm.b) + per_thread(gemm.a) + per_thread(gemm.b) +
         kOthers;
}

}  // namespace

KernelShape clblast_gemm(const DeviceProfile& device, const GemmParameters& parameters, int n) {
  const Gemm gemm = gemm_of(parameters, n);
  LaunchShape shape;
  shape.blocks = std::int64_t{n / gemm.a.tile} * (n / gemm.b.tile);
  shape.threads = gemm.threads;
  shape.static_shared = 0;
  shape.min_registers = registers_needed(gemm);
  const double tile = static_cast<double>(per_thread(gemm.a)) * per_thread(gemm.b);
  shape.fma_per_thread = n * tile;
  shape.ilp = tile;
  // The inner loop runs along m: each line begins with an operand of B that is new.
  shape.fma_fresh = 1.0 / per_thread(gemm.a);
  // The loop over k, unrolled by KWI.
  shape.instructions_per_thread = 4.0 * n / gemm.step;
  double round_trips = 0;
  for (const Operand* o : {&gemm.a, &gemm.b}) {
    round_trips += o->staged ? stage(device, gemm, *o, shape) : 0;
    shape.accesses.push_back(fragment(device, gemm, *o, gemm.a.threads));
    if (!o->staged) {
      round_trips += shape.accesses.back().requests_per_warp / fragments_in_flight(*o);
    }
  }
  double loads = 0;
  for (const MemoryAccess& access : shape.accesses) {
    if (!access.shared) loads += access.requests_per_warp;
  }
  shape.loads_in_flight = loads / round_trips;
  shape.barriers_per_block = gemm.a.staged || gemm.b.staged ? 2 * tiles(gemm) : 0;
  shape.accesses.push_back(result_store(device, gemm));
  const double size = static_cast<double>(n) * n;
  return {.launches = {shape}, .useful_flops = 2 * size * n, .useful_bytes = 3 * size * kFloat};
}

}  // namespace tuner::models
