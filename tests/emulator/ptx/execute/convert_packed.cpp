// SPDX-License-Identifier: Apache-2.0
// cvt to and from pairs.

#include <cmath>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/convert.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/number_formats.hpp"
#include "ptx/machine.hpp"

namespace emulator {

void run_convert_pair(warp& w, instruction const& i) {
  dtype to = static_cast<dtype>(i.k);
  float const *hi = row<float>(w, i.o[1]), *lo = row<float>(w, i.o[2]);
  bool sf = i.flags & cv_satfinite;
  auto one = [&](float x) -> u32 {
    if ((i.flags & cv_relu) && x == x && !(x > 0)) x = 0;
    switch (to) {
      case dtype::f16x2:
        return i.rounding == 0 && !sf ? float_to_half(x) : to_half(x, i.rounding, sf);
      case dtype::bf16x2:
        return i.rounding == 0 && !sf ? float_to_bf16(x) : to_bf16(x, i.rounding, sf);
      case dtype::e4m3x2:
        return round_to(x, 3, 4, false, 0, true);
      default:
        return round_to(x, 2, 5, true, 0, true);
    }
  };
  if (size_of(to) == 4)
    each_lane(w.mask, [&](unsigned l) {
      u32 h = one(hi[l]);
      row<u32>(w, i.o[0])[l] = h << 16 | one(lo[l]);
    });
  else
    each_lane(w.mask, [&](unsigned l) {
      u32 h = one(hi[l]);
      row<u16>(w, i.o[0])[l] = static_cast<u16>(h << 8 | one(lo[l]));
    });
}
void run_eights(warp& w, instruction const& i) {
  dtype to = static_cast<dtype>(i.k), from = static_cast<dtype>(i.k2);
  each_lane(w.mask, [&](unsigned l) {
    if (to == dtype::f16x2) {
      u16 v = row<u16>(w, i.o[1])[l];
      u32 r = 0;
      for (int k = 0; k < 2; ++k) {
        u8 b = static_cast<u8>(v >> (8 * k));
        double x = from == dtype::e4m3x2 ? e4m3_to_double(b) : e5m2_to_double(b);
        u16 h = to_half(x);
        if ((i.flags & cv_relu) && x == x && !(x > 0)) h = 0;
        r |= static_cast<u32>(h) << (16 * k);
      }
      row<u32>(w, i.o[0])[l] = r;
    } else {  // f16x2 -> 8
      u32 v = row<u32>(w, i.o[1])[l];
      u16 r = 0;
      for (int k = 0; k < 2; ++k) {
        double x = half_to_float(static_cast<u16>(v >> (16 * k)));
        if ((i.flags & cv_relu) && x == x && !(x > 0)) x = 0;
        r |= static_cast<u16>((to == dtype::e4m3x2 ? round_to(x, 3, 4, false, 0, true)
                                                   : round_to(x, 2, 5, true, 0, true))
                              << (8 * k));
      }
      row<u16>(w, i.o[0])[l] = r;
    }
  });
}
void run_pack_sat(warp& w, instruction const& i) {
  dtype to = static_cast<dtype>(i.k);
  s128 least, most;
  int_range(to, least, most);
  unsigned bits = size_of(to) * 8;
  each_lane(w.mask, [&](unsigned l) {
    s128 a = row<s32>(w, i.o[1])[l], b = row<s32>(w, i.o[2])[l];
    a = a < least ? least : a > most ? most : a;
    b = b < least ? least : b > most ? most : b;
    u32 m = (1u << bits) - 1;
    u32 r = (static_cast<u32>(a) & m) << bits | (static_cast<u32>(b) & m);
    if (i.imm == 3) r |= row<u32>(w, i.o[3])[l] << (2 * bits);
    row<u32>(w, i.o[0])[l] = r;
  });
}

}  // namespace emulator
