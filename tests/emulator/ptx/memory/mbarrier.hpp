// SPDX-License-Identifier: Apache-2.0
#pragma once
// Barriers in shared memory, and what is under way there and is counted by them.

#include <cstddef>

#include "ptx/decode/decoder.hpp"
#include "ptx/machine.hpp"
#include "ptx/memory/access.hpp"

namespace emulator {

// Phase 1 bit, arrivals that are missing 20, that a phase has 20, bytes that are missing 23
// (signed).
struct mbarrier_state {
  u64 phase, pending, expected;
  s64 bytes;
};
mbarrier_state read_mbarrier(char const* p);
void write_mbarrier(char* p, mbarrier_state const& m);

// What came may have ended the phase.
void settle(warp& w, mbarrier_state& m);
void complete_bytes(warp& w, unsigned l, char* barrier, u64 bytes);

// A store or copy of the instruction that arrives some time later.
void arrive_later(warp& w, unsigned l, instruction const& i, char* to, void const* from,
                  std::size_t bytes, char* barrier);
// Some of what is under way arrives, with a seed in any order; false: nothing was.
bool deliver(cluster& c);

// The address of a lane: o[1] of the instruction.
struct mbarrier_address {
  addresses at;
  space where;
  mbarrier_address(warp& w, instruction const& i) : at(w, i, 1), where(i.where) {}
  char* operator()(warp& w, unsigned l) const { return resolve(w, l, at[l], 8, where, true, true); }
};

// Only o[0], imm and k2 are set: an address of an instruction that has several.
inline instruction address_alone(decoder& d, operand const& o) {
  instruction i;
  d.address(i, 0, o);
  return i;
}

}  // namespace emulator
