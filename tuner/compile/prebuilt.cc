#include "tuner/compile/prebuilt.h"

#include <fmt/format.h>

#include "expr/error.h"
#include "tuner/compile/compile_key.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/os/files.h"

namespace tuner {
namespace {

constexpr const char* kAnyToolkit = "compiled ahead of time";

}  // namespace

void save_prebuilt(const std::filesystem::path& folder, const CompileJob& job,
                   const CompileResult& compiled) {
  IncludeScanner scanner;
  const CompileKey key = compile_key(job, kAnyToolkit, scanner);
  if (!key.complete) {
    throw TunerError(
        fmt::format("{}: includes a header that a macro names, so that a cubin made ahead of time "
                    "could not be told from that of another version; name the header itself",
                    job.source.string()));
  }
  CompileReply reply;
  reply.ok = true;
  reply.cubin = read_file(compiled.cubin);
  reply.entries = compiled.entries;
  reply.symbol_names = compiled.symbol_names;
  write_cubin(folder, key.text, reply);
}

std::optional<CompileResult> find_prebuilt(const std::filesystem::path& folder,
                                           const CompileJob& job, IncludeScanner& scanner) {
  const CompileKey key = compile_key(job, kAnyToolkit, scanner);
  return key.complete ? read_cubin(folder, key.text) : std::nullopt;
}

}  // namespace tuner
