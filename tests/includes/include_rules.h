// The arrows between the project's folders, and what may be included and linked from where. A
// folder is one library, so an include or a link against an arrow is a dependency that the design
// does not have.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::includes {

// Folder → the folders that it reaches.
using Arrows = std::map<std::string, std::set<std::string>, std::less<>>;

struct Include {
  std::string path;     // as written, without its quotes
  bool quoted = false;  // "…", else <…>
  int line = 0;         // from 1
};

// What each folder may include and link besides itself. tests/ is not in it: a test may reach
// everything.
const Arrows& allowed_arrows();

// The folder that a root-relative path belongs to: "search", "tuner/gpu", "tests", "tuner" for
// tuner/main.cc; empty for a path outside of the scanned folders.
std::string folder_of(std::string_view path);

// The #include directives of a C++ source; those inside comments and string literals do not count.
std::vector<Include> includes_of(std::string_view source);

// The project's folders that a CMakeLists.txt links the library of its own folder with.
std::set<std::string> links_of(std::string_view cmake_lists);

// What is wrong with one source file, each as "path:line: …". `path` is root-relative; `exists`
// answers whether a root-relative path is there.
std::vector<std::string> include_violations(std::string_view path, std::string_view source,
                                            const std::function<bool(const std::string&)>& exists);

// What is wrong with the links of one folder's library.
std::vector<std::string> link_violations(const std::string& folder,
                                         const std::set<std::string>& links);

// The folders of a cycle in order, its first one again at the end; empty where there is none.
std::vector<std::string> find_cycle(const Arrows& arrows);

}  // namespace tuner::includes
