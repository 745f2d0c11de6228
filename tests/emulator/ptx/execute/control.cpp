// SPDX-License-Identifier: Apache-2.0
// Branches, ends of threads, instructions under a predicate.

#include <string>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/control.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/synchronisation/waits.hpp"
#include "settings.hpp"

namespace emulator {

void run_unknown(warp& w, instruction const& i) {
  fail(w, __builtin_ctz(w.mask), *static_cast<std::string const*>(i.data));
}

void run_predicated(warp& w, instruction const& i) {
  std::uint32_t p = *reinterpret_cast<std::uint32_t*>(w.regs + static_cast<std::uint32_t>(i.pred));
  std::uint32_t m = w.mask & (i.pred_not ? ~p : p);
  if (m == 0) return;
  std::uint32_t whole = w.mask;
  w.mask = m;
  i.inner(w, i);
  w.mask = whole;
}
void run_branch(warp& w, instruction const& i) {
  w.pc = i.target;
  if (w.pc <= &i) w.budget -= 4;
}
static void part(warp& w, std::uint32_t taken,
                 instruction const* to) {  // some lanes go to `to`, others to w.pc
  std::uint32_t stay = w.mask & ~taken;
  bool go_with_taken = to < w.pc;
  if (options().seed != 0 && (random_bits() & 3) == 0) go_with_taken = !go_with_taken;
  std::uint32_t leave = go_with_taken ? stay : taken;
  instruction const* other = go_with_taken ? w.pc : to;
  if (go_with_taken) w.pc = to;
  each_lane(leave, [&](unsigned l) {
    w.lpc[l] = other;
    w.lbase[l] = w.base;
    w.lframe[l] = w.frame;
  });
  w.mask &= ~leave;
  if (other > w.pc && (other < w.limit || w.limit == nullptr) && w.limit != nullptr)
    w.limit = other;
  if (other <= w.pc) stop(w);
}
void run_branch_if(warp& w, instruction const& i) {
  std::uint32_t p = *reinterpret_cast<std::uint32_t*>(w.regs + static_cast<std::uint32_t>(i.pred));
  std::uint32_t taken = w.mask & (i.pred_not ? ~p : p);
  if (taken == 0) return;
  if (taken == w.mask) {
    w.pc = i.target;
    if (w.pc <= &i) w.budget -= 4;
    return;
  }
  part(w, taken, i.target);
}
void run_branch_table(warp& w, instruction const& i) {
  auto const& t = *static_cast<std::vector<const instruction*> const*>(i.data);
  std::uint32_t const* x = row<std::uint32_t>(w, i.o[0]);
  each_lane(w.mask, [&](unsigned l) {
    if (x[l] >= t.size())
      fail(w, static_cast<int>(l),
           "brx.idx with index " + std::to_string(x[l]) + " of " + std::to_string(t.size()));
  });
  unsigned first = __builtin_ctz(w.mask);
  bool same = true;
  each_lane(w.mask, [&](unsigned l) { same &= x[l] == x[first]; });
  if (same) {
    w.pc = t[x[first]];
    return;
  }
  each_lane(w.mask, [&](unsigned l) {
    w.lpc[l] = t[x[l]];
    w.lbase[l] = w.base;
    w.lframe[l] = w.frame;
  });
  w.mask = 0;
  stop(w);
}
void run_return(warp& w, instruction const&) {
  std::uint32_t leave = 0;
  each_lane(w.mask, [&](unsigned l) {
    auto& c = w.lanes[l].calls;
    if (c.empty()) {
      leave |= 1u << l;
      return;
    }
    return_record r = c.back();
    c.pop_back();
    char* mine = local_of(w, l);
    for (std::size_t n = 0; n < r.plan->results.size() && n < r.callee->results.size(); ++n)
      std::memcpy(mine + r.frame + r.plan->results[n].offset,
                  mine + w.frame + r.callee->results[n].offset,
                  std::min(r.plan->results[n].size, r.callee->results[n].size));
    w.lpc[l] = r.pc, w.lbase[l] = r.base, w.lframe[l] = r.frame;
  });
  if (leave != 0) threads_exit(w, leave);
  w.mask = 0;
  stop(w);
}
void run_exit(warp& w, instruction const&) {
  threads_exit(w, w.mask);
  w.mask = 0;
  stop(w);
}
void run_end_of_function(warp& w, instruction const& i) { run_return(w, i); }
static void run_trap(warp& w, instruction const&) { fail(w, __builtin_ctz(w.mask), "trap"); }
void run_nothing(warp&, instruction const&) {}

// An address in the frame: what is constant of it, and where the frame is.
void run_frame_address(warp& w, instruction const& i) {
  std::uint64_t off =
      i.k == 8 ? row<std::uint64_t>(w, i.o[1])[0] : row<std::uint32_t>(w, i.o[1])[0];
  if (i.k == 8)
    each_lane(w.mask, [&](unsigned l) { row<std::uint64_t>(w, i.o[0])[l] = off + w.frame; });
  else
    each_lane(w.mask, [&](unsigned l) {
      row<std::uint32_t>(w, i.o[0])[l] = static_cast<std::uint32_t>(off + w.frame);
    });
}

bool decode_end(decoder& d, statement const& s) {
  d.emit(d.make(s.op == "ret" ? run_return : s.op == "exit" ? run_exit : run_trap, 0));
  return true;
}

// Fences, too: what is written is seen by all at once.
bool decode_nothing(decoder& d, statement const&) {
  d.emit(d.make(run_nothing, 0));
  return true;
}

}  // namespace emulator
