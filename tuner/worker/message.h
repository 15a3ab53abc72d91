// What goes over the channel between a measuring process and its parent, as MessagePack, since
// paths need not be UTF-8 and errors may be infinite. Each is an object with a "type".
//
//   request                      answers
//   {devices}                    {devices, devices: [LiveDevice], problem}
//   {occupancy, device,          {occupancy, answers: [DriverOccupancy]}
//    queries: [OccupancyQuery]}
//   {setup, setup}               {ready}
//   {measure, job}               {result, result, broken}
//   {compare, job}               {at, index}… before each piece of work on a job, then {compared,
//   results, broken} any                          {error, message} where it could not be done
//
// `broken`: the process ends by itself after this answer, since its context is lost.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tuner/worker/worker.h"

namespace tuner {

std::string to_message(const nlohmann::json& object);
// Throws TunerError where the bytes are no object with a "type".
nlohmann::json from_message(std::string_view bytes);

// The limits of the profile, and of its rates those that a driver knows.
void to_json(nlohmann::json& json, const LiveDevice& device);
void from_json(const nlohmann::json& json, LiveDevice& device);

}  // namespace tuner
