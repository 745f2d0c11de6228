// SPDX-License-Identifier: Apache-2.0
// Which conversion a cvt is; the frequent ones are for all lanes at once.

#include <algorithm>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/convert.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/number_formats.hpp"
#include "ptx/machine.hpp"

namespace emulator {

template <class D, class A> static handler narrow_or_widen() {
  return elementwise<[](A a) -> D { return static_cast<D>(a); }, D, A>;
}
template <class A> static handler int_to(dtype to) {
  switch (to) {
    case dtype::u8:
    case dtype::b8:
      return narrow_or_widen<u8, A>();
    case dtype::s8:
      return narrow_or_widen<s8, A>();
    case dtype::u16:
    case dtype::b16:
      return narrow_or_widen<u16, A>();
    case dtype::s16:
      return narrow_or_widen<s16, A>();
    case dtype::u32:
    case dtype::b32:
      return narrow_or_widen<u32, A>();
    case dtype::s32:
      return narrow_or_widen<s32, A>();
    case dtype::u64:
    case dtype::b64:
      return narrow_or_widen<u64, A>();
    case dtype::s64:
      return narrow_or_widen<s64, A>();
    default:
      return nullptr;
  }
}
static handler int_to_int(dtype to, dtype from) {
  switch (from) {
    case dtype::u8:
    case dtype::b8:
      return int_to<u8>(to);
    case dtype::s8:
      return int_to<s8>(to);
    case dtype::u16:
    case dtype::b16:
      return int_to<u16>(to);
    case dtype::s16:
      return int_to<s16>(to);
    case dtype::u32:
    case dtype::b32:
      return int_to<u32>(to);
    case dtype::s32:
      return int_to<s32>(to);
    case dtype::u64:
    case dtype::b64:
      return int_to<u64>(to);
    case dtype::s64:
      return int_to<s64>(to);
    default:
      return nullptr;
  }
}

// What all lanes do at once, without modifiers and rounded as usual.
static float unit_range(float x) { return x != x ? 0 : x <= 0 ? 0 : x > 1 ? 1 : x; }
static float narrow_double(double x) {
  float const r = static_cast<float>(x);
  return r != r ? bits_float(0x7fffffffu) : r;
}
static s32 truncated(float x) {
  if (x != x) return 0;
  return x >= 2147483648.0f ? INT32_MAX : x < -2147483648.0f ? INT32_MIN : static_cast<s32>(x);
}
template <class To, class From>
constexpr handler as = elementwise<[](From a) -> To { return static_cast<To>(a); }, To, From>;

struct plain_conversion {
  dtype to, from;
  handler run;
};
static plain_conversion const plain_conversions[] = {
    {dtype::bf16, dtype::f32, elementwise<float_to_bf16, u16, float>},
    {dtype::f16, dtype::f32, elementwise<float_to_half, u16, float>},
    {dtype::f32, dtype::f16, elementwise<half_to_float, float, u16>},
    {dtype::f32, dtype::bf16, elementwise<bf16_to_float, float, u16>},
    {dtype::f64, dtype::f32, as<double, float>},
    {dtype::f32, dtype::f64, elementwise<narrow_double, float, double>},
    {dtype::f32, dtype::s32, as<float, s32>},
    {dtype::f32, dtype::u32, as<float, u32>},
    {dtype::f32, dtype::s64, as<float, s64>},
    {dtype::f32, dtype::u64, as<float, u64>},
    {dtype::f64, dtype::s32, as<double, s32>},
    {dtype::f64, dtype::u32, as<double, u32>},
};

static handler conversion(instruction const& i, dtype to, dtype from) {
  bool const is_nearest = i.rounding == 0, to_integer = i.imm2 >= 0;
  if (!is_float(to) && !is_float(from) && !(i.flags & cv_sat)) return int_to_int(to, from);
  if (i.flags == 0 && is_nearest && !to_integer)
    for (plain_conversion const& each : plain_conversions)
      if (each.to == to && each.from == from) return each.run;
  if (from == dtype::f32 && to == dtype::f32 && i.flags == cv_sat && is_nearest && !to_integer)
    return elementwise<unit_range, float, float>;
  if (from == dtype::f32 && to == dtype::s32 && i.flags == 0 && i.imm2 == 1)
    return elementwise<truncated, s32, float>;
  return run_convert;
}

static bool is_pair_of_eights(dtype t) { return t == dtype::e4m3x2 || t == dtype::e5m2x2; }

static bool decode_pack(decoder& d, statement const& s) {
  instruction i = d.make(run_pack_sat);
  i.k = static_cast<u8>(s.type(0));
  i.imm = static_cast<std::int64_t>(s.ops.size()) - 1;
  i.o[0] = d.dst(s.ops.at(0), 4);
  for (std::size_t n = 1; n < s.ops.size(); ++n) i.o[n] = d.src(s.ops[n], dtype::b32);
  d.emit(i);
  return true;
}

// A register that is wider than the result takes it extended.
static void emit_result(decoder& d, instruction i, dtype to) {
  operand const& result = d.now->ops.at(0);
  unsigned const bytes = size_of(to);
  unsigned const has = result.k == operand::reg ? d.sizes[result.vreg] : bytes;
  if (has <= bytes) {
    i.o[0] = d.dst(result, bytes);
    d.emit(i);
    return;
  }
  int const narrow = d.temp(bytes);
  i.o[0] = d.vid(narrow);
  d.emit(i);
  dtype const wide = has == 2   ? (is_signed(to) ? dtype::s16 : dtype::u16)
                     : has == 4 ? (is_signed(to) ? dtype::s32 : dtype::u32)
                                : (is_signed(to) ? dtype::s64 : dtype::u64);
  dtype const from = !is_float(to) ? to : bytes == 2 ? dtype::u16 : dtype::u32;
  instruction extend = d.make(int_to_int(wide, from));
  extend.o[0] = d.vid(result.vreg), extend.o[1] = d.vid(narrow);
  d.emit(extend);
}

bool decode_convert(decoder& d, statement const& s) {
  if (s.has("pack")) return decode_pack(d, s);
  auto const& o = s.ops;
  dtype const to = s.type(0), from = s.type(1);
  if (to == dtype::none || from == dtype::none) return false;
  instruction i = d.make(nullptr);
  i.k = static_cast<u8>(to), i.k2 = static_cast<u8>(from);
  i.rounding = static_cast<u8>(std::max(0, s.rounding()));
  i.imm2 = s.integer_rounding();
  i.flags = (s.has("sat") ? cv_sat : 0u) | (s.has("ftz") ? cv_ftz : 0u) |
            (s.has("satfinite") ? cv_satfinite : 0u) | (s.has("relu") ? cv_relu : 0u);
  if (is_pair_of_eights(from) || (is_pair_of_eights(to) && from == dtype::f16x2)) {
    i.fn = run_eights;
    i.o[0] = d.dst(o.at(0), size_of(to));
    i.o[1] = d.src(o.at(1), from == dtype::f16x2 ? dtype::b32 : dtype::b16);
    d.emit(i);
    return true;
  }
  if (to == dtype::f16x2 || to == dtype::bf16x2 || is_pair_of_eights(to)) {
    i.fn = run_convert_pair;
    i.o[0] = d.dst(o.at(0), size_of(to));
    i.o[1] = d.src(o.at(1), dtype::f32), i.o[2] = d.src(o.at(2), dtype::f32);
    d.emit(i);
    return true;
  }
  i.fn = conversion(i, to, from);
  i.o[1] = d.src(o.at(1), from);
  emit_result(d, i, to);
  return true;
}

}  // namespace emulator
