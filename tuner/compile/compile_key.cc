#include "tuner/compile/compile_key.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <optional>
#include <string_view>
#include <system_error>

#include "expr/error.h"
#include "tuner/os/files.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Raised whenever the same inputs would give another cubin or other facts than an older tuner kept.
constexpr int kKeyVersion = 1;

// Fields one after the other, each with its length, so that no two lists of fields read the same.
class Fields {
 public:
  void add(std::string_view field) {
    text_ += fmt::format("{}:", field.size());
    text_ += field;
  }
  void add(const std::vector<std::string>& fields) {
    add(std::to_string(fields.size()));
    for (const std::string& field : fields) add(field);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The value of "--name=value", "-Nvalue" or "-N value" for one of the prefixes.
std::vector<std::string> option_values(const std::vector<std::string>& options,
                                       const std::vector<std::string_view>& prefixes) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string_view prefix : prefixes) {
      if (!options[i].starts_with(prefix)) continue;
      std::string value = options[i].substr(prefix.size());
      if (value.empty() && i + 1 < options.size()) value = options[i + 1];
      values.push_back(std::move(value));
      break;
    }
  }
  return values;
}

std::vector<std::string> forced_includes(const std::vector<std::string>& options) {
  return option_values(options, {"--pre-include=", "-include=", "-include"});
}

SourceScan scan(IncludeScanner& scanner, const fs::path& source,
                const std::vector<fs::path>& include_dirs,
                const std::vector<std::string>& options) {
  return scanner.scan(source, include_folders(include_dirs, options), forced_includes(options));
}

}  // namespace

std::vector<fs::path> include_folders(const std::vector<fs::path>& include_dirs,
                                      const std::vector<std::string>& options) {
  std::vector<fs::path> result = include_dirs;
  for (std::string& folder : option_values(options, {"-I", "--include-path="})) {
    result.emplace_back(std::move(folder));
  }
  return result;
}

std::string describe_toolkit(const NvrtcInfo& nvrtc) {
  std::error_code error;
  // Updates of one version differ in the library's size and in cuda.h or CCCL's own version header.
  std::string text = fmt::format("{} {}", nvrtc.version, fs::file_size(nvrtc.library, error));
  for (const char* header : {"cuda.h", "cccl/cuda/std/__cccl/version.h", "cuda_fp16.h"}) {
    const fs::path path = nvrtc.include_dir / header;
    if (nvrtc.include_dir.empty() || !fs::is_regular_file(path, error)) continue;
    const std::string content = read_file(path);
    text += fmt::format(" {:016x}", XXH3_64bits(content.data(), content.size()));
  }
  return text;
}

CompileKey compile_key(const CompileJob& job, const std::string& toolkit, IncludeScanner& scanner) {
  const SourceScan source = scan(scanner, job.source, job.include_dirs, job.options);
  Fields fields;
  fields.add(std::to_string(kKeyVersion));
  fields.add(toolkit);
  fields.add(std::to_string(job.architecture));
  fields.add(job.options);
  fields.add(job.entries);
  fields.add(job.symbols);
  if (job.keep_ptx) fields.add("ptx");
  fields.add(source.digest);
  const XXH128_hash_t hash = XXH3_128bits(fields.text().data(), fields.text().size());
  return {fmt::format("{:016x}{:016x}", hash.high64, hash.low64), source.complete};
}

std::string source_hash(const fs::path& source, const std::vector<fs::path>& include_dirs,
                        const std::vector<std::string>& options) {
  IncludeScanner scanner;
  Fields fields;
  fields.add(options);
  fields.add(scan(scanner, source, include_dirs, options).digest);
  return fmt::format("{:016x}", XXH3_64bits(fields.text().data(), fields.text().size()));
}

}  // namespace tuner
