#include "tuner/worker/worker_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <thread>

#include "expr/error.h"
#include "tuner/measure/json.h"
#include "tuner/worker/deadlines.h"
#include "tuner/worker/message.h"

namespace tuner {
namespace {

using testing::HasSubstr;

// A hang is noticed after this and some milliseconds more.
constexpr std::chrono::milliseconds kSlack{1500};

WorkerOptions fake(std::vector<std::string> arguments, std::chrono::milliseconds slack = kSlack) {
  arguments.insert(arguments.begin(), FAKE_WORKER);
  return {std::move(arguments), slack};
}

MeasureSetup setup() {
  MeasureSetup result;
  result.run_timeout_ms = 1;
  result.sampling.max_ms = 1;
  return result;
}

MeasureJob job(const std::string& id) {
  MeasureJob result;
  result.id = id;
  return result;
}

struct Misdeed {
  const char* id;
  const char* status;
  const char* reason;
};

class Misbehaving : public testing::TestWithParam<Misdeed> {};

TEST_P(Misbehaving, CostsOneConfiguration) {
  const auto worker = make_worker(setup(), fake({"serve"}));
  EXPECT_EQ(worker->measure(job("before")).status, "ok");
  const MeasureResult result = worker->measure(job(GetParam().id));
  EXPECT_EQ(result.id, GetParam().id);
  EXPECT_EQ(result.status, GetParam().status);
  EXPECT_THAT(result.reason, HasSubstr(GetParam().reason));
  const MeasureResult after = worker->measure(job("after"));
  EXPECT_EQ(after.status, "ok");
  EXPECT_EQ(after.id, "after");
}

INSTANTIATE_TEST_SUITE_P(Kinds, Misbehaving,
                         testing::Values(Misdeed{"crash", "crash", "killed by signal 9"},
                                         Misdeed{"exit", "crash", "exit code 7"},
                                         Misdeed{"hang", "timeout", "no answer"},
                                         Misdeed{"garbage", "crash", "cannot be understood"},
                                         Misdeed{"shapeless", "crash", "cannot be understood"},
                                         Misdeed{"error", "crash", "no luck"},
                                         Misdeed{"broken", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"}),
                         [](const auto& instance) { return std::string(instance.param.id); });

TEST(Worker, KeepsItsProcessAsLongAsItIsSound) {
  const auto worker = make_worker(setup(), fake({"serve"}));
  const double first = worker->measure(job("a")).clock_mhz;
  EXPECT_EQ(worker->measure(job("wrong")).status, "wrong");
  EXPECT_EQ(worker->measure(job("b")).clock_mhz, first);
  worker->measure(job("broken"));
  EXPECT_NE(worker->measure(job("c")).clock_mhz, first);
}

TEST(Worker, SetsUpASecondTime) {
  const std::string marker =
      std::filesystem::temp_directory_path() / ("tuner-worker-" + std::to_string(::getpid()));
  std::filesystem::remove(marker);
  const auto worker = make_worker(setup(), fake({"fail-first", marker}));
  EXPECT_EQ(worker->measure(job("a")).status, "ok");
  std::filesystem::remove(marker);
}

TEST(Worker, GivesUpWhenSetupFailsTwice) {
  const auto worker = make_worker(setup(), fake({"fail-setup"}));
  try {
    worker->measure(job("a"));
    FAIL() << "nothing was thrown";
  } catch (const TunerError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::ended_early);
    EXPECT_THAT(error.what(), HasSubstr("no memory"));
  }
}

TEST(Worker, SaysThatItCannotBeStarted) {
  const auto worker = make_worker(setup(), WorkerOptions{{"/there/is/no/such/file"}, kSlack});
  EXPECT_THROW(worker->measure(job("a")), TunerError);
}

// A cancel() that comes between two calls has nothing to end, so it is repeated until the call is
// over.
MeasureResult cancelled(Measurer& worker) {
  std::atomic<bool> done{false};
  std::jthread canceller([&] {
    while (!done) {
      worker.cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  MeasureResult result = worker.measure(job("hang"));
  done = true;
  return result;
}

TEST(Worker, IsCancelledFromAnotherThread) {
  const auto worker = make_worker(setup(), fake({"serve"}, std::chrono::minutes(10)));
  const MeasureResult result = cancelled(*worker);
  EXPECT_EQ(result.status, "crash");
  EXPECT_EQ(result.reason, "cancelled");
  EXPECT_EQ(worker->measure(job("after")).status, "ok");
  worker->cancel();  // nothing runs
  EXPECT_EQ(worker->measure(job("after")).status, "ok");
}

CompareJob comparison(const std::vector<std::string>& ids) {
  CompareJob result;
  for (const std::string& id : ids) result.jobs.push_back(job(id));
  result.rounds = 3;
  return result;
}

std::vector<std::string> statuses(const std::vector<MeasureResult>& results) {
  std::vector<std::string> found;
  for (const MeasureResult& result : results) found.push_back(result.id + ": " + result.status);
  return found;
}

TEST(WorkerCompare, UsesAFreshProcess) {
  const auto worker = make_worker(setup(), fake({"serve"}));
  const double first = worker->measure(job("a")).clock_mhz;
  const auto results = worker->compare(comparison({"a", "b"}));
  EXPECT_THAT(statuses(results), testing::ElementsAre("a: ok", "b: ok"));
  EXPECT_NE(results[0].clock_mhz, first);
  EXPECT_EQ(results[0].clock_mhz, results[1].clock_mhz);
  EXPECT_TRUE(worker->compare(comparison({})).empty());
}

TEST(WorkerCompare, LeavesOutWhatEndsTheProcess) {
  const auto worker = make_worker(setup(), fake({"serve"}));
  const auto results = worker->compare(
      comparison({"a", "crash", "b", "hang", "broken", "crash-late", "c", "wrong"}));
  EXPECT_THAT(statuses(results),
              testing::ElementsAre("a: ok", "crash: crash", "b: ok", "hang: timeout",
                                   "broken: crash", "crash-late: crash", "c: ok", "wrong: wrong"));
  EXPECT_THAT(results[1].reason, HasSubstr("signal 9"));
  EXPECT_EQ(results[4].reason, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(worker->measure(job("after")).status, "ok");
}

TEST(WorkerCompare, OfGarbageAlone) {
  const auto worker = make_worker(setup(), fake({"serve"}));
  EXPECT_THAT(statuses(worker->compare(comparison({"garbage", "error"}))),
              testing::ElementsAre("garbage: crash", "error: crash"));
}

TEST(ListDevices, SaysWhyThereAreNone) {
  const DeviceList ended = list_devices(WorkerOptions{{"/bin/true"}, kSlack});
  EXPECT_TRUE(ended.devices.empty());
  EXPECT_THAT(ended.problem, HasSubstr("could not be listed"));
  const DeviceList silent = list_devices(fake({"silent"}, std::chrono::milliseconds(200)));
  EXPECT_TRUE(silent.devices.empty());
  EXPECT_THAT(silent.problem, HasSubstr("no answer"));
  const DeviceList missing = list_devices(WorkerOptions{{"/there/is/no/such/file"}, kSlack});
  EXPECT_FALSE(missing.problem.empty());
}

// The process of this very test (see its main).
TEST(ListDevices, OfThisMachine) {
  const DeviceList list = list_devices();
  EXPECT_EQ(list.devices.empty(), !list.problem.empty()) << list.problem;
}

TEST(WorkerProcess, AnswersWhatItCannotDo) {
  WorkerClient client{WorkerOptions{}};
  const auto refused = client.ask({{"type", "dance"}}, std::chrono::minutes(1));
  EXPECT_EQ(refused.message.at("type"), "error");
  const auto early = client.ask({{"type", "measure"}, {"job", job("a")}}, std::chrono::minutes(1));
  EXPECT_THAT(early.message.at("message").get<std::string>(), HasSubstr("set up"));
  client.end();
}

TEST(LiveDeviceJson, RoundTrips) {
  LiveDevice device;
  device.index = 2;
  device.uuid = "GPU-1";
  device.driver_version = "580.1";
  device.driver_cuda_version = 13000;
  device.free_bytes = 123456789012;
  device.profile.name = "NVIDIA X";
  device.profile.compute_capability = 130;  // newer than what is known
  device.profile.shared_per_block_optin = 232448;
  device.profile.cooperative_launch = false;
  const auto copy =
      nlohmann::json::from_msgpack(nlohmann::json::to_msgpack(device)).get<LiveDevice>();
  EXPECT_EQ(nlohmann::json(copy), nlohmann::json(device));
  EXPECT_EQ(copy.profile.compute_capability, 130);
  EXPECT_EQ(copy.free_bytes, 123456789012);
}

TEST(Deadlines, GrowWithWhatIsAllowed) {
  using std::chrono::milliseconds;
  MeasureSetup plain = setup();
  EXPECT_EQ(measure_deadline(plain, milliseconds(1000)), milliseconds(1024));
  EXPECT_EQ(setup_deadline(plain, milliseconds(1000)), milliseconds(1000));
  plain.verification.reference_cubin = "reference.cubin";
  EXPECT_EQ(setup_deadline(plain, milliseconds(1000)), milliseconds(61000));
  BufferSpec huge;
  huge.count = std::numeric_limits<std::int64_t>::max();
  plain.buffers = {huge};
  EXPECT_GT(setup_deadline(plain, milliseconds(0)), std::chrono::hours(24));
  plain.run_timeout_ms = 1e300;
  EXPECT_GT(measure_deadline(plain, milliseconds(0)), std::chrono::hours(24));
}

}  // namespace
}  // namespace tuner
