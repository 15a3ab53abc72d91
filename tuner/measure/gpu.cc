#include "tuner/measure/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "tuner/measure/trial_failure.h"

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

// Short at first, since most waits are; long waits leave the core to others.
std::chrono::microseconds pause_after(std::chrono::microseconds waited) {
  return std::clamp(waited / 16, std::chrono::microseconds(5), std::chrono::microseconds(1000));
}

std::vector<ByteRange> split(std::span<const ByteRange> ranges) {
  std::vector<ByteRange> chunks;
  for (const ByteRange& range : ranges) {
    for (std::int64_t done = 0; done < range.bytes; done += Gpu::kChunkBytes) {
      chunks.push_back({range.offset + done, std::min(Gpu::kChunkBytes, range.bytes - done)});
    }
  }
  return chunks;
}

// Groups chunks, in order, so that each group fits into kChunkBytes; the index past each group's
// last.
std::vector<std::size_t> batch_ends(const std::vector<ByteRange>& chunks) {
  std::vector<std::size_t> ends;
  std::int64_t filled = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (i > 0 && filled + chunks[i].bytes > Gpu::kChunkBytes) {
      ends.push_back(i);
      filled = 0;
    }
    filled += chunks[i].bytes;
  }
  if (!chunks.empty()) ends.push_back(chunks.size());
  return ends;
}

std::size_t bytes_of(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }
CUdeviceptr at(CUdeviceptr base, std::int64_t offset) {
  return base + static_cast<CUdeviceptr>(offset);
}

}  // namespace

Gpu::Gpu(int index)
    : driver_(load_driver()),
      device_(device_at(*driver_, index)),
      profile_(device_profile(*driver_, device_)),
      nvml_(Nvml::open(device_pci_bus_id(*driver_, device_))),
      context_(retain_context(*driver_, device_)),
      stream_(make_stream(*driver_)),
      done_(make_event(*driver_)) {
  for (std::size_t i = 0; i < staging_.size(); ++i) {
    staging_[i] = allocate_pinned(*driver_, bytes_of(kChunkBytes));
    staged_[i] = make_event(*driver_);
  }
}

std::int64_t Gpu::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  driver_->check(driver_->mem_get_info(&free, &total), "cuMemGetInfo");
  return static_cast<std::int64_t>(free);
}

void Gpu::fill(CUdeviceptr target, std::uint8_t value, std::int64_t bytes) const {
  if (bytes <= 0) return;
  driver_->check(driver_->memset_bytes(target, value, bytes_of(bytes), stream()),
                 "cuMemsetD8Async of {} bytes", bytes);
}

void Gpu::copy(CUdeviceptr target, CUdeviceptr source, std::int64_t bytes) const {
  if (bytes <= 0) return;
  driver_->check(driver_->memcpy_on_device(target, source, bytes_of(bytes), stream()),
                 "cuMemcpyDtoDAsync of {} bytes", bytes);
}

void Gpu::record(const Event& event) const {
  driver_->check(driver_->event_record(event.get(), stream()), "cuEventRecord");
}

bool Gpu::wait(std::chrono::milliseconds limit) const {
  record(done_);
  const auto begin = Clock::now();
  for (;;) {
    const CUresult result = driver_->event_query(done_.get());
    if (result == CUDA_SUCCESS) return true;
    if (result != CUDA_ERROR_NOT_READY) driver_->fail(result, "running on the GPU");
    const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
    if (waited > limit) return false;
    std::this_thread::sleep_for(pause_after(waited));
  }
}

void Gpu::finish(std::chrono::milliseconds limit) const {
  if (wait(limit)) return;
  throw TrialFailure("timeout", fmt::format("still running after {} ms", limit.count()), true);
}

double Gpu::elapsed_ns(const Event& from, const Event& to) const {
  float milliseconds = 0;
  driver_->check(driver_->event_elapsed_time(&milliseconds, from.get(), to.get()),
                 "cuEventElapsedTime");
  if (!(milliseconds > 0)) throw TrialFailure("launch_error", "no time passed while it ran");
  return static_cast<double>(milliseconds) * 1e6;
}

void Gpu::upload(CUdeviceptr target, std::int64_t bytes,
                 const std::function<void(std::int64_t, std::span<std::byte>)>& produce) const {
  const ByteRange whole{0, bytes};
  std::size_t turn = 0;
  std::size_t used = 0;
  for (const ByteRange& chunk : split({&whole, 1})) {
    // The half that is written now may still be on its way.
    if (used >= 2) {
      while (driver_->event_query(staged_[turn].get()) == CUDA_ERROR_NOT_READY) {
        std::this_thread::sleep_for(std::chrono::microseconds(5));
      }
    }
    std::byte* half = staging_[turn].get();
    produce(chunk.offset, {half, bytes_of(chunk.bytes)});
    driver_->check(
        driver_->memcpy_to_device(at(target, chunk.offset), half, bytes_of(chunk.bytes), stream()),
        "cuMemcpyHtoDAsync of {} bytes", chunk.bytes);
    record(staged_[turn]);
    turn = 1 - turn;
    ++used;
  }
  driver_->check(driver_->stream_synchronize(stream()), "cuStreamSynchronize after an upload");
}

void Gpu::download(
    CUdeviceptr source, std::span<const ByteRange> ranges,
    const std::function<void(std::int64_t, std::span<const std::byte>)>& consume) const {
  const std::vector<ByteRange> chunks = split(ranges);
  // Many small pieces share a half of the staging memory, so that they are waited for once.
  const std::vector<std::size_t> batches = batch_ends(chunks);
  const auto start = [&](std::size_t batch) {
    std::byte* target = staging_[batch % 2].get();
    for (std::size_t i = batch == 0 ? 0 : batches[batch - 1]; i < batches[batch]; ++i) {
      driver_->check(driver_->memcpy_to_host(target, at(source, chunks[i].offset),
                                             bytes_of(chunks[i].bytes), stream()),
                     "cuMemcpyDtoHAsync of {} bytes", chunks[i].bytes);
      target += chunks[i].bytes;
    }
    record(staged_[batch % 2]);
  };
  if (!batches.empty()) start(0);
  std::size_t next = 0;
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    CUresult result = CUDA_ERROR_NOT_READY;
    while ((result = driver_->event_query(staged_[batch % 2].get())) == CUDA_ERROR_NOT_READY) {
      std::this_thread::sleep_for(std::chrono::microseconds(5));
    }
    driver_->check(result, "copying from the GPU");
    if (batch + 1 < batches.size()) start(batch + 1);
    const std::byte* piece = staging_[batch % 2].get();
    for (; next < batches[batch]; ++next) {
      consume(chunks[next].offset, {piece, bytes_of(chunks[next].bytes)});
      piece += chunks[next].bytes;
    }
  }
}

void Gpu::gather(std::span<const Piece> pieces, std::span<std::byte> target) const {
  std::int64_t offset = 0;
  for (const Piece& piece : pieces) {
    if (offset + piece.bytes > kChunkBytes) throw TunerError("Too much is gathered at once.");
    driver_->check(driver_->memcpy_to_host(staging_[0].get() + offset, piece.source,
                                           bytes_of(piece.bytes), stream()),
                   "cuMemcpyDtoHAsync of {} bytes", piece.bytes);
    offset += piece.bytes;
  }
  driver_->check(driver_->stream_synchronize(stream()), "copying from the GPU");
  std::memcpy(target.data(), staging_[0].get(), std::min(target.size(), bytes_of(offset)));
}

}  // namespace tuner
