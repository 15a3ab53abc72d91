#include "tuner/report/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace tuner {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

std::size_t announced_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool is_scalar(std::uint32_t code, std::size_t bytes) {
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return code >= kLeast[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = announced_bytes(lead);
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = bytes == 1 ? lead : lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3FU);
  }
  return is_scalar(code, bytes) ? Character{code, bytes} : Character{};
}

// `one` says what a character becomes; an empty answer keeps it.
template <typename Replace>
std::string mapped(std::string_view text, Replace replace) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character one = first_of(text);
    if (one.bytes == 0) {
      result += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    const std::string other = replace(one.code);
    result += other.empty() ? text.substr(0, one.bytes) : std::string_view(other);
    text.remove_prefix(one.bytes);
  }
  return result;
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// Embeddings, overrides and isolates of the bidirectional algorithm, and the line separators.
bool turns_text(std::uint32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0x200E || code == 0x200F || code == 0x2028 || code == 0x2029;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  return mapped(text, [](std::uint32_t) { return std::string(); });
}

std::string html_escaped(std::string_view text) {
  return mapped(text, [](std::uint32_t code) -> std::string {
    switch (code) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '"':
        return "&quot;";
      case '\'':
        return "&#39;";
      case '\n':
      case '\t':
        return {};
      default:
        return is_control(code) || turns_text(code) ? std::string(kReplacement) : "";
    }
  });
}

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return mapped(text, [](std::uint32_t code) -> std::string {
    if (code == '<') return "\\u003c";
    return code == 0x2028 || code == 0x2029 ? fmt::format("\\u{:04x}", code) : "";
  });
}

std::string csv_field(std::string_view text) {
  std::string field = valid_utf8(text);
  constexpr std::string_view kFormula = "=+-@\t\r";
  if (!field.empty() && kFormula.find(field[0]) != std::string_view::npos && !is_number(field)) {
    field.insert(field.begin(), '\'');
  }
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string terminal_safe(std::string_view text) {
  return mapped(text, [](std::uint32_t code) -> std::string {
    if (code == '\n') return "\\n";
    if (code == '\t') return "\\t";
    if (is_control(code)) return fmt::format("\\x{:02x}", code);
    return turns_text(code) ? fmt::format("\\u{:04x}", code) : "";
  });
}

}  // namespace tuner
