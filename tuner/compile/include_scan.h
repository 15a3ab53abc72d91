// Which files of the project's own a source consists of, found by reading its #include lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

struct IncludeLine {
  std::string name;     // as written, without quotes or brackets
  bool quoted = false;  // "…", looked for beside the including file first
  bool operator==(const IncludeLine&) const = default;
};

struct IncludeLines {
  std::vector<IncludeLine> includes;
  bool computed = false;  // an #include of a macro, which reading alone cannot follow
};

// Every #include in the text, whether or not an #if or a comment hides it: too many only costs a
// compile.
IncludeLines find_includes(std::string_view text);

struct SourceScan {
  // Opaque bytes that differ where any file's content, or what an #include leads to, differs. Does
  // not depend on where the tree is.
  std::string digest;
  std::vector<std::filesystem::path>
      files;             // the source, then its headers, in the order they are met
  bool complete = true;  // false where an #include was computed: `digest` may miss a header then
};

// Follows includes into `include_dirs` and the folders of the files themselves; what is in neither
// is the toolkit's. Remembers each file as long as its time and size stay the same. Thread-safe.
class IncludeScanner {
 public:
  // `forced` are headers that an option includes ahead of the source. Throws TunerError where the
  // source cannot be read; a header that cannot be is left out, since the compiler will say so.
  SourceScan scan(const std::filesystem::path& source,
                  const std::vector<std::filesystem::path>& include_dirs,
                  const std::vector<std::string>& forced = {});

 private:
  struct File {
    std::int64_t time = 0;
    std::uintmax_t size = 0;
    std::string hash;
    IncludeLines lines;
  };
  std::shared_ptr<const File> load(const std::filesystem::path& path);

  std::mutex mutex_;
  std::map<std::filesystem::path, std::shared_ptr<const File>> files_;
};

}  // namespace tuner
