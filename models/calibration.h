// The rates of a device profile from timed micro-kernels, by least squares. Measuring is not done
// here (tuner/pipeline/calibrate.h): this receives times and gives constants. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/device_profile.h"

namespace tuner::models {

// What a micro-kernel does, and what `variant` and `amount` of its points are.
enum class Probe {
  launch,         // an empty grid of one block, back to back; amount: launches a time (1)
  dispatch,       // empty blocks; amount: blocks
  clock,          // blocks that wait for so many cycles; amount: cycles
  fma_three,      // FMAs of three registers; variant: chains a thread; amount: FMAs a thread
  fma_two,        // … of two registers
  fma_immediate,  // … of one register, an immediate and another register
  fma_double,     // double precision, three registers
  issue,          // FMAs and integer instructions; variant: integer ones for 8 FMAs; amount:
                  // instructions a thread
  shared_read,    // 4-byte reads free of conflicts; amount: requests a warp
  shared_chase,   // dependent reads; amount: reads
  l2_read,        // amount: bytes
  l2_chase,       // dependent reads, a thread a SM; amount: reads
  dram_chase,     // likewise
  read,           // variant: bytes in flight a SM; amount: bytes read
  copy,           // variant: bytes of loads in flight a SM; amount: bytes read (and written)
  strided,        // one-float reads; variant: stride in bytes; amount: reads
  tags,           // requests that L1 serves; variant: lines a request; amount: requests a warp
  barrier,        // amount: barriers
  scale,          // y = 2x, an element a thread; amount: elements
};
const char* to_string(Probe probe);

// One timed launch. Where the probe has no variant it is 0.
struct ProbePoint {
  Probe probe = Probe::launch;
  int threads = 0;        // a block
  int blocks_per_sm = 0;  // resident at once; 0 where the grid is many times that
  double variant = 0;
  double amount = 0;
  double time_ns = 0;  // of one launch
};

struct Figure {
  std::string name;  // the profile's rate, or a name of its own where the profile has none
  std::string unit;  // "GB/s", "ns", "cycles", …; empty: a number
  bool rate = true;  // of the profile: written where it is not refused
  double value = 0;
  double previous = 0;  // the profile's value before; 0 where it has none
  double residual = 0;  // relative, root mean square; 0 where nothing was fitted
  int points = 0;       // that went in
  std::string refusal;  // why the value is not used; empty where it is
  std::string note;     // what else is to be said of it

  bool used() const { return rate && refusal.empty(); }
};

struct Calibration {
  std::vector<Figure> figures;
  DeviceProfile profile;  // with the rates that were not refused, the others as they were
};

// Every rate that the points tell of. A value out of its sane range, a fit that is off by more than
// it may be, or points that do not tell the constants apart are refused, which the figure and
// `sources` of the profile say. Later figures build on earlier ones (cycles on the clock); where
// those are refused, on the profile's. `before.sm_count` must be right.
Calibration calibrate(const DeviceProfile& before, std::span<const ProbePoint> points);

// The launch that the points of Probe::scale time.
struct KernelShape;
KernelShape scale_shape(const DeviceProfile& device, int threads, double elements);

}  // namespace tuner::models
