#include "models/device_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "expr/error.h"
#include "models/architecture.h"
#include "tests/models/known_devices.h"

namespace tuner::models {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

json least() {
  return json::parse(R"({"schema": "tuner.device", "version": 1, "name": "A GPU",
    "limits": {"compute_capability": 75, "sm_count": 40},
    "rates": {"core_clock_mhz": 1590, "dram_peak_gbps": 320}})");
}

TEST(DeviceProfile, ReadsWhatItWrites) {
  for (const DeviceProfile& device : known_devices()) {
    const json written = device;
    EXPECT_EQ(json(parse_device_profile(written, "written")), written) << device.id;
  }
}

TEST(DeviceProfile, FillsInWhatTheArchitectureDecides) {
  const DeviceProfile device = parse_device_profile(least(), "least");
  EXPECT_EQ(device.max_threads_per_sm, 1024);
  EXPECT_EQ(device.max_blocks_per_sm, 16);
  EXPECT_EQ(device.shared_per_sm, 65536);
  EXPECT_EQ(device.reserved_shared_per_block, 0);
  EXPECT_EQ(device.fp32_lanes_per_sm, 64);
  EXPECT_GT(device.dram_gbps, 250);
  EXPECT_LT(device.dram_gbps, 320);
  EXPECT_GT(device.blocks_per_us, 0);
}

TEST(DeviceProfile, IgnoresUnknownKeysAndOverridesKnownOnes) {
  json document = least();
  document["later"] = 1;
  document["limits"]["later"] = {1};
  document["limits"]["max_blocks_per_sm"] = 8;
  EXPECT_EQ(parse_device_profile(document, "file").max_blocks_per_sm, 8);
}

struct Mistake {
  const char* pointer;
  json value;
  const char* expected;
};

TEST(DeviceProfile, NamesFilePointerValueAndExpectation) {
  const Mistake mistakes[] = {
      {"/schema", "tuner.kernel", "\"tuner.device\" expected"},
      {"/version", 2, "1 (a newer tuner"},
      {"/name", 3, "a text expected"},
      {"/limits", json::array(), "an object expected"},
      {"/limits/sm_count", 0, "an integer from 1"},
      {"/limits/sm_count", 1.5, "an integer from 1"},
      {"/limits/sm_count", 1e12, "an integer from 1"},
      {"/limits/cooperative_launch", 1, "true or false expected"},
      {"/rates/core_clock_mhz", "fast", "a number of at least 1"},
      {"/rates/latency_norm", 0.5, "a number of at least 1"},
      {"/limits/compute_capability", 61, "61 is not known"},
  };
  for (const Mistake& mistake : mistakes) {
    json document = least();
    document[json::json_pointer(mistake.pointer)] = mistake.value;
    EXPECT_THAT([&] { parse_device_profile(document, "gpu.json"); },
                ThrowsMessage<TunerError>(AllOf(HasSubstr("gpu.json"), HasSubstr(mistake.pointer),
                                                HasSubstr(mistake.expected))));
  }
}

TEST(DeviceProfile, NamesWhatIsMissing) {
  json document = least();
  document["rates"].erase("dram_peak_gbps");
  EXPECT_THAT([&] { parse_device_profile(document, "gpu.json"); },
              ThrowsMessage<TunerError>(HasSubstr("/rates/dram_peak_gbps")));
  EXPECT_THAT([&] { parse_device_profile(json(3), "gpu.json"); },
              ThrowsMessage<TunerError>(HasSubstr("an object expected")));
  EXPECT_THAT([] { load_device_profile("no/such/file.json"); },
              ThrowsMessage<TunerError>(HasSubstr("no/such/file.json")));
}

TEST(KnownDevices, HaveTheirPublishedPeaks) {
  struct Peak {
    const char* id;
    double fp32_tflops;
    double fp64_tflops;
  };
  // Data sheets, in TFLOP/s at boost without tensor cores.
  const Peak peaks[] = {{"t4", 8.1, 0.25},       {"a100", 19.5, 9.7},  {"rtx3090", 35.6, 0.56},
                        {"rtx4090", 82.6, 1.29}, {"l40s", 91.6, 1.43}, {"h100", 66.9, 33.5},
                        {"h200", 66.9, 33.5},    {"b200", 74.5, 37.2}, {"rtx5090", 104.8, 1.64}};
  EXPECT_EQ(known_devices().size(), std::size(peaks));
  for (const Peak& peak : peaks) {
    const DeviceProfile device = known_device(peak.id);
    EXPECT_NEAR(device.fp32_gflops() * 1e-3, peak.fp32_tflops, 0.01 * peak.fp32_tflops) << peak.id;
    EXPECT_NEAR(device.fp64_gflops() * 1e-3, peak.fp64_tflops, 0.03 * peak.fp64_tflops) << peak.id;
    EXPECT_EQ(device.id, peak.id);
    EXPECT_EQ(device.rates_source, "specification");
    EXPECT_FALSE(device.sources.empty());
    EXPECT_LT(device.dram_gbps, device.dram_peak_gbps);
  }
}

}  // namespace
}  // namespace tuner::models
