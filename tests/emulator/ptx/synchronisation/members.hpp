// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lanes of a warp meet: those that an instruction names as its members.

#include "ptx/machine.hpp"

namespace emulator {

// w.mask becomes the lanes whose members have all come; the others wait. False if there are none.
bool gather(warp& w, instruction const& i, u64 mask_operand);

// f(lanes) for each group of lanes with the same mask.
template <class F> void each_mask(warp& w, std::uint32_t const* m, F&& f) {
  std::uint32_t left = w.mask;
  while (left != 0) {
    unsigned first = __builtin_ctz(left);
    std::uint32_t mine = 0;
    each_lane(left, [&](unsigned l) {
      if (m[l] == m[first]) mine |= 1u << l;
    });
    left &= ~mine;
    f(mine);
  }
}

}  // namespace emulator
