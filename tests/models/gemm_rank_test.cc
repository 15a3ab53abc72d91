// The un-fitted model against 17,956 measured configurations of another tool's GEMM. Reads the
// public data in the folder TUNER_PUBLIC_DATA; skips where that is unset.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tests/models/clblast_gemm.h"
#include "tests/models/known_devices.h"

namespace tuner::models {
namespace {

constexpr int kSize = 4096;

std::string inflate_file(const std::filesystem::path& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  std::array<char, 1 << 16> part{};
  for (int read = 0; (read = gzread(file, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(read));
  }
  gzclose(file);
  return text;
}

struct Measured {
  GemmParameters parameters;
  double time = 0;       // ms
  double predicted = 0;  // ns
};

std::vector<Measured> read_measurements(const std::filesystem::path& path) {
  const nlohmann::json document = nlohmann::json::parse(inflate_file(path));
  std::vector<Measured> result;
  for (const auto& [key, record] : document.at("cache").items()) {
    if (!record.at("time").is_number()) continue;
    Measured each;
    for (const auto& name : document.at("tune_params_keys")) {
      each.parameters[name.get<std::string>()] = record.at(name.get<std::string>()).get<int>();
    }
    each.time = record.at("time").get<double>();
    result.push_back(each);
  }
  return result;
}

// Ranks from 0; equals share the middle of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) {
      result[order[i]] = static_cast<double>(first + last) / 2;
    }
    first = last + 1;
  }
  return result;
}

double spearman(const std::vector<double>& left, const std::vector<double>& right) {
  const std::vector<double> a = ranks(left);
  const std::vector<double> b = ranks(right);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(GemmRank, FollowsTheMeasuredTimesOfAnRtx3090) {
  const char* folder = std::getenv("TUNER_PUBLIC_DATA");  // NOLINT(concurrency-mt-unsafe)
  const std::filesystem::path path =
      std::filesystem::path(folder == nullptr ? "" : folder) / "gemm_RTX3090_cache.json.gz";
  if (folder == nullptr || !std::filesystem::exists(path)) {
    GTEST_SKIP() << "set TUNER_PUBLIC_DATA to the folder of " << path.filename();
  }
  const DeviceProfile device = known_device("rtx3090");
  std::vector<Measured> all = read_measurements(path);
  ASSERT_GT(all.size(), 17000U);
  std::vector<double> times, predictions;
  for (Measured& each : all) {
    each.predicted = estimate(device, clblast_gemm(device, each.parameters, kSize)).time_ns;
    times.push_back(each.time);
    predictions.push_back(each.predicted);
  }
  const double best = *std::min_element(times.begin(), times.end());
  std::sort(all.begin(), all.end(),
            [](const Measured& a, const Measured& b) { return a.predicted < b.predicted; });
  const auto best_of = [&](std::ptrdiff_t count) {
    double least = all.front().time;
    for (auto it = all.begin(); it != all.begin() + count; ++it) least = std::min(least, it->time);
    return best / least;
  };
  const double correlation = spearman(times, predictions);
  RecordProperty("spearman", std::to_string(correlation));
  RecordProperty("top1", std::to_string(best_of(1)));
  RecordProperty("top16", std::to_string(best_of(16)));
  EXPECT_GE(correlation, 0.9);
  EXPECT_GE(best_of(16), 0.95);
  EXPECT_GE(best_of(1), 0.9);
}

}  // namespace
}  // namespace tuner::models
