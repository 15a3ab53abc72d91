#include "tuner/worker/run_once.h"

#include <chrono>
#include <utility>

#include "tuner/measure/json.h"
#include "tuner/measure/prepared_job.h"
#include "tuner/os/files.h"
#include "tuner/worker/message.h"

namespace tuner {

void write_run_once(const std::filesystem::path& file, MeasureSetup setup, const MeasureJob& job) {
  setup.verification = {};
  write_file_atomically(file, to_message({{"type", "run_once"}, {"setup", setup}, {"job", job}}));
}

int run_once(const std::filesystem::path& file) {
  // A profiler runs each kernel many times over.
  constexpr std::chrono::minutes kLimit{10};
  const nlohmann::json message = from_message(read_file(file));
  const auto setup = message.at("setup").get<MeasureSetup>();
  const Gpu gpu(setup.device);
  const ProblemBuffers buffers(gpu, setup.buffers);
  const PreparedJob job(gpu, buffers, message.at("job").get<MeasureJob>());
  job.enqueue(0);
  gpu.finish(kLimit);
  return 0;
}

}  // namespace tuner
