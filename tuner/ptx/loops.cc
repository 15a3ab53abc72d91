#include "tuner/ptx/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace tuner::ptx {
namespace {

bool ends_thread(const Instruction& instruction) {
  const std::string_view name = instruction.name();
  return name == "ret" || name == "exit" || name == "trap";
}

bool ends_block(const Instruction& instruction) {
  return instruction.target >= 0 || instruction.name() == "brx" || ends_thread(instruction);
}

void make_blocks(const Function& function, ControlFlow& flow) {
  const int size = static_cast<int>(function.code.size());
  std::set<int> starts = {0};
  for (int i = 0; i < size; ++i) {
    const Instruction& instruction = function.code[static_cast<std::size_t>(i)];
    if (!ends_block(instruction)) continue;
    starts.insert(i + 1);
    if (instruction.target >= 0) starts.insert(instruction.target);
  }
  starts.erase(starts.lower_bound(size), starts.end());
  for (const int start : starts) flow.blocks.push_back({start, size, {}, -1});
  flow.block_of.resize(function.code.size());
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    Block& block = flow.blocks[b];
    if (b + 1 < flow.blocks.size()) block.end = flow.blocks[b + 1].begin;
    for (int i = block.begin; i < block.end; ++i) {
      flow.block_of[static_cast<std::size_t>(i)] = static_cast<int>(b);
    }
  }
}

void connect(const Function& function, ControlFlow& flow) {
  const auto size = static_cast<int>(function.code.size());
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    Block& block = flow.blocks[b];
    if (block.end == block.begin) continue;
    const Instruction& last = function.code[static_cast<std::size_t>(block.end) - 1];
    const bool always = last.guard < 0;
    if (last.target >= 0 && last.target < size) {
      block.next.push_back(flow.block_of[static_cast<std::size_t>(last.target)]);
    }
    if (last.name() == "brx") flow.indirect_jumps = true;
    const bool leaves = always && ends_block(last);
    if (!leaves && b + 1 < flow.blocks.size()) block.next.push_back(static_cast<int>(b) + 1);
  }
}

// Depth-first from the entry: blocks in reverse postorder, and each one's place in it (-1: nothing
// leads there).
struct Order {
  std::vector<int> blocks, place;
};

Order reverse_postorder(const ControlFlow& flow) {
  Order order;
  order.place.assign(flow.blocks.size(), -1);
  if (flow.blocks.empty()) return order;
  struct Visit {
    int block = 0;
    std::size_t next = 0;
  };
  std::vector<bool> seen(flow.blocks.size());
  std::vector<Visit> stack = {{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    const std::vector<int>& next = flow.blocks[static_cast<std::size_t>(visit.block)].next;
    if (visit.next == next.size()) {
      order.blocks.push_back(visit.block);
      stack.pop_back();
      continue;
    }
    const int to = next[visit.next++];
    if (seen[static_cast<std::size_t>(to)]) continue;
    seen[static_cast<std::size_t>(to)] = true;
    stack.push_back({to, 0});
  }
  std::reverse(order.blocks.begin(), order.blocks.end());
  for (std::size_t i = 0; i < order.blocks.size(); ++i) {
    order.place[static_cast<std::size_t>(order.blocks[i])] = static_cast<int>(i);
  }
  return order;
}

std::vector<std::vector<int>> predecessors(const ControlFlow& flow, const Order& order) {
  std::vector<std::vector<int>> result(flow.blocks.size());
  for (const int block : order.blocks) {
    for (const int to : flow.blocks[static_cast<std::size_t>(block)].next) {
      result[static_cast<std::size_t>(to)].push_back(block);
    }
  }
  return result;
}

// Each block's immediate dominator, as places in the order (Cooper, Harvey and Kennedy, "A simple,
// fast dominance algorithm", 2001).
std::vector<int> dominators(const Order& order, const std::vector<std::vector<int>>& before) {
  std::vector<int> dominator(order.blocks.size(), -1);
  if (dominator.empty()) return dominator;
  dominator[0] = 0;
  const auto common = [&](int a, int b) {
    while (a != b) (a > b ? a : b) = dominator[static_cast<std::size_t>(a > b ? a : b)];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 1; i < order.blocks.size(); ++i) {
      int best = -1;
      for (const int block : before[static_cast<std::size_t>(order.blocks[i])]) {
        const int place = order.place[static_cast<std::size_t>(block)];
        if (dominator[static_cast<std::size_t>(place)] < 0) continue;
        best = best < 0 ? place : common(best, place);
      }
      changed |= best != dominator[i];
      dominator[i] = best;
    }
  }
  return dominator;
}

bool dominates(const std::vector<int>& dominator, int above, int place) {
  while (place > above) place = dominator[static_cast<std::size_t>(place)];
  return place == above;
}

// All that reaches `tail` without passing the header.
void collect(const std::vector<std::vector<int>>& before, int header, int tail,
             std::set<int>& blocks) {
  blocks.insert(header);
  std::vector<int> open = {tail};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (!blocks.insert(block).second) continue;
    for (const int from : before[static_cast<std::size_t>(block)]) open.push_back(from);
  }
}

void find_loops(ControlFlow& flow) {
  const Order order = reverse_postorder(flow);
  const auto before = predecessors(flow, order);
  const std::vector<int> dominator = dominators(order, before);
  std::map<int, std::set<int>> by_header;  // place of the header -> blocks
  for (const int block : order.blocks) {
    const int place = order.place[static_cast<std::size_t>(block)];
    for (const int to : flow.blocks[static_cast<std::size_t>(block)].next) {
      const int header = order.place[static_cast<std::size_t>(to)];
      if (header > place) continue;
      if (dominates(dominator, header, place)) {
        collect(before, to, block, by_header[header]);
      } else {
        flow.irreducible = true;
      }
    }
  }
  // An outer loop's header comes first in the order, so its loop comes before those in it.
  for (const auto& [header, blocks] : by_header) {
    Loop loop;
    loop.header = order.blocks[static_cast<std::size_t>(header)];
    loop.blocks.assign(blocks.begin(), blocks.end());
    loop.parent = flow.blocks[static_cast<std::size_t>(loop.header)].loop;
    if (loop.parent >= 0) loop.depth = flow.loops[static_cast<std::size_t>(loop.parent)].depth + 1;
    const int index = static_cast<int>(flow.loops.size());
    for (const int block : loop.blocks) flow.blocks[static_cast<std::size_t>(block)].loop = index;
    flow.loops.push_back(std::move(loop));
  }
}

}  // namespace

bool ControlFlow::in_loop(int block, int loop) const {
  int at = blocks[static_cast<std::size_t>(block)].loop;
  while (at >= 0 && at != loop) at = loops[static_cast<std::size_t>(at)].parent;
  return at == loop;
}

ControlFlow control_flow(const Function& function) {
  ControlFlow flow;
  if (function.code.empty()) return flow;
  make_blocks(function, flow);
  connect(function, flow);
  find_loops(flow);
  return flow;
}

}  // namespace tuner::ptx
