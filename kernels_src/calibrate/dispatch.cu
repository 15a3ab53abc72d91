// Launching blocks, the clock, and barriers.
namespace tuner_calibrate {

// Starting and ending a block is all that there is to do.
__global__ void empty() {}

// Each block stays for `cycles` of its SM's clock.
__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

// A block-wide barrier after the other, nothing between them.
__global__ void barriers(int count) {
#pragma unroll 16
  for (int i = 0; i < count; ++i) __syncthreads();
}

}  // namespace tuner_calibrate
