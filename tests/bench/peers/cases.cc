#include "tests/bench/peers/cases.h"

#include <fmt/format.h>

#include <algorithm>

namespace tuner::bench {
namespace {

std::string power(int exponent) { return fmt::format("2^{}", exponent); }

// DRAM hands out pieces of 64 bytes: beyond them every element read costs one. Against a copy of as
// many elements, which moves 8 bytes each.
double piece_roof(int stride) { return (std::min(64, 4 * stride) + 4) / 8.0; }

void add_linear(std::vector<Case>& cases) {
  for (const int exponent : {20, 24, 26, 28, 30}) {
    Case one{.group = "reduction",
             .label = power(exponent),
             .kernel = "reduction",
             .axes = {},
             .peer = "cub"};
    one.axes = {{"n", power(exponent)}};
    one.goal = exponent == 20 ? 1.5 : 1.0;
    cases.push_back(one);
  }
  for (const int exponent : {20, 24, 26, 28, 30}) {
    Case one{
        .group = "copy", .label = power(exponent), .kernel = "copy", .axes = {}, .peer = "memcpy"};
    one.axes = {{"n", power(exponent)}};
    one.goal = exponent == 28 ? 1.02 : 1.0;
    cases.push_back(one);
  }
  cases.push_back({.group = "transpose",
                   .label = "16384 x 16384",
                   .kernel = "transpose",
                   .axes = {{"n", "16384"}},
                   .peer = "copy",
                   .goal = 0.9});
}

void add_gathers(std::vector<Case>& cases) {
  for (const int stride : {1, 2, 4, 8, 16, 32, 64, 128}) {
    cases.push_back({.group = "gather-direct",
                     .label = fmt::format("stride {}, of the 64-byte roof", stride),
                     .kernel = "gather",
                     .axes = {{"n", "2^28"}, {"stride", std::to_string(stride)}},
                     .variant = "direct",
                     .peer = "copy",
                     .scale = piece_roof(stride),
                     .goal = stride <= 32 ? 0.9 : 0.75});
  }
  for (const int stride : {2, 4, 8, 16, 32, 64, 128}) {
    cases.push_back({.group = "gather-strided",
                     .label = fmt::format("stride {}", stride),
                     .kernel = "gather",
                     .axes = {{"n", "2^28"}, {"stride", std::to_string(stride)}},
                     .peer = "copy",
                     .goal = 0.8});
  }
  for (const std::string pattern : {"index", "permutation", "clustered"}) {
    for (const std::string call : {"gather", "index_select"}) {
      // PyTorch's gather takes 64-bit indices only.
      cases.push_back({.group = "gather-indexed",
                       .label = fmt::format("{}, {}", pattern, call),
                       .kernel = "gather",
                       .axes = {{"mode", "indexed"},
                                {"n", "2^28"},
                                {"pattern", pattern},
                                {"index_type", call == "gather" ? "i64" : "i32"}},
                       .peer = "torch " + call,
                       .goal = 1.0});
    }
  }
}

void add_matmuls(std::vector<Case>& cases) {
  for (const int n : {512, 1024, 1536, 2048, 3000, 4096, 8192}) {
    cases.push_back({.group = "matmul",
                     .label = std::to_string(n),
                     .kernel = "matmul",
                     .axes = {{"n", std::to_string(n)}},
                     .peer = "cublas",
                     .goal = n == 512                 ? 1.4
                             : n == 1024 || n == 1536 ? 1.15
                                                      : 1.0});
  }
  const std::vector<std::array<const char*, 3>> shapes = {{"8192", "128", "8192"},
                                                          {"128", "8192", "8192"},
                                                          {"4096", "4096", "64"},
                                                          {"256", "256", "65536"},
                                                          {"1000", "1001", "7"}};
  for (const auto& [m, n, k] : shapes) {
    cases.push_back({.group = "matmul-shapes",
                     .label = fmt::format("{} x {} x {}", m, n, k),
                     .kernel = "matmul",
                     .axes = {{"m", m}, {"n", n}, {"k", k}},
                     .peer = "cublas",
                     .goal = 1.0});
  }
  for (const char* n : {"2048", "4096"}) {
    cases.push_back({.group = "matmul-f64",
                     .label = fmt::format("{} f64", n),
                     .kernel = "matmul",
                     .axes = {{"n", n}, {"dtype", "f64"}},
                     .peer = "cublas"});
  }
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_linear(cases);
  add_gathers(cases);
  add_matmuls(cases);
  return cases;
}

}  // namespace tuner::bench
