// Experiments on what a thread does with what it has.
#include <fmt/format.h>

#include "tuner/pipeline/lab_parts.h"

namespace tuner::lab {

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
  for (const std::int64_t size : {4, 8}) {
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
      "a power of two: 96 threads fall to 48, 24, 12, 6, 3, and the odd one is lost. In the "
      "sequential one here it waits for the next step, so 192 threads take the 8 steps of 256.",
      "GB/s",
      "sequential",
      {}};
  for (const char* tree : {"interleaved", "strided", "sequential", "shuffle"}) {
    experiment.cases.push_back(
        {tree, "reduction", {{"n", kElements}}, {{"tree", std::string(tree)}}});
  }
  experiment.cases.push_back({"sequential, 192 threads",
                              "reduction",
                              {{"n", kElements}},
                              {{"tree", std::string("sequential")}, {"block", whole(192)}}});
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

Experiment divergence() {
  Experiment experiment{
      "divergence",
      "Paths that part inside of warps, and between them",
      "A warp has one program counter at a time: where its lanes are on different paths it walks "
      "them one after the other, with the other lanes masked, and takes as many times as long as "
      "there are paths. Warps are free of each other: the same paths, one a warp, cost nothing.",
      "GFLOP/s",
      "one path",
      {{"one path", "divergence", {{"between", "warps"}, {"paths", "1"}}, {}}}};
  for (const char* between : {"warps", "lanes"}) {
    for (const int paths : {2, 4, 8}) {
      experiment.cases.push_back(
          {fmt::format("{} paths {}", paths,
                       std::string(between) == "lanes" ? "inside of warps" : "between warps"),
           "divergence",
           {{"between", between}, {"paths", std::to_string(paths)}},
           {}});
    }
  }
  return experiment;
}

}  // namespace tuner::lab
