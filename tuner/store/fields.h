// Reading the fields of a JSON object of one of the tool's files, with errors that name the file,
// the JSON pointer, and what was expected; and what was not read, so that it can be kept.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tuner/store/named_values.h"

namespace tuner {

// Looks into a JSON object that must outlive it. Every reader throws TunerError; those with a
// fallback give it where the key is missing.
class Fields {
 public:
  // `where` begins each message: "configs/matmul/h200.json: /entries/0", or with an empty pointer
  // "configs/matmul/h200.json: ".
  Fields(const nlohmann::ordered_json& object, std::string where);

  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, std::string fallback) const;
  double number(const std::string& key) const;
  double number_or(const std::string& key, double fallback) const;  // null reads as NaN
  std::int64_t integer(const std::string& key) const;
  std::int64_t integer_or(const std::string& key, std::int64_t fallback) const;
  bool boolean_or(const std::string& key, bool fallback) const;
  NamedValues values(const std::string& key) const;
  const nlohmann::ordered_json& array(const std::string& key) const;
  const nlohmann::ordered_json& object(const std::string& key) const;
  // Null where the key is missing.
  const nlohmann::ordered_json* optional(const std::string& key) const;

  std::string where(const std::string& key) const { return where_ + "/" + key; }
  nlohmann::ordered_json unread() const;  // the keys that no reader was asked for

 private:
  const nlohmann::ordered_json& required(const std::string& key) const;
  std::string own_place() const;
  [[noreturn]] void fail(const std::string& key, std::string_view expected) const;

  const nlohmann::ordered_json& object_;
  std::string where_;
  mutable std::set<std::string> read_;
};

// The text as JSON. Throws TunerError naming `origin`, the place, and that it was left as it is.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& origin);

// The version of a file that must be of `schema`. Throws TunerError for another schema, and for a
// version beyond `newest`, which only a newer tool can read. Versions begin with 1.
std::int64_t check_schema(const nlohmann::ordered_json& json, const std::string& schema,
                          std::int64_t newest, const std::string& origin);

// Without exceptions for bytes that are no UTF-8, as compilers' messages may hold.
std::string dump_json(const nlohmann::ordered_json& json, int indent);

}  // namespace tuner
