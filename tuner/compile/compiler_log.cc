#include "tuner/compile/compiler_log.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace tuner {
namespace {

constexpr std::size_t kMaxReasonBytes = 240;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The text between `prefix` and `end`; empty where there is no prefix.
std::string_view text_after(std::string_view line, std::string_view prefix, std::string_view end) {
  const std::size_t at = line.find(prefix);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + prefix.size());
  return line.substr(0, std::min(line.find_first_of(end), line.size()));
}

// The number that stands before ` <unit>`, as 1024 in "1024 bytes smem"; 0 where there is none.
std::int64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t unit_at = line.find(unit);
  if (unit_at == std::string_view::npos || unit_at == 0) return 0;
  std::string_view head = line.substr(0, unit_at - 1);
  const std::size_t digits_at = head.find_last_not_of("0123456789") + 1;
  head.remove_prefix(digits_at);
  std::int64_t number = 0;
  std::from_chars(head.data(), head.data() + head.size(), number);
  return number;
}

int int_before(std::string_view line, std::string_view unit) {
  return static_cast<int>(number_before(line, unit));
}

void read_stack_line(std::string_view line, bool of_entry, EntryFacts& facts) {
  if (of_entry) {
    facts.stack_bytes = std::max(facts.stack_bytes, int_before(line, "bytes stack frame"));
  }
  facts.spill_store_bytes += int_before(line, "bytes spill stores");
  facts.spill_load_bytes += int_before(line, "bytes spill loads");
}

void read_usage_line(std::string_view line, EntryFacts& facts) {
  facts.registers = int_before(line, "registers");
  facts.barriers = int_before(line, "barriers");
  facts.static_shared = number_before(line, "bytes smem");
  facts.stack_bytes = std::max(facts.stack_bytes, int_before(line, "bytes cumulative stack size"));
}

bool reports_error(std::string_view line) {
  for (const std::string_view word : {"error", "fatal"}) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    // "error: x", "error #20-D: x", "ptxas error   : x", but not "3 errors detected".
    const std::string_view rest = line.substr(at + word.size());
    if (!rest.starts_with('s') && rest.find(':') != std::string_view::npos) return true;
  }
  return false;
}

// "/a/b/kernel.cu(3): error" → "kernel.cu(3): error".
std::string_view without_folders(std::string_view line) {
  const std::size_t position = line.find('(');
  if (position == std::string_view::npos || line.find(':') < position) return line;
  const std::size_t slash = line.substr(0, position).rfind('/');
  return slash == std::string_view::npos ? line : line.substr(slash + 1);
}

std::string shortened(std::string_view line) {
  if (line.size() <= kMaxReasonBytes) return std::string(line);
  std::size_t end = kMaxReasonBytes;
  // Not in the middle of a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return std::string(line.substr(0, end)) + "…";
}

}  // namespace

std::map<std::string, EntryFacts> parse_ptxas_info(std::string_view log) {
  std::map<std::string, EntryFacts> result;
  EntryFacts* current = nullptr;
  bool of_entry = true;
  for (const std::string_view line : lines_of(log)) {
    if (const auto name = text_after(line, "Compiling entry function '", "'"); !name.empty()) {
      current = &result[std::string(name)];
      current->lowered_name = name;
      of_entry = true;
    } else if (current == nullptr) {
      continue;
    } else if (const auto function = text_after(line, "Function properties for ", " \r");
               !function.empty()) {
      of_entry = function == current->lowered_name;
    } else if (line.find("bytes stack frame") != std::string_view::npos) {
      read_stack_line(line, of_entry, *current);
    } else if (line.find(": Used ") != std::string_view::npos) {
      read_usage_line(line, *current);
    }
  }
  return result;
}

std::string first_error(std::string_view log, std::string_view fallback) {
  // Where an entry's name is wrong, NVRTC reports a file of its own making.
  constexpr std::string_view kNameMap = "__nv_name_map";
  for (const std::string_view line : lines_of(log)) {
    if (!reports_error(line)) continue;
    if (!line.starts_with(kNameMap)) return shortened(without_folders(line));
    const std::size_t colon = line.find(": ");
    return shortened("in an entry's or a symbol's name: " + std::string(line.substr(colon + 2)));
  }
  return std::string(fallback);
}

}  // namespace tuner
