// The table of experiments. A new one is a function here and a line at the end.
#include <fmt/format.h>

#include "tuner/pipeline/lab.h"

namespace tuner {
namespace {

using Axes = std::vector<std::pair<std::string, std::string>>;
using Settings = std::vector<std::pair<std::string, Value>>;

Value whole(std::int64_t value) { return value; }

constexpr const char* kElements = "2^26";

Experiment coalescing() {
  Experiment experiment{
      "coalescing",
      "Strided reads",
      "A warp's request is served in sectors of 32 bytes. At stride 1 its 32 floats lie in 4 of "
      "them; at stride 8 each float has a sector to itself, and 7 of 8 bytes that are moved are "
      "thrown away. DRAM moves larger pieces than a sector, so it goes on getting worse to stride "
      "16, and flattens then: a request cannot touch more than 32 pieces.",
      "GB/s",
      "stride 1",
      {}};
  for (const int stride : {1, 2, 4, 8, 16, 32, 64, 128}) {
    experiment.cases.push_back({fmt::format("stride {}", stride),
                                "gather",
                                {{"n", kElements}, {"stride", std::to_string(stride)}},
                                {{"divide", std::string("u32")}}});
  }
  return experiment;
}

// Coalesced or not, a block that lives for its start alone takes as long.
Experiment coalescing_hidden() {
  Experiment experiment{"hidden-coalescing",
                        "Better coalescing that changes little",
                        "With 32 threads a block there are so many blocks that starting them takes "
                        "longer than what they move at stride 1 or 2. Twice the sectors then cost "
                        "little: something else binds, and it has to be mended first.",
                        "GB/s",
                        "stride 1, 32 threads",
                        {}};
  for (const int threads : {32, 256}) {
    for (const int stride : {1, 2}) {
      experiment.cases.push_back({fmt::format("stride {}, {} threads", stride, threads),
                                  "gather",
                                  {{"n", kElements}, {"stride", std::to_string(stride)}},
                                  {{"block", whole(threads)}, {"divide", std::string("u32")}}});
    }
  }
  return experiment;
}

Experiment rows_cols() {
  Experiment experiment{
      "rows-cols",
      "A matrix copied along rows and down columns",
      "Along rows the 32 threads of a warp touch neighbours; down columns each touches a line of "
      "its own. A block that is tall across the walk uses the other bytes of a sector soon, while "
      "they are still in cache, so 8x32 loses least and 32x8 most.",
      "GB/s",
      "rows 32x8",
      {}};
  for (const char* walk : {"columns", "rows"}) {
    for (const auto& [x, y] : {std::pair{32, 8}, {8, 32}, {16, 16}, {32, 32}}) {
      const bool along = std::string(walk) == "columns";
      experiment.cases.push_back(
          {fmt::format("{} {}x{}", along ? "rows" : "columns", x, y),
           "copy",
           {{"shape", "rows_cols"}, {"n", "4096"}},
           {{"walk", std::string(walk)}, {"block_x", whole(x)}, {"block_y", whole(y)}}});
    }
  }
  return experiment;
}

Experiment block_sweep() {
  Experiment experiment{
      "block-sweep",
      "Block size of a copy",
      "From some size on the occupancy is full and the speed flat: more of it buys nothing. Blocks "
      "of 32 threads lose twice: a SM holds only so many blocks, so few warps are resident, and "
      "the blocks have to be started, at a rate that the whole GPU shares.",
      "GB/s",
      "256 threads",
      {}};
  for (const int threads : {32, 64, 128, 256, 512, 1024}) {
    experiment.cases.push_back({fmt::format("{} threads", threads),
                                "copy",
                                {{"n", kElements}},
                                {{"block", whole(threads)}}});
  }
  return experiment;
}

Experiment smem_limit() {
  Experiment experiment{
      "smem-limit",
      "Occupancy limited by shared memory",
      "Shared memory that a block takes is not there for another one: the copy is the same, with "
      "fewer and fewer blocks a SM. It gets slower only once the loads in flight no longer cover "
      "the latency, and not in proportion to the occupancy.",
      "GB/s",
      "256 threads, 0 KB",
      {}};
  for (const int threads : {256, 512}) {
    for (const int kilobytes : {0, 8, 16, 32, 48}) {
      experiment.cases.push_back({fmt::format("{} threads, {} KB", threads, kilobytes),
                                  "copy",
                                  {{"n", kElements}},
                                  {{"block", whole(threads)}},
                                  kilobytes * std::int64_t{1024}});
    }
  }
  return experiment;
}

Experiment bank_conflicts() {
  Experiment experiment{"bank-conflicts",
                        "A tile of 32 rows against one of 33",
                        "Column reads of a tile whose rows are 32 words long hit one bank 32 "
                        "times; one unused word behind each row moves the rows on by a bank, and a "
                        "read takes one wavefront. With a pad of 2 every second bank is hit twice.",
                        "GB/s",
                        "pad 1",
                        {}};
  for (const int pad : {0, 1, 2}) {
    experiment.cases.push_back({fmt::format("pad {}", pad),
                                "transpose",
                                {{"n", "8192"}},
                                {{"tile", whole(32)}, {"pad", whole(pad)}}});
  }
  return experiment;
}

Experiment matmul() {
  Experiment experiment{
      "matmul",
      "Matrix products: naive, tiled, tiled in registers",
      "Naive code loads two floats for each FMA; a tile in shared memory loads each once for TILE "
      "uses, and is then bound by shared memory instead; a tile in registers uses what it loads "
      "from there TM or TN times. Each step moves the kernel to the right on the roofline.",
      "GFLOP/s",
      "tile 32",
      {}};
  for (const char* algorithm : {"naive", "tile"}) {
    for (const int tile : {16, 32}) {
      experiment.cases.push_back({fmt::format("{} {}", algorithm, tile),
                                  "matmul",
                                  {{"n", "2048"}},
                                  {{"algorithm", std::string(algorithm)}, {"TILE", whole(tile)}}});
    }
  }
  for (const int size : {4, 8}) {
    experiment.cases.push_back({fmt::format("registers {0}x{0}", size),
                                "matmul",
                                {{"n", "2048"}},
                                {{"BM", whole(16 * size)},
                                 {"BN", whole(16 * size)},
                                 {"TM", whole(size)},
                                 {"TN", whole(size)}}});
  }
  return experiment;
}

Experiment reduction() {
  Experiment experiment{
      "reduction",
      "Variants of a sum",
      "Interleaved (tid % 2s) leaves half of every warp idle and diverges; strided (2*s*tid) keeps "
      "warps whole and hits banks over and over; sequential does neither; shuffles need no shared "
      "memory. All of that matters only while the tree takes longer than reading: more items a "
      "thread make it rare, and a second launch costs some microseconds. A tree that halves needs "
      "a power of two: 96 threads fall to 48, 24, 12, 6, 3, and the odd one is lost.",
      "GB/s",
      "sequential",
      {}};
  for (const char* tree : {"interleaved", "strided", "sequential", "shuffle"}) {
    experiment.cases.push_back(
        {tree, "reduction", {{"n", kElements}}, {{"tree", std::string(tree)}}});
  }
  experiment.cases.push_back({"shuffle, 8 items",
                              "reduction",
                              {{"n", kElements}},
                              {{"tree", std::string("shuffle")}, {"items", whole(8)}}});
  experiment.cases.push_back({"shuffle, 8 items, one pass",
                              "reduction",
                              {{"n", kElements}},
                              {{"tree", std::string("shuffle")},
                               {"items", whole(8)},
                               {"finish", std::string("last_block")}}});
  return experiment;
}

Experiment latency() {
  Experiment experiment{"latency",
                        "Independent loads against resident warps",
                        "Little's law: bytes in flight are latency times bandwidth. They come from "
                        "many warps or from many loads a warp. With 16 loads a thread a quarter of "
                        "the occupancy is enough; with one, all of it may not be.",
                        "GB/s",
                        "1 load, all blocks",
                        {}};
  for (const int items : {1, 4, 16}) {
    for (const int kilobytes : {0, 24, 48}) {
      experiment.cases.push_back(
          {fmt::format("{} load{}, {}", items, items == 1 ? "" : "s",
                       kilobytes == 0 ? "all blocks" : fmt::format("{} KB ballast", kilobytes)),
           "copy",
           {{"n", kElements}},
           {{"items", whole(items)}},
           kilobytes * std::int64_t{1024}});
    }
  }
  return experiment;
}

Experiment waves(const models::DeviceProfile& device) {
  Experiment experiment{"waves",
                        "Grid size against the number of SMs",
                        "Blocks are handed to SMs whole. One block more than what all SMs hold "
                        "together begins another wave, in which nearly all of them idle: the time "
                        "is a staircase, and work a time is best at the end of each step.",
                        "GFLOP/s",
                        "1.00 waves",
                        {}};
  // 256 threads in 4 chains have 1024 elements a block; what a SM holds is by threads.
  const std::int64_t wave = std::int64_t{device.sm_count} * (device.max_threads_per_sm / 256);
  for (const int percent : {25, 50, 100, 101, 150, 200, 201, 400}) {
    const std::int64_t blocks = (wave * percent + 99) / 100;
    experiment.cases.push_back({fmt::format("{:.2f} waves", percent * 0.01),
                                "fma_chain",
                                {{"n", std::to_string(blocks * 1024)}, {"steps", "16384"}},
                                {}});
  }
  return experiment;
}

Experiment ilp() {
  Experiment experiment{
      "ilp",
      "Dependent FMAs in one chain or several",
      "An FMA of three registers has their ports to itself every other cycle unless the operand "
      "cache helps, which takes several chains a thread: no number of warps makes up for them. "
      "With two registers one chain and enough warps are as good as eight.",
      "GFLOP/s",
      "three registers, 8 chains",
      {}};
  for (const char* operands : {"three", "two", "immediate"}) {
    for (const int chains : {1, 2, 4, 8}) {
      const std::string kind =
          std::string(operands) == "immediate" ? "immediate" : std::string(operands) + " registers";
      experiment.cases.push_back(
          {fmt::format("{}, {} chain{}", kind, chains, chains == 1 ? "" : "s"),
           "fma_chain",
           {{"operands", operands}},
           {{"chains", whole(chains)}}});
    }
  }
  return experiment;
}

Experiment first_run() {
  return {
      "cold-warm",
      "Inputs in DRAM against inputs in L2",
      "What fits into L2 is read several times as fast the second time: a measurement that runs a "
      "kernel over the same small input again and again measures L2. Larger inputs do not care.",
      "GB/s",
      "1 MB, cold",
      {{"1 MB, cold", "copy", {{"n", "2^18"}}, {}, 0, true},
       {"1 MB, warm", "copy", {{"n", "2^18"}}, {}, 0, false},
       {"1 GB, cold", "copy", {{"n", "2^28"}}, {}, 0, true},
       {"1 GB, warm", "copy", {{"n", "2^28"}}, {}, 0, false}}};
}

Experiment register_limit() {
  Experiment experiment{
      "register-limit",
      "Occupancy limited by registers",
      "Registers are handed out to whole warps: the more results a thread keeps, the fewer warps a "
      "SM holds. The larger tile is faster nevertheless. It loads less for each FMA, and its many "
      "independent sums hide the latency that other warps would have hidden.",
      "GFLOP/s",
      "4x4",
      {}};
  // 256 threads each: a larger tile a thread is a larger tile a block.
  for (const auto& [rows, columns] : {std::pair{4, 4}, {8, 8}, {16, 8}}) {
    experiment.cases.push_back({fmt::format("{}x{}", rows, columns),
                                "matmul",
                                {{"n", "2048"}},
                                {{"BM", whole(16 * rows)},
                                 {"BN", whole(16 * columns)},
                                 {"TM", whole(rows)},
                                 {"TN", whole(columns)}}});
  }
  return experiment;
}

}  // namespace

std::vector<Experiment> lab_experiments(const models::DeviceProfile& device) {
  return {coalescing(),     coalescing_hidden(), rows_cols(),   block_sweep(),
          smem_limit(),     bank_conflicts(),    matmul(),      reduction(),
          register_limit(), latency(),           waves(device), ilp(),
          first_run()};
}

}  // namespace tuner
