#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "expr/error.h"
#include "tuner/os/files.h"

namespace tuner {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16 asks for gzip's header in place of zlib's
constexpr int kMemoryLevel = 8;
constexpr std::size_t kChunkBytes = std::size_t{1} << 16;

bool is_gzip(std::string_view content) { return content.substr(0, 2) == "\x1f\x8b"; }

// zlib takes its input in pieces of at most 4 GiB, by a pointer that it only reads through.
void feed(z_stream& stream, std::string_view& input) {
  const std::size_t count = std::min<std::size_t>(input.size(), std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = static_cast<uInt>(count);
  input.remove_prefix(count);
}

class [[nodiscard]] Inflater {
 public:
  Inflater() {
    if (::inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // False where the input is damaged or ends early.
  bool run(std::string_view input, std::string& output) {
    std::array<char, kChunkBytes> chunk{};
    for (;;) {
      if (stream_.avail_in == 0) feed(stream_, input);
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      output.append(chunk.data(), chunk.size() - stream_.avail_out);
      if (status == Z_STREAM_END) {
        if (stream_.avail_in == 0 && input.empty()) return true;
        ::inflateReset(&stream_);  // another member follows
      } else if (status != Z_OK) {
        return false;
      }
    }
  }

 private:
  z_stream stream_{};
};

class [[nodiscard]] Deflater {
 public:
  Deflater() {
    if (::deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { ::deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::string run(std::string_view input) {
    std::string output;
    std::array<char, kChunkBytes> chunk{};
    int status = Z_OK;
    while (status != Z_STREAM_END) {
      if (stream_.avail_in == 0) feed(stream_, input);
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      status = ::deflate(&stream_, input.empty() ? Z_FINISH : Z_NO_FLUSH);
      output.append(chunk.data(), chunk.size() - stream_.avail_out);
    }
    return output;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::string read_gzip_or_plain(const std::filesystem::path& path) {
  std::string content = read_file(path);
  if (!is_gzip(content)) return content;
  std::string output;
  if (!Inflater().run(content, output)) {
    throw TunerError("Cannot read " + path.string() + ": its gzip data is damaged or cut short.");
  }
  return output;
}

void write_gzip_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, Deflater().run(content));
}

}  // namespace tuner
