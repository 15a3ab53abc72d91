#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cub/device/device_reduce.cuh>
#include <stdexcept>
#include <string>

#include "tests/bench/peers/vendor_calls.h"

namespace tuner::bench {
namespace {

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

void check(cublasStatus_t code, const char* what) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(code));
}

template <typename T>
cudaError_t reduce(Fold fold, void* temporary, std::size_t& bytes, std::uint64_t in,
                   std::uint64_t out, std::int64_t count, cudaStream_t stream) {
  const T* from = reinterpret_cast<const T*>(in);
  T* to = reinterpret_cast<T*>(out);
  switch (fold) {
    case Fold::min:
      return cub::DeviceReduce::Min(temporary, bytes, from, to, count, stream);
    case Fold::max:
      return cub::DeviceReduce::Max(temporary, bytes, from, to, count, stream);
    default:
      return cub::DeviceReduce::Sum(temporary, bytes, from, to, count, stream);
  }
}

}  // namespace

CubReduce::CubReduce(bool fp64, Fold fold, std::int64_t count)
    : fp64_(fp64), fold_(fold), count_(count) {
  run(nullptr, temporary_bytes_, 0, 0, nullptr);
  check(cudaMalloc(&temporary_, temporary_bytes_), "cudaMalloc for cub::DeviceReduce");
}

CubReduce::~CubReduce() { cudaFree(temporary_); }

void CubReduce::enqueue(std::uint64_t in, std::uint64_t out, void* stream) const {
  std::size_t bytes = temporary_bytes_;
  run(temporary_, bytes, in, out, stream);
}

void CubReduce::run(void* temporary, std::size_t& bytes, std::uint64_t in, std::uint64_t out,
                    void* stream) const {
  const auto on = static_cast<cudaStream_t>(stream);
  check(fp64_ ? reduce<double>(fold_, temporary, bytes, in, out, count_, on)
              : reduce<float>(fold_, temporary, bytes, in, out, count_, on),
        "cub::DeviceReduce");
}

void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  check(cudaMemcpyAsync(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes,
                        cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)),
        "cudaMemcpyAsync");
}

struct CublasGemm::Handle {
  cublasHandle_t cublas = nullptr;
};

CublasGemm::CublasGemm(void* stream) : handle_(std::make_unique<Handle>()) {
  check(cublasCreate(&handle_->cublas), "cublasCreate");
  check(cublasSetStream(handle_->cublas, static_cast<cudaStream_t>(stream)), "cublasSetStream");
  check(cublasSetMathMode(handle_->cublas, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
}

CublasGemm::~CublasGemm() { cublasDestroy(handle_->cublas); }

// cuBLAS stores by columns: the transposed product is B^T A^T, of the same memory.
void CublasGemm::enqueue(bool fp64, int m, int n, int k, std::uint64_t a, std::uint64_t b,
                         std::uint64_t c) const {
  if (fp64) {
    const double one = 1, zero = 0;
    check(cublasDgemm(handle_->cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                      reinterpret_cast<const double*>(b), n, reinterpret_cast<const double*>(a), k,
                      &zero, reinterpret_cast<double*>(c), n),
          "cublasDgemm");
    return;
  }
  const float one = 1, zero = 0;
  check(cublasSgemm(handle_->cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                    reinterpret_cast<const float*>(b), n, reinterpret_cast<const float*>(a), k,
                    &zero, reinterpret_cast<float*>(c), n),
        "cublasSgemm");
}

}  // namespace tuner::bench
