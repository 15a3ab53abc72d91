#include "tests/includes/include_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <regex>

namespace tuner::includes {
namespace {

// Which folders may name each CUDA header; the driver stays out of everything that needs no GPU.
const Arrows& cuda_header_homes() {
  static const Arrows homes = {
      {"cuda.h", {"tuner/gpu", "tuner/launch", "tuner/measure", "tuner/worker", "tuner/runtime"}},
      {"nvrtc.h", {"tuner/compile"}},
      {"nvml.h", {"tuner/gpu"}},
      {"cupti.h", {"tuner/gpu"}},
      {"cuda_occupancy.h", {"models"}},
  };
  return homes;
}

bool is_cuda_header(const std::string& path) {
  static const std::regex pattern("(cu(da|pti)|nvrtc|nvml)[A-Za-z_]*\\.h");
  return std::regex_match(path, pattern);
}

// Where the literal or comment that begins at `at` ends, as the offset past it; `at` where none
// begins.
std::size_t end_of_opaque(std::string_view source, std::size_t at) {
  const auto past = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = source.find(mark, from);
    return found == std::string_view::npos ? source.size() : found + mark.size();
  };
  const std::string_view rest = source.substr(at);
  if (rest.starts_with("//")) {
    return std::min(source.find('\n', at), source.size());
  }
  if (rest.starts_with("/*")) {
    return past("*/", at + 2);
  }
  if (rest.starts_with("R\"")) {
    const std::size_t open = std::min(source.find('(', at), source.size());
    return past(fmt::format("){}\"", source.substr(at + 2, open - at - 2)), open);
  }
  return at;
}

// The end of the quoted literal at `at`, which may hold what looks like a comment.
std::size_t end_of_quoted(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (std::size_t i = at + 1; i < source.size() && source[i] != '\n'; ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source[i] == quote) {
      return i + 1;
    }
  }
  return std::min(source.find('\n', at), source.size());
}

bool opens_literal(std::string_view source, std::size_t at) {
  const bool after_digit = at > 0 && std::isalnum(static_cast<unsigned char>(source[at - 1])) != 0;
  return source[at] == '"' || (source[at] == '\'' && !after_digit);  // 1'000 opens none
}

// The source with comments and raw strings blanked out, line by line as it was.
std::string without_comments(std::string_view source) {
  std::string kept;
  kept.reserve(source.size());
  for (std::size_t at = 0; at < source.size();) {
    if (const std::size_t end = end_of_opaque(source, at); end > at) {
      std::transform(source.begin() + static_cast<std::ptrdiff_t>(at),
                     source.begin() + static_cast<std::ptrdiff_t>(end), std::back_inserter(kept),
                     [](char c) { return c == '\n' ? c : ' '; });
      at = end;
    } else {
      const std::size_t next = opens_literal(source, at) ? end_of_quoted(source, at) : at + 1;
      kept += source.substr(at, next - at);
      at = next;
    }
  }
  return kept;
}

std::string library_folder(const std::string& library) {
  const std::string name = library.substr(std::string_view("tuner_").size());
  for (const std::string& folder : {name, "tuner/" + name}) {
    if (allowed_arrows().contains(folder)) {
      return folder;
    }
  }
  return {};
}

bool may_reach(const std::string& from, const std::string& to) {
  const auto arrows = allowed_arrows().find(from);
  return from == to || arrows == allowed_arrows().end() || arrows->second.contains(to);
}

// What is wrong with an include of a folder of the project, or of what claims to be one.
std::string quoted_violation(const std::string& from, const Include& include,
                             const std::function<bool(const std::string&)>& exists) {
  const std::string to = folder_of(include.path);
  if (to.empty() || include.path.find("..") != std::string::npos) {
    return fmt::format("\"{}\" is not relative to the root", include.path);
  }
  if (!exists(include.path)) {
    return fmt::format("\"{}\" is not there", include.path);
  }
  if (to == "tests" && from != "tests") {
    return fmt::format("\"{}\" belongs to the tests", include.path);
  }
  if (!may_reach(from, to)) {
    return fmt::format("{} may not include {}: \"{}\"", from, to, include.path);
  }
  return {};
}

std::string angled_violation(const std::string& from, const Include& include) {
  if (!folder_of(include.path).empty()) {
    return fmt::format("<{}> is the project's own and needs quotes", include.path);
  }
  if (from == "tests" || !is_cuda_header(include.path)) {
    return {};
  }
  const auto homes = cuda_header_homes().find(include.path);
  if (homes != cuda_header_homes().end() && homes->second.contains(from)) {
    return {};
  }
  return fmt::format("{} may not include <{}>", from, include.path);
}

// Depth first; `path` holds the folders from the root of the walk to the current one.
bool walk_to_cycle(const Arrows& arrows, std::vector<std::string>& path,
                   std::set<std::string>& done) {
  const std::string here = path.back();
  const auto next = arrows.find(here);
  if (next == arrows.end() || done.contains(here)) {
    return false;
  }
  for (const std::string& to : next->second) {
    const auto seen = std::find(path.begin(), path.end(), to);
    const bool closes = seen != path.end();
    if (closes) {
      path.erase(path.begin(), seen);
    }
    path.push_back(to);
    if (closes || walk_to_cycle(arrows, path, done)) {
      return true;
    }
    path.pop_back();
  }
  done.insert(here);
  return false;
}

}  // namespace

