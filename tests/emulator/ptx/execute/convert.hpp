// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conversions: what the handlers of cvt and its decoder know of each other.

#include "ptx/decode/decoder.hpp"
#include "ptx/machine.hpp"

namespace emulator {

enum conversion_flag : u32 { cv_sat = 1, cv_ftz = 2, cv_satfinite = 4, cv_relu = 8 };

// Of one number. k: type to, k2: type from; rounding; flags; imm2: rounding to an integer, or -1.
void run_convert(warp& w, instruction const& i);
// Two f32 to a pair. o[1]: upper, o[2]: lower; k: type to.
void run_convert_pair(warp& w, instruction const& i);
// Pairs of 8-bit numbers to and from pairs of f16. k: type to, k2: type from.
void run_eights(warp& w, instruction const& i);
// cvt.pack. k: type to; imm: number of operands.
void run_pack_sat(warp& w, instruction const& i);

void int_range(dtype t, s128& least, s128& most);

}  // namespace emulator
