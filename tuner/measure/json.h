// Measuring jobs, and the plans in them, as JSON (or MessagePack, which keeps infinities and bytes
// that are no UTF-8). Reader and writer are always the same executable, so from_json wants every
// key: it throws nlohmann::json::exception for anything else.
#pragma once

#include <nlohmann/json.hpp>

#include "tuner/measure/job.h"

namespace tuner {

void to_json(nlohmann::json& json, const BufferInit& init);
void from_json(const nlohmann::json& json, BufferInit& init);
void to_json(nlohmann::json& json, const BufferSpec& buffer);
void from_json(const nlohmann::json& json, BufferSpec& buffer);
void to_json(nlohmann::json& json, const WorkspaceSpec& workspace);
void from_json(const nlohmann::json& json, WorkspaceSpec& workspace);
void to_json(nlohmann::json& json, const SymbolSpec& symbol);
void from_json(const nlohmann::json& json, SymbolSpec& symbol);
void to_json(nlohmann::json& json, const TensorMapSpec& map);
void from_json(const nlohmann::json& json, TensorMapSpec& map);
void to_json(nlohmann::json& json, const LaunchArgument& argument);
void from_json(const nlohmann::json& json, LaunchArgument& argument);
void to_json(nlohmann::json& json, const LaunchStep& step);
void from_json(const nlohmann::json& json, LaunchStep& step);
void to_json(nlohmann::json& json, const ElementCheck& check);
void from_json(const nlohmann::json& json, ElementCheck& check);

void to_json(nlohmann::json& json, const Verification& verification);
void from_json(const nlohmann::json& json, Verification& verification);
void to_json(nlohmann::json& json, const SamplingRule& rule);
void from_json(const nlohmann::json& json, SamplingRule& rule);
void to_json(nlohmann::json& json, const MeasureSetup& setup);
void from_json(const nlohmann::json& json, MeasureSetup& setup);
void to_json(nlohmann::json& json, const MeasureJob& job);
void from_json(const nlohmann::json& json, MeasureJob& job);
void to_json(nlohmann::json& json, const MeasureResult& result);
void from_json(const nlohmann::json& json, MeasureResult& result);
void to_json(nlohmann::json& json, const CompareJob& job);
void from_json(const nlohmann::json& json, CompareJob& job);

}  // namespace tuner
