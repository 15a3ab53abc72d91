#include "tuner/compile/cubin_cache.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "expr/error.h"
#include "tuner/os/files.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "tuner/compiled";
constexpr int kVersion = 1;

std::string cubin_name(const std::string& key, const std::string& cubin) {
  return fmt::format("{}-{:016x}.cubin", key, XXH3_64bits(cubin.data(), cubin.size()));
}

void touch(const fs::path& path) {
  std::error_code error;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
}

CompileResult make_result(const CompileReply& reply, const fs::path& cubin) {
  CompileResult result;
  result.status = CompileResult::Status::ok;
  result.log = reply.log;
  result.cubin = cubin;
  result.ptx = reply.ptx;
  result.entries = reply.entries;
  result.symbol_names = reply.symbol_names;
  result.compile_ms = reply.compile_ms;
  return result;
}

// The whole entry, or an exception of any kind where it is missing or damaged.
CompileResult read_entry(const fs::path& folder, const std::string& key) {
  const nlohmann::json entry = nlohmann::json::parse(read_file(folder / (key + ".json")));
  if (entry.at("schema") != kSchema || entry.at("version") != kVersion) {
    throw TunerError("The entry is of another version.");
  }
  CompileReply reply;
  reply.cubin = read_file(folder / entry.at("cubin").get<std::string>());
  if (entry.at("cubin") != cubin_name(key, reply.cubin)) throw TunerError("The cubin is damaged.");
  entry.at("log").get_to(reply.log);
  entry.at("entries").get_to(reply.entries);
  entry.at("symbol_names").get_to(reply.symbol_names);
  entry.at("compile_ms").get_to(reply.compile_ms);
  reply.ptx = entry.value("ptx", std::string());
  return make_result(reply, folder / cubin_name(key, reply.cubin));
}

void write_entry(const fs::path& folder, const std::string& key, const CompileReply& reply) {
  nlohmann::json entry{{"schema", kSchema},
                       {"version", kVersion},
                       {"cubin", cubin_name(key, reply.cubin)},
                       {"cubin_bytes", reply.cubin.size()},
                       {"log", reply.log},
                       {"entries", reply.entries},
                       {"symbol_names", reply.symbol_names},
                       {"compile_ms", reply.compile_ms}};
  if (!reply.ptx.empty()) entry["ptx"] = reply.ptx;
  // A log may hold bytes of the source that are no UTF-8.
  write_file_atomically(folder / (key + ".json"),
                        entry.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

std::optional<CompileResult> read_cubin(const fs::path& folder, const std::string& key) {
  try {
    CompileResult result = read_entry(folder, key);
    result.cached = true;
    return result;
  } catch (const TunerError&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

CompileResult write_cubin(const fs::path& folder, const std::string& key, const CompileReply& reply,
                          bool remember) {
  const fs::path cubin = folder / cubin_name(key, reply.cubin);
  write_file_atomically(cubin, reply.cubin);
  if (remember) write_entry(folder, key, reply);
  return make_result(reply, cubin);
}

CubinCache::CubinCache(CubinCacheOptions options) : options_(std::move(options)) {
  if (options_.folder.empty()) return;
  folder_serves_ = true;
  try {
    check_writable(options_.folder / "entry.json");
  } catch (const TunerError& error) {
    give_up_folder(error.what());
  }
}

CubinCache::~CubinCache() {
  std::error_code error;
  if (!temporary_.empty()) fs::remove_all(temporary_, error);
}

std::optional<CompileResult> CubinCache::find(const std::string& key) {
  if (!options_.remember) return std::nullopt;
  fs::path temporary;
  {
    const std::lock_guard lock(mutex_);
    temporary = temporary_;
  }
  // A folder that cannot be written may still be read.
  for (const fs::path& folder : {options_.folder, temporary}) {
    if (folder.empty()) continue;
    note_use(key);  // before it is read, so that it is not evicted meanwhile
    if (auto result = read_cubin(folder, key)) {
      touch(folder / (key + ".json"));
      return result;
    }
  }
  return std::nullopt;
}

CompileResult CubinCache::store(const std::string& key, const CompileReply& reply, bool remember) {
  remember = remember && options_.remember;
  if (remember && folder_serves()) {
    try {
      note_use(key);
      CompileResult result = write_cubin(options_.folder, key, reply);
      make_room(reply.cubin.size() + reply.log.size() + reply.ptx.size());
      return result;
    } catch (const TunerError& error) {
      give_up_folder(error.what());
    }
  }
  note_use(key);
  return write_cubin(temporary_folder(), key, reply, remember);
}

fs::path CubinCache::temporary_folder() {
  const std::lock_guard lock(mutex_);
  if (temporary_.empty()) {
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    std::string pattern = (error ? fs::path("/tmp") : base) / "tuner-cubins-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw TunerError(fmt::format("Cannot make a temporary folder {}: {}.", pattern,
                                   std::generic_category().message(errno)));
    }
    temporary_ = pattern;
  }
  return temporary_;
}

bool CubinCache::folder_serves() {
  const std::lock_guard lock(mutex_);
  return folder_serves_;
}

void CubinCache::give_up_folder(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!folder_serves_) return;
  folder_serves_ = false;
  spdlog::warn("Compiled kernels are not kept for later runs. {}", why);
}

void CubinCache::note_use(const std::string& key) {
  const std::lock_guard lock(mutex_);
  used_keys_.insert(key);
}

void CubinCache::make_room(std::uint64_t added_bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ += added_bytes;
  if (bytes_ <= next_eviction_) return;
  bytes_ = evict(options_.folder, options_.max_bytes, options_.min_age, used_keys_);
  // Where nothing could go, looking again at once would find the same.
  next_eviction_ = std::max(options_.max_bytes, bytes_ + options_.max_bytes / 8);
}

}  // namespace tuner
