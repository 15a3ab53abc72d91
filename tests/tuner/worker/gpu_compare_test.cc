// Finalists are measured again in a fresh process, without what breaks it.
#include <thread>

#include "tests/tuner/worker/gpu_fixture.h"

namespace tuner {
namespace {

class GpuCompare : public GpuTest {};

TEST_F(GpuCompare, LeavesOutWhatBreaksTheProcess) {
  const auto worker = make_worker(setup());
  CompareJob job;
  job.jobs = {good(),
              GpuTest::job("out_of_bounds", "out_of_bounds"),
              GpuTest::job("good", "strided"),
              GpuTest::job("endless", "endless"),
              GpuTest::job("wrong_half", "wrong_half"),
              GpuTest::job("too_many_threads", "too_many_threads"),
              GpuTest::job("good", "slow")};
  job.rounds = 7;
  const std::vector<MeasureResult> results = worker->compare(job);
  const char* const expected[] = {"ok", "crash", "ok", "timeout", "wrong", "launch_error", "ok"};
  ASSERT_EQ(results.size(), job.jobs.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].id, job.jobs[i].id);
    EXPECT_EQ(results[i].status, expected[i]) << results[i].reason;
    EXPECT_EQ(results[i].samples, results[i].status == "ok" ? 7 : 0);
    EXPECT_EQ(results[i].verified, results[i].status == "ok");
  }
  EXPECT_GT(results[6].time_ns, 2 * results[0].time_ns);
  EXPECT_EQ(outcome(worker->measure(good())), "ok");
}

TEST_F(GpuCompare, IsCancelled) {
  MeasureSetup patient = setup();
  patient.run_timeout_ms = 60000;
  const auto worker = make_worker(patient);
  ASSERT_EQ(outcome(worker->measure(good())), "ok");
  std::jthread canceller([&worker] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    worker->cancel();
  });
  const MeasureResult result = worker->measure(job("endless", "endless"));
  EXPECT_EQ(outcome(result), "crash: cancelled");
  EXPECT_EQ(outcome(worker->measure(good())), "ok");
}

}  // namespace
}  // namespace tuner
