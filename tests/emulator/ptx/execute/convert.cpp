// SPDX-License-Identifier: Apache-2.0
// cvt of one number, in general: any types, roundings and modifiers.

#include "ptx/execute/convert.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "ptx/execute/number_formats.hpp"
#include "ptx/execute/rounding.hpp"

namespace emulator {

void int_range(dtype t, s128& least, s128& most) {
  unsigned const bits = size_of(t) * 8;
  if (is_signed(t))
    most = (s128{1} << (bits - 1)) - 1, least = -most - 1;
  else
    least = 0, most = (s128{1} << bits) - 1;
}

namespace {

template <class T> T at(char const* row, unsigned l) { return reinterpret_cast<T const*>(row)[l]; }
template <class T> void put(char* row, unsigned l, T value) {
  std::memcpy(row + l * sizeof(T), &value, sizeof value);
}

double float_in(dtype t, char const* row, unsigned l) {
  switch (t) {
    case dtype::f64:
      return at<double>(row, l);
    case dtype::f32:
      return at<float>(row, l);
    case dtype::f16:
      return half_to_float(at<u16>(row, l));
    default:
      return bf16_to_float(at<u16>(row, l));
  }
}
s128 int_in(dtype t, char const* row, unsigned l) {
  switch (t) {
    case dtype::u8:
    case dtype::b8:
      return at<u8>(row, l);
    case dtype::s8:
      return at<s8>(row, l);
    case dtype::u16:
    case dtype::b16:
      return at<u16>(row, l);
    case dtype::s16:
      return at<s16>(row, l);
    case dtype::u32:
    case dtype::b32:
      return at<u32>(row, l);
    case dtype::s32:
      return at<s32>(row, l);
    case dtype::s64:
      return at<s64>(row, l);
    default:
      return at<u64>(row, l);
  }
}
void put_int(dtype t, char* row, unsigned l, s128 value) {
  std::memcpy(row + l * size_of(t), &value, size_of(t));
}
s128 within(dtype t, s128 x) {
  s128 least, most;
  int_range(t, least, most);
  return x < least ? least : x > most ? most : x;
}

double to_integer(double x, int rounding) {
  switch (rounding) {
    case 0:
      return std::nearbyint(x);
    case 1:
      return std::trunc(x);
    case 2:
      return std::floor(x);
    default:
      return std::ceil(x);
  }
}
s128 int_of_float(dtype to, double x, int rounding) {
  if (x != x) return size_of(to) != 8 ? 0 : is_signed(to) ? s128{INT64_MIN} : s128{1} << 63;
  double const y = to_integer(x, rounding);
  if (y >= 0x1p64) return within(to, s128{1} << 64);
  if (y <= -0x1p63) return within(to, -(s128{1} << 63));
  return within(to, static_cast<s128>(y));
}

// Not inlined: the rounding mode is set around them.
__attribute__((noinline)) float double_to_float(double x) { return static_cast<float>(x); }
__attribute__((noinline)) float int_to_float(s128 x) {
  return x <= INT64_MAX ? static_cast<float>(static_cast<s64>(x))
                        : static_cast<float>(static_cast<u64>(x));
}
__attribute__((noinline)) double int_to_double(s128 x) {
  return x <= INT64_MAX ? static_cast<double>(static_cast<s64>(x))
                        : static_cast<double>(static_cast<u64>(x));
}

template <class T> T saturated(T x) { return x != x ? T{0} : x <= 0 ? T{0} : x > 1 ? T{1} : x; }

float to_f32(instruction const& i, double x) {
  float r;
  {
    rounding_mode const mode(i.rounding);
    r = double_to_float(x);
  }
  if (i.flags & cv_ftz) r = flush(r);
  if (i.flags & cv_sat) r = saturated(r);
  if (r != r) return bits_float(0x7fffffffu);
  return (i.flags & cv_relu) && !(r > 0) ? 0 : r;
}
u32 to_tf32(instruction const& i, double x) {
  u32 bits = float_bits(static_cast<float>(x));
  if ((bits & 0x7f800000u) == 0x7f800000u) return bits;
  if (i.rounding == 4) bits += 0x1000;
  if (i.rounding == 0) bits += 0xfff + (bits >> 13 & 1);
  return bits & ~0x1fffu;
}
u16 to_16_bits(instruction const& i, dtype to, double x) {
  if (i.flags & cv_sat) x = saturated(x);
  if ((i.flags & cv_relu) && x == x && !(x > 0)) x = 0;
  bool const stays_finite = i.flags & cv_satfinite;
  return to == dtype::f16 ? to_half(x, i.rounding, stays_finite)
                          : to_bf16(x, i.rounding, stays_finite);
}
void put_float(instruction const& i, dtype to, char* row, unsigned l, double x) {
  switch (to) {
    case dtype::f64:
      return put(row, l, i.flags & cv_sat ? saturated(x) : x);
    case dtype::f32:
      return put(row, l, to_f32(i, x));
    case dtype::tf32:
      return put(row, l, to_tf32(i, x));
    default:
      return put(row, l, to_16_bits(i, to, x));
  }
}

// A double rounded to odd, so that it can be rounded again.
double rounded_to_odd(double nearest, s128 x) {
  if (static_cast<s128>(nearest) == x) return nearest;
  u64 bits;
  std::memcpy(&bits, &nearest, 8);
  if (bits & 1) return nearest;
  bool const grows = (x > static_cast<s128>(nearest)) == (nearest > 0);
  bits += grows ? 1 : -1;
  std::memcpy(&nearest, &bits, 8);
  return nearest;
}
void put_float_of_int(instruction const& i, dtype to, char* row, unsigned l, s128 x) {
  rounding_mode const mode(i.rounding);
  if (to == dtype::f32) {
    float const r = int_to_float(x);
    return put(row, l, i.flags & cv_sat ? saturated(r) : r);
  }
  double const r = int_to_double(x);
  if (to == dtype::f64) return put(row, l, r);
  double const odd = rounded_to_odd(r, x);
  put(row, l, to == dtype::f16 ? to_half(odd, i.rounding) : to_bf16(odd, i.rounding));
}

}  // namespace

void run_convert(warp& w, instruction const& i) {
  dtype const to = static_cast<dtype>(i.k), from = static_cast<dtype>(i.k2);
  char const* a = row<char>(w, i.o[1]);
  char* d = row<char>(w, i.o[0]);
  int const integer_rounding = static_cast<int>(i.imm2);
  each_lane(w.mask, [&](unsigned l) {
    if (!is_float(from)) {
      s128 const x = int_in(from, a, l);
      if (is_float(to)) return put_float_of_int(i, to, d, l, x);
      return put_int(to, d, l, i.flags & cv_sat ? within(to, x) : x);
    }
    double x = float_in(from, a, l);
    if ((i.flags & cv_ftz) && from == dtype::f32) x = flush(static_cast<float>(x));
    if (!is_float(to))
      return put_int(to, d, l, int_of_float(to, x, integer_rounding < 0 ? 1 : integer_rounding));
    if (integer_rounding >= 0) {
      double const y = to_integer(x, integer_rounding);
      x = y == 0 ? std::copysign(0.0, x) : y;
    }
    put_float(i, to, d, l, x);
  });
}

}  // namespace emulator
