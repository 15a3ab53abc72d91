#include "tuner/kernel/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace {

std::filesystem::path schema_file(const std::string& name, const std::filesystem::path& given) {
  const std::filesystem::path data = data_folder(given);
  for (const char* folder : {"schemas", "docs/schemas"}) {
    const auto path = data / folder / name;
    if (std::filesystem::exists(path)) return path;
  }
  throw TunerError(
      fmt::format("the schema {} is missing from {}; install the tool again", name, data.string()));
}

// valijson tells a place as "<root>", "[launches]", "[0]"; JSON pointers are what people know.
std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (const std::string& step : context) {
    if (step.size() > 2 && step.front() == '[') pointer += "/" + step.substr(1, step.size() - 2);
  }
  return pointer;
}

std::string value_at(const nlohmann::json& document, const std::string& pointer) {
  try {
    std::string text = document.at(nlohmann::json::json_pointer(pointer)).dump();
    if (text.size() > 120) text = text.substr(0, 117) + "...";
    return text;
  } catch (const nlohmann::json::exception&) {
    return "(absent)";
  }
}

// The deepest error says most: those above it only repeat that something below is wrong.
valijson::ValidationResults::Error deepest(valijson::ValidationResults& results) {
  valijson::ValidationResults::Error error, best;
  while (results.popError(error)) {
    if (best.context.empty() || error.context.size() > best.context.size()) best = error;
  }
  return best;
}

std::pair<int, int> line_and_column(const std::string& text, std::size_t byte) {
  const std::string before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  return {static_cast<int>(line) + 1,
          static_cast<int>(before.size() - (last == std::string::npos ? 0 : last + 1))};
}

}  // namespace

nlohmann::ordered_json read_json_file(const std::filesystem::path& path) {
  const std::string text = read_gzip_or_plain(path);
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto [line, column] = line_and_column(text, error.byte);
    std::string what = error.what();
    if (const auto at = what.find("syntax error"); at != std::string::npos) what = what.substr(at);
    throw TunerError(
        fmt::format("{}:{}:{}: not valid JSON: {}", path.string(), line, column, what));
  }
}

void check_against_schema(const nlohmann::ordered_json& document, const std::string& schema_name,
                          const std::filesystem::path& file, const std::filesystem::path& data) {
  const nlohmann::json schema_json =
      nlohmann::json::parse(read_file(schema_file(schema_name, data)));
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);

  const nlohmann::json plain = document;
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(plain), &results)) return;
  const auto error = deepest(results);
  const std::string pointer = pointer_of(error.context);
  throw TunerError(fmt::format("{}: at {}: {} (value: {})", file.string(),
                               pointer.empty() ? "/" : pointer, error.description,
                               value_at(plain, pointer)));
}

}  // namespace tuner
