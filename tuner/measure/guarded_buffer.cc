#include "tuner/measure/guarded_buffer.h"

#include <utility>

namespace tuner {

GuardedBuffer::GuardedBuffer(const Gpu& gpu, std::string name, std::int64_t bytes)
    : name_(std::move(name)),
      bytes_(bytes),
      memory_(allocate(gpu.driver(), static_cast<std::size_t>(bytes + 2 * kGuardBytes),
                       "'" + name_ + "'")) {
  write_guards(gpu);
}

void GuardedBuffer::write_guards(const Gpu& gpu) const {
  gpu.fill(memory_.get(), kGuardByte, kGuardBytes);
  gpu.fill(data() + static_cast<CUdeviceptr>(bytes_), kGuardByte, kGuardBytes);
}

std::string check_guards(const Gpu& gpu, const std::vector<const GuardedBuffer*>& buffers) {
  if (buffers.empty()) return {};
  std::vector<Gpu::Piece> pieces;
  for (const GuardedBuffer* buffer : buffers) {
    pieces.push_back({buffer->data() - static_cast<CUdeviceptr>(kGuardBytes), kGuardBytes});
    pieces.push_back({buffer->data() + static_cast<CUdeviceptr>(buffer->bytes()), kGuardBytes});
  }
  const auto guard = static_cast<std::size_t>(kGuardBytes);
  std::vector<std::byte> bytes(pieces.size() * guard);
  gpu.gather(pieces, bytes);
  std::string problem;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::span<const std::byte> both(bytes.data() + 2 * i * guard, 2 * guard);
    const auto damage = find_damage(both.first(guard), both.last(guard));
    if (!damage) continue;
    if (problem.empty()) problem = describe_damage(buffers[i]->name(), *damage);
    buffers[i]->write_guards(gpu);
  }
  return problem;
}

}  // namespace tuner
