// Experiments on how many blocks and warps a SM holds, and what that is worth.
#include <fmt/format.h>

#include "tuner/pipeline/lab_parts.h"

namespace tuner::lab {

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

Experiment occupancy() {
  Experiment experiment{
      "occupancy",
      "Occupancy by block size: the model's and the driver's",
      "A SM holds as many blocks as its warps, its registers, its shared memory and its slots for "
      "blocks allow, whichever is least. A block that does not divide what there is leaves a rest, "
      "and small blocks run out of slots. The suggested block is the largest of those with the "
      "highest occupancy, its grid what fills every SM once: a place to begin, and no promise, for "
      "occupancy is no time.",
      "GB/s",
      "256 threads",
      {}};
  experiment.suggests = true;
  for (const int threads : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
    experiment.cases.push_back({fmt::format("{} threads", threads),
                                "center_columns",
                                {{"m", "8"}, {"n", "2^23"}},
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
  using Tile = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [rows, columns] : {Tile{4, 4}, Tile{8, 8}, Tile{16, 8}}) {
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

Experiment register_budget() {
  Experiment experiment{
      "register-budget",
      "1024 threads at 32 and at 40 registers",
      "A SM has 65,536 registers. Where it holds 2048 threads that is 32 for each: at 40 a second "
      "block of 1024 does not fit, and half of the occupancy is gone at once. Where it holds 1024 "
      "anyway (a T4), 64 are free. Whether it shows depends on what each thread has in flight, and "
      "forcing the number down is no way out where values then spill to memory, as those of 32 "
      "rows do.",
      "GB/s",
      "24 rows, 32 registers",
      {}};
  for (const int rows : {24, 32}) {
    for (const int registers : {32, 40, 48}) {
      experiment.cases.push_back(
          {fmt::format("{} rows, {} registers", rows, registers),
           "center_columns",
           {{"m", std::to_string(rows)}, {"n", "2^21"}},
           {{"block", whole(1024)}, {"registers_at_most", whole(registers)}}});
    }
  }
  return experiment;
}

Experiment partial_warp() {
  Experiment experiment{
      "partial-warp",
      "A block of 100 threads",
      "Blocks are made of whole warps. 100 threads take 4 of them, of which the last has 4 lanes "
      "at "
      "work, and its instructions take their slots all the same: 28 of 128 lanes idle, so the time "
      "is 1.28 times that of 128 threads, or of the 3 whole warps of 96.",
      "GFLOP/s",
      "128 threads",
      {}};
  for (const int threads : {96, 100, 128}) {
    experiment.cases.push_back({fmt::format("{} threads", threads),
                                "divergence",
                                {{"paths", "1"}},
                                {{"block", whole(threads)}}});
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

}  // namespace tuner::lab
