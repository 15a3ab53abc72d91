// Tuned kernels beside the vendor's libraries, in one run: see --help and docs/results.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <set>

#include "expr/error.h"
#include "tests/bench/peers/library_peer.h"
#include "tests/bench/peers/report.h"
#include "tests/bench/peers/torch_peer.h"
#include "tuner/os/files.h"
#include "tuner/store/configs_folders.h"
#include "tuner/store/result.h"

namespace tuner::bench {
namespace {

struct Options {
  std::string configs = "configs", cache = "both", json, markdown;
  std::vector<std::string> only;
  int rounds = 31;
  std::uint64_t seed = 1;
};

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), gpu_(0), compiler_(make_compiler_pool({})) {}

  const Gpu& gpu() const { return gpu_; }

  Row run(const Case& what, CacheMode cache) {
    Row row{what, cache, std::nullopt, ""};
    try {
      row.ratio = ratio_of(what, cache, row.problem);
    } catch (const TunerError& error) {
      row.problem = error.what();
    }
    return row;
  }

 private:
  TunedProblem problem_of(const Case& what) const {
    std::filesystem::path configs = options_.configs;
    if (!what.variant.empty()) configs = configs / "variants" / what.variant;
    return {what.kernel, what.axes, configs};
  }

  std::optional<Ratio> ratio_of(const Case& what, CacheMode cache, std::string& problem) {
    TunedKernel tuned(gpu_, *compiler_, problem_of(what), cache);
    TimedSide ours(tuned);
    const std::string torch = "torch ";
    if (what.peer.starts_with(torch)) {
      const auto n = std::get<std::int64_t>(*tuned.kernel().problem().find("n"));
      const auto side = make_torch_side({n, to_string(*tuned.kernel().problem().find("pattern")),
                                         what.peer.substr(torch.size()), cache == CacheMode::cold},
                                        problem);
      if (side == nullptr) return std::nullopt;
      return compare(ours, *side, options_.rounds, options_.seed, what.scale);
    }
    if (what.peer == "copy") {
      // Useful bytes are those of a copy of as many floats.
      const double elements = tuned.kernel().useful_bytes() / (2 * sizeof(float));
      TunedKernel copy(gpu_, *compiler_,
                       {"copy", {{"n", fmt::format("{:.0f}", elements)}}, options_.configs}, cache);
      TimedSide peer(copy);
      return compare(ours, peer, options_.rounds, options_.seed, what.scale);
    }
    const auto library = make_library_peer(what.peer, gpu_, tuned);
    tuned.verify(*library, library->describe());
    TimedSide peer(*library);
    return compare(ours, peer, options_.rounds, options_.seed, what.scale);
  }

  Options options_;
  Gpu gpu_;
  std::unique_ptr<Compiler> compiler_;
};

std::vector<CacheMode> modes(const std::string& name) {
  if (name == "both") return {CacheMode::warm, CacheMode::cold};
  return {name == "cold" ? CacheMode::cold : CacheMode::warm};
}

int run(const Options& options, const std::string& command) {
  std::vector<Case> cases = all_cases();
  if (!options.only.empty()) {
    std::erase_if(cases, [&](const Case& one) {
      return std::find(options.only.begin(), options.only.end(), one.group) == options.only.end();
    });
  }
  Bench bench(options);
  std::vector<Row> rows;
  for (const Case& what : cases) {
    for (const CacheMode cache : modes(options.cache)) {
      rows.push_back(bench.run(what, cache));
      fmt::print("{}", markdown_table({rows.back()}).substr(markdown_table({}).size()));
      std::fflush(stdout);
    }
  }
  RunFacts facts{
      .gpu = bench.gpu().profile().name,
      .driver = bench.gpu().nvml() == nullptr ? "" : bench.gpu().nvml()->driver_version(),
      .cuda = nvrtc_info().version,
      .date = utc_now(),
      .command = command,
      .rounds = options.rounds};
  if (!options.json.empty())
    write_file_atomically(options.json, to_json_document(rows, facts).dump(1) + "\n");
  if (!options.markdown.empty()) write_file_atomically(options.markdown, markdown_table(rows));
  const auto failed =
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.ratio; });
  return failed == 0 ? 0 : static_cast<int>(ExitCode::no_valid_config);
}

std::vector<std::string> groups() {
  std::vector<std::string> names;
  for (const Case& one : all_cases()) {
    if (names.empty() || names.back() != one.group) names.push_back(one.group);
  }
  return names;
}

int parse_and_run(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Times tuned kernels beside CUB, cudaMemcpy, cuBLAS and PyTorch: the same buffers, cache "
      "mode and launches a sample, in turns. Prints peer's time / ours."};
  app.add_option("--configs", options.configs, "folder of the tuned results")
      ->capture_default_str();
  app.add_option("--only", options.only, "these groups")
      ->delimiter(',')
      ->check(CLI::IsMember(groups()));
  app.add_option("--cache", options.cache, "mode of both sides")
      ->check(CLI::IsMember({"warm", "cold", "both"}))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "pairs of samples")
      ->check(CLI::Range(6, 10000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the order within pairs")->capture_default_str();
  app.add_option("--json", options.json, "file to write");
  app.add_option("--markdown", options.markdown, "file to write");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::bad_input);
  }
  std::string command = "peers_bench";
  for (int i = 1; i < argc; ++i) command += fmt::format(" {}", argv[i]);
  return run(options, command);
}

}  // namespace
}  // namespace tuner::bench

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::string(argv[1]) == "compile-process") return tuner::run_compile_process();
    return tuner::bench::parse_and_run(argc, argv);
  } catch (const tuner::TunerError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
