#include "tuner/worker/driver_occupancy.h"

#include <fmt/format.h>

#include <memory>

#include "tuner/gpu/device.h"
#include "tuner/gpu/handles.h"
#include "tuner/os/files.h"
#include "tuner/worker/worker_client.h"

namespace tuner {
namespace {

DriverOccupancy ask(const Driver& driver, const OccupancyQuery& query) {
  const Module module = load_module(driver, read_file(query.cubin), query.cubin);
  CUfunction function = nullptr;
  driver.check(driver.module_get_function(&function, module.get(), query.lowered_name.c_str()),
               "cuModuleGetFunction of {}", query.lowered_name);
  // As a launch does: more than 48 KB have to be asked for.
  driver.check(driver.func_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         static_cast<int>(query.dynamic_shared)),
               "cuFuncSetAttribute of {} bytes of dynamic shared memory", query.dynamic_shared);
  const auto shared = static_cast<std::size_t>(query.dynamic_shared);
  DriverOccupancy answer;
  driver.check(driver.occupancy_blocks(&answer.blocks_per_sm, function, query.threads, shared),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor of {} threads", query.threads);
  driver.check(driver.occupancy_block_size(&answer.min_grid, &answer.suggested_block, function,
                                           nullptr, shared, 0),
               "cuOccupancyMaxPotentialBlockSize");
  return answer;
}

std::vector<DriverOccupancy> all_failed(std::size_t count, const std::string& problem) {
  DriverOccupancy failed;
  failed.problem = problem;
  return std::vector(count, failed);
}

}  // namespace

nlohmann::json answer_occupancy(const nlohmann::json& request) {
  const std::shared_ptr<const Driver> driver = load_driver();
  const PrimaryContext context =
      retain_context(*driver, device_at(*driver, request.at("device").get<int>()));
  std::vector<DriverOccupancy> answers;
  for (const auto& query : request.at("queries").get<std::vector<OccupancyQuery>>()) {
    try {
      answers.push_back(ask(*driver, query));
    } catch (const TunerError& error) {
      answers.push_back(all_failed(1, error.what()).front());
    }
  }
  return {{"type", "occupancy"}, {"answers", answers}};
}

std::vector<DriverOccupancy> driver_occupancy(int device, std::span<const OccupancyQuery> queries) {
  const WorkerOptions options;
  try {
    WorkerClient client(options);
    const std::vector<OccupancyQuery> all(queries.begin(), queries.end());
    const WorkerClient::Reply reply =
        client.ask({{"type", "occupancy"}, {"device", device}, {"queries", all}}, options.slack);
    if (reply.kind != WorkerClient::Reply::Kind::message) {
      return all_failed(queries.size(), reply.reason);
    }
    if (reply.message.at("type") != "occupancy") {
      return all_failed(queries.size(), reply.message.at("message").get<std::string>());
    }
    auto answers = reply.message.at("answers").get<std::vector<DriverOccupancy>>();
    client.end();
    if (answers.size() == queries.size()) return answers;
    return all_failed(queries.size(), "the measuring process answered something else");
  } catch (const std::exception& error) {
    return all_failed(queries.size(), error.what());
  }
}

void to_json(nlohmann::json& json, const OccupancyQuery& query) {
  json = {{"cubin", query.cubin},
          {"lowered_name", query.lowered_name},
          {"threads", query.threads},
          {"dynamic_shared", query.dynamic_shared}};
}
void from_json(const nlohmann::json& json, OccupancyQuery& query) {
  json.at("cubin").get_to(query.cubin);
  json.at("lowered_name").get_to(query.lowered_name);
  json.at("threads").get_to(query.threads);
  json.at("dynamic_shared").get_to(query.dynamic_shared);
}

void to_json(nlohmann::json& json, const DriverOccupancy& answer) {
  json = {{"blocks_per_sm", answer.blocks_per_sm},
          {"suggested_block", answer.suggested_block},
          {"min_grid", answer.min_grid},
          {"problem", answer.problem}};
}
void from_json(const nlohmann::json& json, DriverOccupancy& answer) {
  json.at("blocks_per_sm").get_to(answer.blocks_per_sm);
  json.at("suggested_block").get_to(answer.suggested_block);
  json.at("min_grid").get_to(answer.min_grid);
  json.at("problem").get_to(answer.problem);
}

}  // namespace tuner
