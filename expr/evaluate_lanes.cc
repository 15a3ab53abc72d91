#include <bit>
#include <cassert>
#include <cstdint>

#include "expr/evaluate.h"

namespace tuner::expr {
namespace {

using LaneCells = std::array<Cell, kLanes>;
using Mask = std::uint32_t;
static_assert(kLanes == 32, "a Mask has a bit a lane");
constexpr Mask kAllLanes = ~Mask{0};

std::size_t first_lane(Mask mask) { return static_cast<std::size_t>(std::countr_zero(mask)); }

// One run of a program over a warp's lanes, once through the code. Lanes that jump leave the active
// ones and wait at the target; nothing is computed for a lane that waits, so that it cannot fail.
class LaneRun {
 public:
  LaneRun(const Program& program, std::span<const Cell> cells, std::span<const int> varying,
          std::span<const LaneCells> lane_cells)
      : program_(program), cells_(cells), varying_(varying), lane_cells_(lane_cells) {}

  void run(LaneCells& result) {
    for (std::size_t at = 0;; ++at) {
      const Instruction& instruction = program_.code[at];
      if (instruction.is_target) rejoin(at);
      if (instruction.op == Op::result) {
        result = read(instruction.a, spread_a_);
        return;
      }
      if (active_ == 0) continue;
      if (is_control(instruction.op)) {
        jump(instruction);
      } else {
        compute_lanes(at, instruction);
      }
    }
  }

 private:
  // The lanes of an operand. A value that they share is spread into `spread` first.
  const LaneCells& read(Operand operand, LaneCells& spread) const {
    if (operand.is(Operand::temporary)) return temporaries_[operand.index()];
    if (operand.is(Operand::constant)) {
      spread.fill(program_.constants[operand.index()]);
      return spread;
    }
    for (std::size_t j = 0; j < varying_.size(); ++j) {
      if (static_cast<std::size_t>(varying_[j]) == operand.index()) return lane_cells_[j];
    }
    spread.fill(cells_[operand.index()]);
    return spread;
  }

  void rejoin(std::size_t at) {
    for (Mask left = ~active_; left != 0; left &= left - 1) {
      const std::size_t lane = first_lane(left);
      if (waits_at_[lane] == at) active_ |= Mask{1} << lane;
    }
  }

  void jump(const Instruction& instruction) {
    const LaneCells& a = read(instruction.a, spread_a_);
    LaneCells& dst = temporaries_[instruction.dst];
    for (Mask left = active_; left != 0; left &= left - 1) {
      const std::size_t lane = first_lane(left);
      dst[lane] = a[lane];
      if (!takes_jump(instruction.op, a[lane])) continue;
      waits_at_[lane] = instruction.target;
      active_ &= ~(Mask{1} << lane);
    }
  }

  void compute_lanes(std::size_t at, const Instruction& instruction) {
    const LaneCells& a = read(instruction.a, spread_a_);
    const LaneCells& b = read(instruction.b, spread_b_);
    LaneCells& dst = temporaries_[instruction.dst];
    const auto compute_lane = [&]<Op kOp>(std::size_t lane) {
      const Fault fault = compute<kOp>(a[lane], b[lane], dst[lane]);
      if (fault != Fault::none) [[unlikely]]
        throw_fault(program_, at, fault, a[lane]);
    };
    dispatch(instruction.op, [&]<Op kOp>() {
      if (active_ == kAllLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          compute_lane.template operator()<kOp>(lane);
        }
      } else {
        for (Mask left = active_; left != 0; left &= left - 1) {
          compute_lane.template operator()<kOp>(first_lane(left));
        }
      }
    });
  }

  const Program& program_;
  std::span<const Cell> cells_;
  std::span<const int> varying_;
  std::span<const LaneCells> lane_cells_;
  Mask active_ = kAllLanes;
  std::array<std::uint16_t, kLanes> waits_at_;       // of lanes that are not active: index of code
  std::array<LaneCells, kTemporaries> temporaries_;  // each lane is written before it is read
  LaneCells spread_a_;
  LaneCells spread_b_;
};

}  // namespace

void evaluate_lanes(const Program& program, std::span<const Cell> cells,
                    std::span<const int> varying, std::span<const LaneCells> lane_cells,
                    LaneCells& result) {
  assert(varying.size() == lane_cells.size());
  LaneRun(program, cells, varying, lane_cells).run(result);
}

}  // namespace tuner::expr
