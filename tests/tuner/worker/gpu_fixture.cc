#include "tests/tuner/worker/gpu_fixture.h"

#include <cstdlib>
#include <string_view>
#include <utility>

namespace tuner {
namespace {

struct Source {
  std::string file;
  std::vector<std::string> entries;
  std::vector<std::string> symbols;
};

Source source_of(const std::string& file) {
  const std::vector<Source> all{
      {"good", {"good", "strided", "slow"}, {}},
      {"reference",
       {"reference", "reference_inout", "reference_count", "reference_factors", "reference_crash"},
       {}},
      {"writes_past_end", {"writes_past_end", "writes_before_start"}, {}},
      {"wrong_half", {"wrong_half", "wrong_last"}, {}},
      {"nan", {"nan_in_it"}, {}},
      {"counter", {"count_positive", "publish"}, {}},
      {"factors", {"scale_by_factors"}, {"factors"}},
      {"tensor_map", {"tensor_copy"}, {}}};
  for (const Source& source : all) {
    if (file == source.file) return source;
  }
  return {file, {file}, {}};
}

bool gpu_is_required() {
  const char* value = std::getenv("TUNER_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

std::unique_ptr<GpuTest::Shared> GpuTest::shared_;
std::string GpuTest::problem_;

void GpuTest::SetUpTestSuite() {
  const DeviceList list = list_devices();
  problem_ = list.problem;
  if (list.devices.empty()) return;
  auto shared = std::make_unique<Shared>();
  shared->device = list.devices.front();
  CompilerPoolOptions options;
  options.processes = 1;
  // Each test may be a process of its own; they share what is compiled.
  options.cache_folder = testing::TempDir() + "tuner-gpu-test-cubins";
  shared->compiler = make_compiler_pool(options);
  shared_ = std::move(shared);
}

void GpuTest::TearDownTestSuite() { shared_.reset(); }

void GpuTest::SetUp() {
  if (shared_ != nullptr) return;
  if (gpu_is_required()) FAIL() << problem_;
  GTEST_SKIP() << problem_;
}

const CompileResult& GpuTest::compiled(const std::string& file) {
  const auto known = shared_->compiled.find(file);
  if (known != shared_->compiled.end()) return known->second;
  const Source source = source_of(file);
  CompileJob job;
  job.label = file;
  job.source = std::string(FAULTS_FOLDER) + "/" + file + ".cu";
  job.entries = source.entries;
  job.symbols = source.symbols;
  job.architecture = shared_->device.profile.compute_capability;
  const CompileResult& result =
      shared_->compiled.emplace(file, compile_and_wait(*shared_->compiler, job)).first->second;
  EXPECT_EQ(result.status, CompileResult::Status::ok) << file << ": " << result.log;
  return result;
}

std::string GpuTest::cubin(const std::string& file) { return compiled(file).cubin; }

std::string GpuTest::symbol(const std::string& file) { return compiled(file).symbol_names.at(0); }

BufferSpec GpuTest::buffer(const std::string& name, const std::string& element, std::int64_t count,
                           bool input, bool output) {
  BufferSpec spec;
  spec.name = name;
  spec.element = element;
  spec.count = count;
  spec.input = input;
  spec.output = output;
  spec.init.low = output ? 1 : -1;
  spec.init.high = output ? 2 : 1;
  spec.init.seed = output ? 2 : 1;
  return spec;
}

LaunchArgument GpuTest::argument(LaunchArgument::Kind kind, const std::string& name) {
  LaunchArgument result;
  result.kind = kind;
  result.name = name;
  return result;
}

LaunchArgument GpuTest::scalar(const std::string& name, const std::string& type,
                               const Value& value) {
  LaunchArgument result;
  result.name = name;
  result.type = type;
  result.value = value;
  return result;
}

LaunchStep GpuTest::step(const std::string& entry) {
  LaunchStep result;
  result.lowered_name = entry;
  result.grid = {(kCount + 255) / 256, 1, 1};
  result.block = {256, 1, 1};
  result.arguments = {argument(LaunchArgument::Kind::buffer, "x"),
                      argument(LaunchArgument::Kind::buffer, "y"), scalar("n", "i64", kCount),
                      scalar("a", "f32", kFactor)};
  return result;
}

MeasureJob GpuTest::job(const std::string& file, const std::string& entry) {
  MeasureJob result;
  result.id = entry;
  result.cubin = cubin(file);
  result.steps = {step(entry)};
  return result;
}

MeasureSetup GpuTest::setup(const std::string& entry, bool inout) {
  MeasureSetup result;
  result.buffers = {buffer("x", "f32", kCount, true, false),
                    buffer("y", "f32", kCount, inout, true)};
  result.verification.reference_cubin = cubin("reference");
  LaunchStep reference = step(entry);
  reference.arguments[1] = argument(LaunchArgument::Kind::reference_output, "y");
  if (inout) {
    reference.arguments.insert(reference.arguments.begin() + 1,
                               argument(LaunchArgument::Kind::buffer, "y.initial"));
  }
  result.verification.reference = {reference};
  result.verification.relative = 1e-6;
  result.verification.absolute = 1e-6;
  result.sampling.max_ms = 50;
  result.run_timeout_ms = 1000;
  return result;
}

}  // namespace tuner