const Arrows& allowed_arrows() {
  static const Arrows arrows = {
      {"expr", {}},
      {"search", {"expr"}},
      {"models", {"expr"}},
      {"tuner/os", {"expr"}},
      {"tuner/ptx", {"expr"}},
      {"tuner/gpu", {"tuner/os", "models", "expr"}},
      {"tuner/kernel", {"search", "models", "expr", "tuner/os", "tuner/ptx"}},
      {"tuner/compile", {"tuner/os", "expr"}},
      {"tuner/launch", {"tuner/kernel", "tuner/gpu", "tuner/os", "search", "models", "expr"}},
      {"tuner/measure",
       {"tuner/launch", "tuner/kernel", "tuner/gpu", "tuner/os", "models", "expr"}},
      {"tuner/worker", {"tuner/measure", "tuner/gpu", "tuner/os", "models", "expr"}},
      {"tuner/store", {"tuner/kernel", "tuner/os", "search", "models", "expr"}},
      {"tuner/report", {"tuner/os", "search", "models", "expr"}},
      {"tuner/embed", {"tuner/store", "tuner/kernel", "tuner/os", "search", "models", "expr"}},
      {"tuner/select",
       {"tuner/kernel", "tuner/compile", "tuner/store", "tuner/os", "search", "models", "expr"}},
      {"tuner/runtime",
       {"tuner/select", "tuner/launch", "tuner/kernel", "tuner/compile", "tuner/gpu", "tuner/store",
        "tuner/os", "search", "models", "expr"}},
      {"tuner/pipeline",
       {"tuner/select", "tuner/kernel", "tuner/compile", "tuner/worker", "tuner/measure",
        "tuner/store", "tuner/report", "tuner/embed", "tuner/os", "search", "models", "expr"}},
      // The command line asks the pipeline; it never touches a GPU or measures by itself.
      {"tuner/cli",
       {"tuner/pipeline", "tuner/select", "tuner/kernel", "tuner/compile", "tuner/worker",
        "tuner/store", "tuner/report", "tuner/embed", "tuner/os", "search", "models", "expr"}},
      {"tuner", {"tuner/cli", "tuner/os", "expr"}},
  };
  return arrows;
}

std::string folder_of(std::string_view path) {
  static const std::regex pattern("(expr|search|models|tests)/.*|(tuner/[a-z_]+)/.*|(tuner)/[^/]*");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_match(path.begin(), path.end(), match, pattern)) {
    return {};
  }
  const auto matched =
      std::find_if(match.begin() + 1, match.end(), [](const auto& group) { return group.matched; });
  return matched->str();
}

std::vector<Include> includes_of(std::string_view source) {
  static const std::regex pattern("^[ \\t]*#[ \\t]*include[ \\t]*([\"<])([^\">]+)[\">].*");
  std::vector<Include> includes;
  const std::string text = without_comments(source);
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string one = text.substr(at, end - at);
    ++line;
    if (std::smatch match; std::regex_match(one, match, pattern)) {
      includes.push_back({match[2].str(), match[1].str() == "\"", line});
    }
    at = end + 1;
  }
  return includes;
}

std::set<std::string> links_of(std::string_view cmake_lists) {
  static const std::regex call("(tuner_library|target_link_libraries)[ \\t]*\\(([^)]*)\\)");
  static const std::regex library("\\btuner_[a-z_]+\\b");
  const std::string text(cmake_lists);
  std::set<std::string> folders;
  for (std::sregex_iterator match(text.begin(), text.end(), call), none; match != none; ++match) {
    const std::string words = (*match)[2].str();
    std::sregex_iterator word(words.begin(), words.end(), library);
    // The first is the library itself.
    for (word = word == none ? none : std::next(word); word != none; ++word) {
      folders.insert(library_folder(word->str()));
    }
  }
  folders.erase("");
  return folders;
}

std::vector<std::string> include_violations(std::string_view path, std::string_view source,
                                            const std::function<bool(const std::string&)>& exists) {
  const std::string from = folder_of(path);
  std::vector<std::string> violations;
  if (from != "tests" && !allowed_arrows().contains(from)) {
    violations.push_back(fmt::format("{}:1: its folder is not in the table of arrows", path));
  }
  for (const Include& include : includes_of(source)) {
    const std::string wrong =
        include.quoted ? quoted_violation(from, include, exists) : angled_violation(from, include);
    if (!wrong.empty()) {
      violations.push_back(fmt::format("{}:{}: {}", path, include.line, wrong));
    }
  }
  return violations;
}

std::vector<std::string> link_violations(const std::string& folder,
                                         const std::set<std::string>& links) {
  std::vector<std::string> violations;
  for (const std::string& to : links) {
    if (!may_reach(folder, to)) {
      violations.push_back(
          fmt::format("{}/CMakeLists.txt: {} may not link {}", folder, folder, to));
    }
  }
  return violations;
}

std::vector<std::string> find_cycle(const Arrows& arrows) {
  std::set<std::string> done;
  for (const auto& [folder, ignored] : arrows) {
    std::vector<std::string> path = {folder};
    if (walk_to_cycle(arrows, path, done)) {
      return path;
    }
  }
  return {};
}

}  // namespace tuner::includes
