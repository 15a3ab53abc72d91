// Checks JSON documents against the schemas that ship with the tool.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tuner {

// Reads and parses; throws TunerError naming the file, line and column of a syntax error.
nlohmann::ordered_json read_json_file(const std::filesystem::path& path);

// `schema`: a file name under docs/schemas, such as "kernel.schema.json". Throws TunerError that
// names `file`, the JSON pointer, the value there and what was expected. `data`: where the schemas
// are; empty: data_folder().
void check_against_schema(const nlohmann::ordered_json& document, const std::string& schema,
                          const std::filesystem::path& file,
                          const std::filesystem::path& data = {});

}  // namespace tuner
