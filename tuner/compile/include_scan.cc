#include "tuner/compile/include_scan.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>
#include <system_error>

#include "expr/error.h"
#include "tuner/os/files.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// A file as young as this may change again within the resolution of its time stamp: not remembered.
constexpr std::chrono::seconds kSettled{2};

// Joins lines that end in a backslash.
std::string spliced(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\\\n") {
      ++i;
    } else if (text.substr(i, 3) == "\\\r\n") {
      i += 2;
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

// Where the operand of the next #include (or #include_next) begins; npos after the last.
std::size_t next_operand(std::string_view text, std::size_t from) {
  constexpr std::string_view kWord = "include";
  for (std::size_t hash = text.find('#', from); hash != std::string_view::npos;
       hash = text.find('#', hash + 1)) {
    std::size_t at = skip_blanks(text, hash + 1);
    if (text.substr(at, kWord.size()) != kWord) continue;
    at += kWord.size();
    if (text.substr(at, 5) == "_next") at += 5;
    return skip_blanks(text, at);
  }
  return std::string_view::npos;
}

std::optional<fs::path> existing(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  return path.lexically_normal();
}

std::optional<fs::path> resolve(const IncludeLine& line, const fs::path& includer,
                                const std::vector<fs::path>& include_dirs) {
  if (line.quoted) {
    if (auto found = existing(includer.parent_path() / line.name)) return found;
  }
  for (const fs::path& folder : include_dirs) {
    if (auto found = existing(folder / line.name)) return found;
  }
  return std::nullopt;
}

// Adds the file where it is new.
std::size_t index_in(std::vector<fs::path>& files, const fs::path& file) {
  const auto found = std::find(files.begin(), files.end(), file);
  const auto index = static_cast<std::size_t>(found - files.begin());
  if (found == files.end()) files.push_back(file);
  return index;
}

std::string hash_of(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

IncludeLines find_includes(std::string_view text) {
  const std::string joined = spliced(text);
  IncludeLines result;
  std::size_t at = next_operand(joined, 0);
  for (; at != std::string::npos; at = next_operand(joined, at)) {
    const char open = at < joined.size() ? joined[at] : '\0';
    if (open != '"' && open != '<') {
      const bool name = std::isalpha(static_cast<unsigned char>(open)) != 0 || open == '_';
      result.computed = result.computed || name;
      continue;
    }
    const std::size_t end = joined.find_first_of(open == '"' ? "\"\n" : ">\n", at + 1);
    if (end == std::string::npos || joined[end] == '\n') continue;
    result.includes.push_back({joined.substr(at + 1, end - at - 1), open == '"'});
  }
  return result;
}

std::shared_ptr<const IncludeScanner::File> IncludeScanner::load(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  const std::int64_t time = written.time_since_epoch().count();
  const std::uintmax_t size = fs::file_size(path, error);
  {
    const std::lock_guard lock(mutex_);
    const auto known = files_.find(path);
    if (known != files_.end() && known->second->time == time && known->second->size == size) {
      return known->second;
    }
  }
  const std::string content = read_file(path);
  auto file =
      std::make_shared<const File>(File{time, size, hash_of(content), find_includes(content)});
  if (!error && fs::file_time_type::clock::now() - written > kSettled) {
    const std::lock_guard lock(mutex_);
    files_[path] = file;
  }
  return file;
}

SourceScan IncludeScanner::scan(const fs::path& source, const std::vector<fs::path>& include_dirs,
                                const std::vector<std::string>& forced) {
  // The source's folder is searched for <…> too: it is the first of the compiler's include folders.
  std::vector<fs::path> folders{source.parent_path()};
  folders.insert(folders.end(), include_dirs.begin(), include_dirs.end());
  SourceScan result;
  result.files.push_back(source.lexically_normal());
  const auto follow = [&](const IncludeLine& line, const fs::path& includer) {
    const auto header = resolve(line, includer, folders);
    result.digest += line.name + "\n";
    if (header) result.digest += std::to_string(index_in(result.files, *header)) + "\n";
  };
  for (const std::string& name : forced) follow({name, true}, source);
  for (std::size_t i = 0; i < result.files.size(); ++i) {
    const fs::path path = result.files[i];
    std::shared_ptr<const File> file;
    try {
      file = load(path);
    } catch (const TunerError&) {
      if (i == 0) throw;
      continue;
    }
    result.complete = result.complete && !file->lines.computed;
    result.digest += file->hash;
    for (const IncludeLine& line : file->lines.includes) follow(line, path);
  }
  return result;
}

}  // namespace tuner
