// Compiled cubins on disk, shared by all processes of this user.
//
// An entry is <key>.json and the file that it names, <key>-<hash of its bytes>.cubin. The JSON is
//   {"schema": "tuner/compiled", "version": 1, "cubin": file name, "cubin_bytes": n, "log": text,
//    "entries": [EntryFacts], "symbol_names": [text], "compile_ms": number,
//    "ptx": text, where it was asked for}
// and is written last, so that what it names is whole. Each file is written atomically; two writers
// of one key leave two cubins (compiles do not repeat to the bit), and one JSON that fits one of
// them. A damaged entry, or one of another version, is a miss.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "tuner/compile/compile_message.h"
#include "tuner/compile/compiler.h"

namespace tuner {

struct CubinCacheOptions {
  std::filesystem::path folder;  // empty: none, only a temporary one
  std::uint64_t max_bytes = 0;   // oldest uses go first; never what is younger than `min_age`
  bool remember = true;          // false: find() finds nothing
  std::chrono::seconds min_age{3600};
};

// Thread-safe. Where the folder cannot be written, says so once in the log and goes on in a
// temporary folder, which is removed with the cache.
class CubinCache {
 public:
  explicit CubinCache(CubinCacheOptions options);
  ~CubinCache();
  CubinCache(const CubinCache&) = delete;
  CubinCache& operator=(const CubinCache&) = delete;

  std::optional<CompileResult> find(const std::string& key);
  // The result as find() would give it, of a compile that went well. Throws TunerError where not
  // even the temporary folder can be written. `remember` false: the cubin is kept for now, and not
  // for find().
  CompileResult store(const std::string& key, const CompileReply& reply, bool remember = true);

 private:
  std::filesystem::path temporary_folder();
  bool folder_serves();
  void give_up_folder(const std::string& why);
  void note_use(const std::string& key);
  void make_room(std::uint64_t added_bytes);

  const CubinCacheOptions options_;
  std::mutex mutex_;  // guards what follows
  bool folder_serves_ = false;
  std::filesystem::path temporary_;
  std::set<std::string> used_keys_;  // by this process: their cubins must stay
  std::uint64_t bytes_ = 0;          // in the folder, about; counted at the first store
  std::uint64_t next_eviction_ = 0;  // at so many bytes
};

// One entry of a folder in that form; nullopt where it is missing, damaged, or of another version.
std::optional<CompileResult> read_cubin(const std::filesystem::path& folder,
                                        const std::string& key);
// Throws TunerError where the folder cannot be written. `remember` false: without the JSON, so that
// nobody finds it.
CompileResult write_cubin(const std::filesystem::path& folder, const std::string& key,
                          const CompileReply& reply, bool remember = true);

// Removes the least recently used entries of `folder` until `max_bytes` are left, but none that is
// younger than `min_age` or in `kept_keys`, and no file that is not the cache's. Returns the bytes
// that are left.
std::uint64_t evict(const std::filesystem::path& folder, std::uint64_t max_bytes,
                    std::chrono::seconds min_age, const std::set<std::string>& kept_keys);

}  // namespace tuner
