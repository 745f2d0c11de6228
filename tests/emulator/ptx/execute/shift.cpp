// SPDX-License-Identifier: Apache-2.0
// Shifts, permutations of bytes, logic of three operands.

#include <algorithm>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/integer_operations.hpp"
#include "ptx/machine.hpp"

namespace emulator {

static u32 permute(u32 a, u32 b, u32 c, int mode) {
  u64 v = static_cast<u64>(b) << 32 | a;
  auto byte = [&](u32 n) { return static_cast<u32>(v >> (8 * (n & 7)) & 255); };
  u32 s = c & 3, r = 0;
  switch (mode) {
    case 0:
      for (int k = 0; k < 4; ++k) {
        u32 sel = c >> (4 * k) & 15, x = byte(sel & 7);
        if (sel & 8) x = (x & 128) ? 255 : 0;
        r |= x << (8 * k);
      }
      return r;
    case 1:
      return byte(s) | byte(s + 1) << 8 | byte(s + 2) << 16 | byte(s + 3) << 24;  // f4e
    case 2:
      return byte(s) | byte(s + 7) << 8 | byte(s + 6) << 16 | byte(s + 5) << 24;  // b4e
    case 3:
      return byte(s) * 0x01010101u;  // rc8
    case 4:
      for (u32 k = 0; k < 4; ++k) r |= byte(std::max(s, k)) << (8 * k);
      return r;  // ecl
    case 5:
      for (u32 k = 0; k < 4; ++k) r |= byte(std::min(s, k)) << (8 * k);
      return r;  // ecr
    default: {
      u32 h = s & 1;
      return byte(2 * h) | byte(2 * h + 1) << 8 | byte(2 * h) << 16 | byte(2 * h + 1) << 24;
    }  // rc16
  }
}
template <int Mode>
static constexpr auto prmt = [](u32 a, u32 b, u32 c) -> u32 { return permute(a, b, c, Mode); };

static void run_lop3(warp& w, instruction const& i) {  // o: d, p, a, b, c, q
  u32 const *a = row<u32>(w, i.o[2]), *b = row<u32>(w, i.o[3]), *c = row<u32>(w, i.o[4]);
  u32* d = row<u32>(w, i.o[0]);
  u32 lut = static_cast<u32>(i.imm), p = 0;
  each_lane(w.mask, [&](unsigned l) {
    u32 r = 0, x = a[l], y = b[l], z = c[l];
    if (lut & 0x01) r |= ~x & ~y & ~z;
    if (lut & 0x02) r |= ~x & ~y & z;
    if (lut & 0x04) r |= ~x & y & ~z;
    if (lut & 0x08) r |= ~x & y & z;
    if (lut & 0x10) r |= x & ~y & ~z;
    if (lut & 0x20) r |= x & ~y & z;
    if (lut & 0x40) r |= x & y & ~z;
    if (lut & 0x80) r |= x & y & z;
    if (r != 0) p |= 1u << l;
    d[l] = r;
  });
  if (i.k) {
    u32 q = predicate(w, i.o[5]);
    if (i.k2) q = ~q;
    set_predicate(w, i.o[1], i.k == 1 ? p | q : p & q);
  }
}

static bool decode_prmt(decoder& d) {
  statement const& s = *d.now;
  handler const h = s.has("f4e")    ? elementwise<prmt<1>, u32, u32, u32, u32>
                    : s.has("b4e")  ? elementwise<prmt<2>, u32, u32, u32, u32>
                    : s.has("rc8")  ? elementwise<prmt<3>, u32, u32, u32, u32>
                    : s.has("ecl")  ? elementwise<prmt<4>, u32, u32, u32, u32>
                    : s.has("ecr")  ? elementwise<prmt<5>, u32, u32, u32, u32>
                    : s.has("rc16") ? elementwise<prmt<6>, u32, u32, u32, u32>
                                    : elementwise<prmt<0>, u32, u32, u32, u32>;
  return d.emit(h, dtype::b32, {dtype::b32, dtype::b32, dtype::b32});
}

static bool decode_lop3(decoder& d, statement const& s) {
  auto const& o = s.ops;
  instruction i = d.make(run_lop3, 2);
  if (o.at(0).k == operand::pair)
    i.o[0] = d.dst(o[0].elems[0], 4), i.o[1] = d.dst_pred(o[0].elems[1]);
  else
    i.o[0] = d.dst(o[0], 4), i.o[1] = d.vid(d.temp(0));
  for (int n = 1; n <= 3; ++n) i.o[1 + n] = d.src(o.at(n), dtype::b32);
  i.imm = static_cast<std::int64_t>(o.at(4).value.bits);
  if (s.has("and") || s.has("or")) {
    i.k = s.has("or") ? 1 : 2;
    bool is_inverse;
    i.o[5] = d.src_pred(o.at(5), is_inverse);
    i.k2 = is_inverse;
  }
  d.emit(i);
  return true;
}

// Of the 64 bits b:a. wrap: by c modulo 32, else by at most 32.
template <bool Left, bool Wraps>
constexpr auto funnel = [](u32 a, u32 b, u32 c) -> u32 {
  u64 const both = static_cast<u64>(b) << 32 | a;
  u32 const by = Wraps ? c & 31 : 32 < c ? 32 : c;
  if (Left) return static_cast<u32>(by == 32 ? both : both << by >> 32);
  return static_cast<u32>(both >> by);
};
static bool decode_shf(decoder& d, statement const& s) {
  handler const left = s.has("wrap") ? elementwise<funnel<true, true>, u32, u32, u32, u32>
                                     : elementwise<funnel<true, false>, u32, u32, u32, u32>;
  handler const right = s.has("wrap") ? elementwise<funnel<false, true>, u32, u32, u32, u32>
                                      : elementwise<funnel<false, false>, u32, u32, u32, u32>;
  return d.emit(s.has("l") ? left : right, dtype::b32, {dtype::b32, dtype::b32, dtype::b32});
}

template <class T> static handler shift_handler(bool is_left) {
  using U = std::make_unsigned_t<T>;
  return is_left ? elementwise<[](U a, u32 b) -> U { return shift_left<U>(a, b); }, U, U, u32>
                 : elementwise<[](T a, u32 b) -> T { return shift_right<T>(a, b); }, T, T, u32>;
}
static handler shift_handler(dtype t, bool is_left) {
  switch (t) {
    case dtype::b16:
    case dtype::u16:
      return shift_handler<u16>(is_left);
    case dtype::s16:
      return shift_handler<s16>(is_left);
    case dtype::b32:
    case dtype::u32:
      return shift_handler<u32>(is_left);
    case dtype::s32:
      return shift_handler<s32>(is_left);
    case dtype::b64:
    case dtype::u64:
      return shift_handler<u64>(is_left);
    case dtype::s64:
      return shift_handler<s64>(is_left);
    default:
      return nullptr;
  }
}

bool decode_shift(decoder& d, statement const& s) {
  if (s.op == "prmt") return decode_prmt(d);
  if (s.op == "lop3") return decode_lop3(d, s);
  if (s.op == "shf") return decode_shf(d, s);
  dtype const t = s.type();
  return d.emit(shift_handler(t, s.op == "shl"), t, {t, dtype::b32});
}

}  // namespace emulator
