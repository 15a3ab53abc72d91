// What is called of the vendor's libraries, without their types: compiled by nvcc, called from C++.
// All calls are queued on `stream` (a CUstream) and throw std::runtime_error where they fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tuner::bench {

enum class Fold { sum, min, max };

// cub::DeviceReduce; its temporary memory is allocated once.
class CubReduce {
 public:
  CubReduce(bool fp64, Fold fold, std::int64_t count);
  ~CubReduce();
  CubReduce(const CubReduce&) = delete;
  CubReduce& operator=(const CubReduce&) = delete;
  void enqueue(std::uint64_t in, std::uint64_t out, void* stream) const;

 private:
  void run(void* temporary, std::size_t& bytes, std::uint64_t in, std::uint64_t out,
           void* stream) const;
  bool fp64_;
  Fold fold_;
  std::int64_t count_;
  void* temporary_ = nullptr;
  std::size_t temporary_bytes_ = 0;
};

void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream);

// C = A * B of row-major m x k and k x n matrices; no tensor cores for fp32.
class CublasGemm {
 public:
  explicit CublasGemm(void* stream);
  ~CublasGemm();
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;
  void enqueue(bool fp64, int m, int n, int k, std::uint64_t a, std::uint64_t b,
               std::uint64_t c) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace tuner::bench
