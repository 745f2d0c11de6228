// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operations on f32 and f64, and their modifiers.

#include <cmath>
#include <unordered_map>

#include "ptx/decode/decoder.hpp"
#include "ptx/execute/number_formats.hpp"
#include "ptx/integer_names.hpp"

namespace emulator {

inline float canonical(float x) { return x != x ? bits_float(0x7fffffffu) : x; }
inline double canonical(double x) { return x; }
inline float f_add(float a, float b) { return canonical(a + b); }
inline float f_sub(float a, float b) { return canonical(a - b); }
inline float f_mul(float a, float b) { return canonical(a * b); }
inline float f_fma(float a, float b, float c) { return canonical(__builtin_fmaf(a, b, c)); }
inline float f_div(float a, float b) { return canonical(a / b); }
inline float f_rcp(float a) { return canonical(1.0f / a); }
inline float f_sqrt(float a) { return canonical(__builtin_sqrtf(a)); }
inline double d_add(double a, double b) { return a + b; }
inline double d_sub(double a, double b) { return a - b; }
inline double d_mul(double a, double b) { return a * b; }
inline double d_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double d_div(double a, double b) { return a / b; }
inline double d_rcp(double a) { return 1.0 / a; }
inline double d_sqrt(double a) { return __builtin_sqrt(a); }
inline float f_neg(float a) { return bits_float(float_bits(a) ^ 0x80000000u); }
inline float f_abs(float a) { return bits_float(float_bits(a) & 0x7fffffffu); }
inline double d_neg(double a) { return -a; }
inline double d_abs(double a) { return __builtin_fabs(a); }
template <class T> inline T least(T a, T b) {
  T r = a < b ? a : b;
  if (a == b) r = std::signbit(a) ? a : b;
  if (a != a) r = b;
  if (b != b) r = a;
  return canonical(r);
}
template <class T> inline T most(T a, T b) {
  T r = a > b ? a : b;
  if (a == b) r = std::signbit(a) ? b : a;
  if (a != a) r = b;
  if (b != b) r = a;
  return canonical(r);
}
inline float f_min(float a, float b) { return least(a, b); }
inline float f_max(float a, float b) { return most(a, b); }
inline float f_min_nan(float a, float b) {
  float r = least(a, b);
  return a != a || b != b ? bits_float(0x7fffffffu) : r;
}
inline float f_max_nan(float a, float b) {
  float r = most(a, b);
  return a != a || b != b ? bits_float(0x7fffffffu) : r;
}
inline double d_min(double a, double b) { return least(a, b); }
inline double d_max(double a, double b) { return most(a, b); }
inline float ex2(float a) { return canonical(exp2f(a)); }
inline float lg2(float a) { return canonical(log2f(a)); }
inline float f_sin(float a) { return canonical(sinf(a)); }
inline float f_cos(float a) { return canonical(cosf(a)); }
inline float f_tanh(float a) { return canonical(tanhf(a)); }
inline float f_rsqrt(float a) {
  return canonical(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))));
}
inline double d_rsqrt(double a) { return 1.0 / __builtin_sqrt(a); }

enum op : u8 {
  o_add,
  o_sub,
  o_mul,
  o_fma,
  o_div,
  o_rcp,
  o_sqrt,
  o_rsqrt,
  o_ex2,
  o_lg2,
  o_sin,
  o_cos,
  o_tanh,
  o_min,
  o_max,
  o_abs,
  o_neg
};
enum flag : u32 { fl_ftz = 1, fl_sat = 2, fl_nan = 4, fl_xorsign = 8, fl_relu = 16, fl_abs = 32 };

inline float extreme(int o, u32 flags, float a, float b) {
  if (flags & fl_ftz) a = flush(a), b = flush(b);
  float sign_a = a, sign_b = b;
  if (flags & fl_abs) a = f_abs(a), b = f_abs(b);
  float r = o == o_min ? (flags & fl_nan ? f_min_nan(a, b) : f_min(a, b))
                       : (flags & fl_nan ? f_max_nan(a, b) : f_max(a, b));
  if ((flags & fl_xorsign) && r == r)
    r = bits_float((float_bits(r) & 0x7fffffffu) |
                   ((float_bits(sign_a) ^ float_bits(sign_b)) & 0x80000000u));
  if ((flags & fl_relu) && r == r && !(r > 0)) r = 0;
  return r;
}

inline int op_named(std::string const& n) {
  static const std::unordered_map<std::string, int> known = {
      {"add", o_add}, {"sub", o_sub}, {"mul", o_mul},   {"fma", o_fma},     {"mad", o_fma},
      {"div", o_div}, {"rcp", o_rcp}, {"sqrt", o_sqrt}, {"rsqrt", o_rsqrt}, {"ex2", o_ex2},
      {"lg2", o_lg2}, {"sin", o_sin}, {"cos", o_cos},   {"tanh", o_tanh},   {"min", o_min},
      {"max", o_max}, {"abs", o_abs}, {"neg", o_neg}};
  auto f = known.find(n);
  return f == known.end() ? -1 : f->second;
}
inline void modifiers(instruction& i, statement const& s) {
  if (s.has("ftz")) i.flags |= fl_ftz;
  if (s.has("sat")) i.flags |= fl_sat;
  if (s.has("NaN")) i.flags |= fl_nan;
  if (s.has("xorsign")) i.flags |= fl_xorsign;
  if (s.has("abs")) i.flags |= fl_abs;
  if (s.has("relu")) i.flags |= fl_relu;
}

}  // namespace emulator
