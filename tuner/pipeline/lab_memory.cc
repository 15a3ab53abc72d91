// Experiments on how memory is reached.
#include <fmt/format.h>

#include "tuner/pipeline/lab_parts.h"

namespace tuner::lab {

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

Experiment alignment() {
  Experiment experiment{
      "alignment",
      "Strided reads, aligned and off by one element",
      "A warp whose 32 neighbouring floats begin one element late touches a fifth sector: 128 of "
      "160 "
      "bytes are of use. The byte too many at one end is what the next warp asks for, and is still "
      "in cache, so DRAM hardly sees it. With a stride the rows reach over the same sectors either "
      "way, and from stride 8 on every float has its own: being off costs nothing any more, for "
      "everything is lost already.",
      "GB/s",
      "stride 1, aligned",
      {}};
  for (const int stride : {1, 2, 4, 8, 16, 32, 64, 128}) {
    for (const int offset : {0, 1}) {
      experiment.cases.push_back(
          {fmt::format("stride {}, {}", stride, offset == 0 ? "aligned" : "off by one"),
           "strided_read",
           {{"n", kElements},
            {"stride", std::to_string(stride)},
            {"offset", std::to_string(offset)}},
           {}});
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

Experiment bank_strides() {
  Experiment experiment{
      "bank-strides",
      "Reads of shared memory, neighbouring threads a stride apart",
      "Word i lies in bank i % 32, and a wavefront reads one word of each bank. A stride of s "
      "sends "
      "the 32 lanes to 32 / gcd(32, s) banks, so a read takes gcd(32, s) wavefronts: 2 for stride "
      "2, 32 for stride 32, and 1 for every odd one, 33 among them.",
      "GFLOP/s",
      "stride 1",
      {}};
  for (const int stride : {1, 2, 3, 4, 8, 16, 32, 33}) {
    experiment.cases.push_back({fmt::format("stride {}", stride),
                                "shared_stride",
                                {{"stride", std::to_string(stride)}},
                                {}});
  }
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

}  // namespace tuner::lab
