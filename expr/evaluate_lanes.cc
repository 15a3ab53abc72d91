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
// What all lanes share is computed once, and a jump that all take is a jump.
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
        result = spread(read(instruction.a), spread_a_);
        return;
      }
      if (active_ == 0) continue;
      if (!is_control(instruction.op)) {
        compute(at, instruction);
      } else if (jump(instruction)) {
        at = instruction.target - std::size_t{1};
      }
    }
  }

 private:
  // An operand: of each lane, or one value that all share.
  struct Lanes {
    const LaneCells* each = nullptr;
    Cell shared{.i = 0};
  };

  Lanes read(Operand operand) const {
    const std::size_t index = operand.index();
    if (operand.is(Operand::temporary)) {
      return differs_[index] ? Lanes{&temporaries_[index]} : Lanes{nullptr, shared_[index]};
    }
    if (operand.is(Operand::constant)) return {nullptr, program_.constants[index]};
    for (std::size_t j = 0; j < varying_.size(); ++j) {
      if (static_cast<std::size_t>(varying_[j]) == index) return {&lane_cells_[j]};
    }
    return {nullptr, cells_[index]};
  }

  static const LaneCells& spread(const Lanes& lanes, LaneCells& room) {
    if (lanes.each != nullptr) return *lanes.each;
    room.fill(lanes.shared);
    return room;
  }

  // Where the lanes of a temporary may differ from now on.
  LaneCells& lanes_of(std::size_t temporary) {
    if (!differs_[temporary] && active_ != kAllLanes) {
      temporaries_[temporary].fill(shared_[temporary]);
    }
    differs_[temporary] = true;
    return temporaries_[temporary];
  }

  void store(std::size_t temporary, Cell value) {
    if (active_ == kAllLanes) {
      shared_[temporary] = value;
      differs_[temporary] = false;
      return;
    }
    LaneCells& dst = lanes_of(temporary);
    for (Mask left = active_; left != 0; left &= left - 1) dst[first_lane(left)] = value;
  }

  void rejoin(std::size_t at) {
    for (Mask left = ~active_; left != 0; left &= left - 1) {
      const std::size_t lane = first_lane(left);
      if (waits_at_[lane] == at) active_ |= Mask{1} << lane;
    }
  }

  // Whether all lanes there are take it.
  bool jump(const Instruction& instruction) {
    const Lanes a = read(instruction.a);
    if (active_ == kAllLanes) {
      if (instruction.op == Op::jump) return true;  // its operand is what it leaves, in place
      if (a.each == nullptr) {
        store(instruction.dst, a.shared);
        return takes_jump(instruction.op, a.shared);
      }
    }
    const LaneCells& condition = spread(a, spread_a_);
    LaneCells& dst = lanes_of(instruction.dst);
    for (Mask left = active_; left != 0; left &= left - 1) {
      const std::size_t lane = first_lane(left);
      dst[lane] = condition[lane];
      if (!takes_jump(instruction.op, condition[lane])) continue;
      waits_at_[lane] = instruction.target;
      active_ &= ~(Mask{1} << lane);
    }
    return false;
  }

  void compute(std::size_t at, const Instruction& instruction) {
    const Lanes a = read(instruction.a), b = read(instruction.b);
    dispatch(instruction.op, [&]<Op kOp>() {
      const auto check = [&](Fault fault, Cell operand) {
        if (fault != Fault::none) [[unlikely]]
          throw_fault(program_, at, fault, operand);
      };
      if (a.each == nullptr && b.each == nullptr) {
        Cell value{.i = 0};
        check(expr::compute<kOp>(a.shared, b.shared, value), a.shared);
        store(instruction.dst, value);
        return;
      }
      const LaneCells& left = spread(a, spread_a_);
      const LaneCells& right = spread(b, spread_b_);
      LaneCells& dst = lanes_of(instruction.dst);
      const auto compute_lane = [&](std::size_t lane) {
        const Cell operand = left[lane];
        check(expr::compute<kOp>(operand, right[lane], dst[lane]), operand);
      };
      if (active_ == kAllLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) compute_lane(lane);
      } else {
        for (Mask rest = active_; rest != 0; rest &= rest - 1) compute_lane(first_lane(rest));
      }
    });
  }

  const Program& program_;
  std::span<const Cell> cells_;
  std::span<const int> varying_;
  std::span<const LaneCells> lane_cells_;
  Mask active_ = kAllLanes;
  std::array<std::uint16_t, kLanes> waits_at_;  // of lanes that are not active: index of code
  // A temporary is written before it is read; which of the two holds it, differs_ tells.
  std::array<LaneCells, kTemporaries> temporaries_;
  std::array<Cell, kTemporaries> shared_{};
  std::array<bool, kTemporaries> differs_{};
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
