// SPDX-License-Identifier: Apache-2.0
// Several integers in a register: dot products of bytes, pairs of halves; differences that are
// added up.

#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/integer_operations.hpp"

namespace emulator {

static int byte_of(u32 word, int n, bool is_signed) {
  u32 const bits = word >> (8 * n) & 255;
  return is_signed ? static_cast<s8>(bits) : static_cast<int>(bits);
}
static int half_of(u32 word, int n, bool is_signed) {
  u32 const bits = word >> (16 * n) & 65535;
  return is_signed ? static_cast<s16>(bits) : static_cast<int>(bits);
}

// flags: 1 and 2: a and b are signed, 4: of four bytes, 8: the upper bytes of b.
static void run_dot(warp& w, instruction const& i) {
  u32 const *a = row<u32>(w, i.o[1]), *b = row<u32>(w, i.o[2]), *c = row<u32>(w, i.o[3]);
  bool const a_signed = i.flags & 1, b_signed = i.flags & 2;
  each_lane(w.mask, [&](unsigned l) {
    u32 sum = c[l];
    if (i.flags & 4)
      for (int n = 0; n < 4; ++n)
        sum += static_cast<u32>(byte_of(a[l], n, a_signed) * byte_of(b[l], n, b_signed));
    else
      for (int n = 0; n < 2; ++n)
        sum += static_cast<u32>(half_of(a[l], n, a_signed) *
                                byte_of(b[l], n + (i.flags & 8 ? 2 : 0), b_signed));
    row<u32>(w, i.o[0])[l] = sum;
  });
}

enum class pair_operation : u8 { add, min, max };
// k: pair_operation; k2: signed.
static void run_pair(warp& w, instruction const& i) {
  u32 const *a = row<u32>(w, i.o[1]), *b = row<u32>(w, i.o[2]);
  auto const of = static_cast<pair_operation>(i.k);
  each_lane(w.mask, [&](unsigned l) {
    u32 result = 0;
    for (int n = 0; n < 2; ++n) {
      int const x = half_of(a[l], n, i.k2), y = half_of(b[l], n, i.k2);
      int const z = of == pair_operation::add                ? x + y
                    : (of == pair_operation::min) == (x < y) ? x
                                                             : y;
      result |= static_cast<u32>(static_cast<u16>(z)) << (16 * n);
    }
    row<u32>(w, i.o[0])[l] = result;
  });
}

static bool decode_dot(decoder& d, statement const& s) {
  instruction i = d.make(run_dot);
  i.flags = (s.type(0) == dtype::s32 ? 1u : 0u) | (s.type(1) == dtype::s32 ? 2u : 0u) |
            (s.op == "dp4a" ? 4u : 0u) | (s.has("hi") ? 8u : 0u);
  i.o[0] = d.dst(s.ops.at(0), 4);
  for (int n = 1; n <= 3; ++n) i.o[n] = d.src(s.ops.at(n), dtype::b32);
  d.emit(i);
  return true;
}

bool decode_packed_integer(decoder& d, statement const& s) {
  if (s.op == "dp4a" || s.op == "dp2a") return decode_dot(d, s);
  dtype const t = s.type();
  if (s.op == "sad") {
    handler const h =
        by_type<3, [](auto a, auto b, auto c) { return c + (a < b ? b - a : a - b); }>(t);
    return d.emit(h, t, {t, t, t});
  }
  if (t != dtype::u16x2 && t != dtype::s16x2) return false;
  instruction i = d.make(run_pair);
  i.k = static_cast<u8>(s.op == "add"   ? pair_operation::add
                        : s.op == "min" ? pair_operation::min
                                        : pair_operation::max);
  i.k2 = t == dtype::s16x2;
  i.o[0] = d.dst(s.ops.at(0), 4);
  for (int n = 1; n <= 2; ++n) i.o[n] = d.src(s.ops.at(n), dtype::b32);
  d.emit(i);
  return true;
}

}  // namespace emulator
