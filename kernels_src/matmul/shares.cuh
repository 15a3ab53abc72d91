// Who computes what: the tiles of C, each of so many steps along k, among the blocks of a grid.
//
// Rounds in which every block has a whole tile are given out so. What is left (all of it where
// there are fewer tiles than blocks, else less than two tiles a block) is cut into equal shares of
// steps, whatever the tiles' borders: then no block waits for a last wave of few tiles. Osama et
// al., "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the
// GPU" (2023). A grid of s blocks a tile makes this a split of k into s parts.
//
// A share ends in the middle of a tile: the block that has the tile's first steps finishes it with
// the sums of the next shares. Shares are numbered against the blocks, so that these belong to
// blocks that were started before; and they are what these blocks begin with, so that they are
// rarely waited for.
#pragma once

namespace tuner_kernels {

struct Segment {
  unsigned tile;
  long long first, last;  // steps along k, of which `last` is not one
};

// In shared memory, since all threads of a block ask for the same: a thread that keeps its sums in
// registers has none to spare.
class Shares {
 public:
  // By one thread; the others see it after a barrier.
  __device__ __forceinline__ void begin(unsigned tiles, long long steps) {
    tiles_ = tiles;
    steps_ = steps;
    rank_ = gridDim.x - 1 - blockIdx.x;
    const unsigned rest = tiles < gridDim.x ? tiles : tiles % gridDim.x;
    const unsigned shared = rest == 0 ? 0 : tiles < gridDim.x ? tiles : rest + gridDim.x;
    const long long shared_steps = shared * steps;
    share_ = shared_steps / gridDim.x;
    longer_ = static_cast<unsigned>(shared_steps - share_ * gridDim.x);
    at_ = start(rank_);
    end_ = start(rank_ + 1);
    whole_ = shared + blockIdx.x;
  }

  // By one thread, likewise: the next segment, or one that is none().
  __device__ __forceinline__ void next() {
    if (at_ < end_) {
      segment_.tile = static_cast<unsigned>(at_ / steps_);
      segment_.first = at_ - segment_.tile * steps_;
      segment_.last = min(steps_, segment_.first + end_ - at_);
      at_ += segment_.last - segment_.first;
    } else {
      segment_ = {whole_, 0, whole_ < tiles_ ? steps_ : 0};
      whole_ += gridDim.x;
    }
  }

  __device__ __forceinline__ const Segment& segment() const { return segment_; }
  __device__ __forceinline__ bool none() const { return segment_.last == 0; }
  __device__ __forceinline__ unsigned rank() const { return rank_; }

  // The step of `tile` that the share of a rank ends before.
  __device__ __forceinline__ long long end_in(unsigned tile, unsigned rank) const {
    return min(steps_, start(rank + 1) - tile * steps_);
  }

 private:
  // One division for all ranks: they take a hundred cycles and more, at the start of every block.
  __device__ __forceinline__ long long start(unsigned rank) const {
    return share_ * rank + min(rank, longer_);
  }

  Segment segment_;
  unsigned tiles_, rank_, whole_;
  unsigned longer_;  // the first shares have a step more than the others
  long long steps_, share_, at_, end_;
};

}  // namespace tuner_kernels
