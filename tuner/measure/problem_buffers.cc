#include "tuner/measure/problem_buffers.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "tuner/measure/memory_need.h"

namespace tuner {
namespace {

bool is_read_only(const BufferSpec& spec) { return spec.input && !spec.output; }
bool is_inout(const BufferSpec& spec) { return spec.input && spec.output; }

}  // namespace

std::uint8_t poison_byte(Element element) { return is_integer(element) ? 0xCD : 0xFF; }

ProblemBuffers::ProblemBuffers(const Gpu& gpu, const std::vector<BufferSpec>& specs)
    : gpu_(gpu), specs_(specs), originals_(specs.size()), chunk_hashes_(specs.size()) {
  generators_.reserve(specs.size());
  std::vector<GuardedBuffer> set;
  set.reserve(specs.size());
  for (const BufferSpec& spec : specs_) {
    generators_.emplace_back(spec);
    set.emplace_back(gpu_, spec.name, buffer_bytes(spec));
  }
  sets_.push_back(std::move(set));
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].input) fill(i, true);
    if (!is_inout(specs_[i])) continue;
    originals_[i].emplace(gpu_, specs_[i].name + " (initial)", buffer_bytes(specs_[i]));
    gpu_.copy(originals_[i]->data(), sets_[0][i].data(), sets_[0][i].bytes());
  }
  poison(0);
}

void ProblemBuffers::fill(std::size_t index, bool remember) {
  const GuardedBuffer& target = sets_[0][index];
  const std::int64_t size = size_of(generators_[index].element());
  gpu_.upload(target.data(), target.bytes(), [&](std::int64_t offset, std::span<std::byte> chunk) {
    generators_[index].fill(offset / size, static_cast<std::int64_t>(chunk.size()) / size,
                            chunk.data());
  });
  if (!remember || !is_read_only(specs_[index])) return;
  const std::vector<ByteRange> ranges = ranges_to_check(target.bytes(), false);
  gpu_.download(target.data(), ranges, [&](std::int64_t, std::span<const std::byte> chunk) {
    chunk_hashes_[index].push_back(XXH3_64bits(chunk.data(), chunk.size()));
  });
}

std::size_t ProblemBuffers::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == name) return i;
  }
  throw TunerError(fmt::format("There is no buffer '{}'.", name));
}

std::int64_t ProblemBuffers::bytes() const {
  std::int64_t total = 0;
  for (const GuardedBuffer& buffer : sets_[0]) total += buffer.bytes();
  return total;
}

bool ProblemBuffers::has_inout() const {
  return std::any_of(specs_.begin(), specs_.end(), is_inout);
}

void ProblemBuffers::make_sets(std::size_t count) {
  while (sets_.size() < count) {
    std::vector<GuardedBuffer> set;
    set.reserve(specs_.size());
    try {
      for (const BufferSpec& spec : specs_) set.emplace_back(gpu_, spec.name, buffer_bytes(spec));
    } catch (const DriverError& error) {
      if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
      return;
    }
    for (std::size_t i = 0; i < set.size(); ++i) {
      gpu_.copy(set[i].data(), sets_[0][i].data(), set[i].bytes());
    }
    sets_.push_back(std::move(set));
  }
}

void ProblemBuffers::restore(std::size_t set) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (originals_[i])
      gpu_.copy(sets_[set][i].data(), originals_[i]->data(), sets_[set][i].bytes());
  }
}

void ProblemBuffers::poison(std::size_t set) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].input) continue;
    gpu_.fill(sets_[set][i].data(), poison_byte(generators_[i].element()), sets_[set][i].bytes());
  }
}

bool ProblemBuffers::inputs_equal(std::size_t index) const {
  const GuardedBuffer& buffer = sets_[0][index];
  const std::vector<ByteRange> ranges = ranges_to_check(buffer.bytes(), false);
  std::size_t chunk_number = 0;
  bool equal = true;
  gpu_.download(buffer.data(), ranges, [&](std::int64_t, std::span<const std::byte> chunk) {
    const std::uint64_t expected = chunk_hashes_[index].at(chunk_number++);
    equal = equal && XXH3_64bits(chunk.data(), chunk.size()) == expected;
  });
  return equal;
}

std::string ProblemBuffers::check_inputs() {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (!is_read_only(specs_[i]) || inputs_equal(i)) continue;
    refill();
    return fmt::format("writes to its input '{}'", specs_[i].name);
  }
  return {};
}

void ProblemBuffers::refill() {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (!is_read_only(specs_[i])) continue;
    fill(i, false);
    for (std::size_t set = 1; set < sets_.size(); ++set) {
      gpu_.copy(sets_[set][i].data(), sets_[0][i].data(), sets_[0][i].bytes());
    }
  }
}

std::string ProblemBuffers::check_guards(std::size_t first_set, std::size_t end_set) const {
  std::string problem;
  for (std::size_t set = first_set; set < end_set; ++set) {
    std::vector<const GuardedBuffer*> buffers;
    for (const GuardedBuffer& buffer : sets_[set]) buffers.push_back(&buffer);
    const std::string found = tuner::check_guards(gpu_, buffers);
    if (problem.empty()) problem = found;
  }
  return problem;
}

}  // namespace tuner
