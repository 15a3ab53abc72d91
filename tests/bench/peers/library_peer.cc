#include "tests/bench/peers/library_peer.h"

#include <fmt/format.h>

#include "expr/error.h"
#include "tests/bench/peers/vendor_calls.h"

namespace tuner::bench {
namespace {

// On the tuned kernel's buffers, in its rotation.
class LibraryPeer : public Contender {
 public:
  LibraryPeer(std::string name, const Gpu& gpu, TunedKernel& tuned)
      : name_(std::move(name)), gpu_(gpu), tuned_(tuned) {}
  TimingContext& timing() override { return tuned_.timing(); }
  std::string describe() const override { return name_; }

 protected:
  CUdeviceptr buffer(const std::string& name, std::size_t set) const {
    return tuned_.buffers().buffer(set, tuned_.buffers().index_of(name)).data();
  }
  std::int64_t bytes(const std::string& name) const {
    return tuned_.buffers().buffer(0, tuned_.buffers().index_of(name)).bytes();
  }
  std::int64_t size(const std::string& axis) const {
    return std::get<std::int64_t>(*tuned_.kernel().problem().find(axis));
  }
  std::string choice(const std::string& axis) const {
    return to_string(*tuned_.kernel().problem().find(axis));
  }
  bool fp64() const { return choice("dtype") == "f64"; }
  CUstream stream() const { return gpu_.stream(); }

 private:
  std::string name_;
  const Gpu& gpu_;
  TunedKernel& tuned_;
};

class CubPeer : public LibraryPeer {
 public:
  CubPeer(const Gpu& gpu, TunedKernel& tuned)
      : LibraryPeer("cub::DeviceReduce", gpu, tuned),
        reduce_(fp64(),
                choice("op") == "min"   ? Fold::min
                : choice("op") == "max" ? Fold::max
                                        : Fold::sum,
                size("n")) {}
  void enqueue(std::size_t set) const override {
    reduce_.enqueue(buffer("in", set), buffer("out", set), stream());
  }

 private:
  CubReduce reduce_;
};

class MemcpyPeer : public LibraryPeer {
 public:
  MemcpyPeer(const Gpu& gpu, TunedKernel& tuned) : LibraryPeer("cudaMemcpyAsync", gpu, tuned) {}
  void enqueue(std::size_t set) const override {
    copy_on_device(buffer("out", set), buffer("in", set), static_cast<std::size_t>(bytes("in")),
                   stream());
  }
};

class CublasPeer : public LibraryPeer {
 public:
  CublasPeer(const Gpu& gpu, TunedKernel& tuned)
      : LibraryPeer("cuBLAS, pedantic", gpu, tuned), gemm_(gpu.stream()) {}
  void enqueue(std::size_t set) const override {
    gemm_.enqueue(fp64(), static_cast<int>(size("m")), static_cast<int>(size("n")),
                  static_cast<int>(size("k")), buffer("A", set), buffer("B", set),
                  buffer("C", set));
  }

 private:
  CublasGemm gemm_;
};

}  // namespace

std::unique_ptr<Contender> make_library_peer(const std::string& name, const Gpu& gpu,
                                             TunedKernel& tuned) {
  if (name == "cub") return std::make_unique<CubPeer>(gpu, tuned);
  if (name == "memcpy") return std::make_unique<MemcpyPeer>(gpu, tuned);
  if (name == "cublas") return std::make_unique<CublasPeer>(gpu, tuned);
  throw TunerError(fmt::format("there is no peer '{}'; there are cub, memcpy and cublas", name));
}

}  // namespace tuner::bench
