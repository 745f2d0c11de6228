// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f32 and f64.

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/float_operations.hpp"
#include "ptx/execute/rounding.hpp"
#include "ptx/machine.hpp"

namespace emulator {

// general: any rounding and modifier, one lane at a time
__attribute__((noinline)) static float apply32(int o, float a, float b, float c) {
  switch (o) {
    case o_add:
      return a + b;
    case o_sub:
      return a - b;
    case o_mul:
      return a * b;
    case o_fma:
      return __builtin_fmaf(a, b, c);
    case o_div:
      return a / b;
    case o_rcp:
      return 1.0f / a;
    case o_sqrt:
      return __builtin_sqrtf(a);
    case o_rsqrt:
      return f_rsqrt(a);
    case o_ex2:
      return ex2(a);
    case o_lg2:
      return lg2(a);
    case o_sin:
      return f_sin(a);
    case o_cos:
      return f_cos(a);
    case o_tanh:
      return f_tanh(a);
    case o_abs:
      return f_abs(a);
    default:
      return f_neg(a);
  }
}
__attribute__((noinline)) static double apply64(int o, double a, double b, double c) {
  switch (o) {
    case o_add:
      return a + b;
    case o_sub:
      return a - b;
    case o_mul:
      return a * b;
    case o_fma:
      return __builtin_fma(a, b, c);
    case o_div:
      return a / b;
    case o_rcp:
      return 1.0 / a;
    case o_sqrt:
      return __builtin_sqrt(a);
    default:
      return d_rsqrt(a);
  }
}
template <class T, T (*Apply)(int, T, T, T)>
static void run_general(warp& w, instruction const& i) {
  const T* a = row<T>(w, i.o[1]);
  const T* b = row<T>(w, i.o[2]);
  const T* c = row<T>(w, i.o[3]);
  if (i.imm < 2) b = c = a;
  if (i.imm < 3) c = a;
  T* d = row<T>(w, i.o[0]);
  rounding_mode const mode(i.rounding);
  each_lane(w.mask, [&](unsigned l) {
    T x = a[l], y = b[l], z = c[l];
    if constexpr (sizeof(T) == 4)
      if (i.flags & fl_ftz) x = flush(x), y = flush(y), z = flush(z);
    T r = Apply(i.k, x, y, z);
    if constexpr (sizeof(T) == 4)
      if (i.flags & fl_ftz) r = flush(r);
    if (i.flags & fl_sat) r = r != r ? T{0} : r < T{0} ? T{0} : r > T{1} ? T{1} : r;
    if (i.flags & fl_relu) r = r != r ? r : r < T{0} ? T{0} : r;
    d[l] = canonical(r);
  });
}

static void run_extreme(warp& w, instruction const& i) {
  float const *a = row<float>(w, i.o[1]), *b = row<float>(w, i.o[2]);
  float const* c = i.imm > 2 ? row<float>(w, i.o[3]) : nullptr;
  float* d = row<float>(w, i.o[0]);
  each_lane(w.mask, [&](unsigned l) {
    float r = extreme(i.k, i.flags, a[l], b[l]);
    if (c != nullptr) r = extreme(i.k, i.flags, r, c[l]);
    d[l] = r;
  });
}
template <class T> static void run_testp(warp& w, instruction const& i) {
  const T* a = row<T>(w, i.o[1]);
  u32 r = 0;
  each_lane(w.mask, [&](unsigned l) {
    int c = std::fpclassify(a[l]);
    bool v = i.k == 0   ? c != FP_NAN && c != FP_INFINITE
             : i.k == 1 ? c == FP_INFINITE
             : i.k == 2 ? c != FP_NAN
             : i.k == 3 ? c == FP_NAN
             : i.k == 4 ? c == FP_NORMAL
                        : c == FP_SUBNORMAL;
    r |= static_cast<u32>(v) << l;
  });
  set_predicate(w, i.o[0], r);
}

bool decode_float(decoder& d, statement const& s) {
  dtype t = s.type(-1);
  if (t != dtype::f32 && t != dtype::f64) return false;
  auto const& o = s.ops;
  if (s.op == "copysign") {
    instruction i = d.make(
        t == dtype::f32
            ? elementwise<[](u32 a, u32 b) -> u32 { return (b & 0x7fffffffu) | (a & 0x80000000u); },
                          u32, u32, u32>
            : elementwise<[](u64 a, u64 b) -> u64 {
                return (b & ~(1ull << 63)) | (a & (1ull << 63));
              },
                          u64, u64, u64>);
    i.o[0] = d.dst(o.at(0), size_of(t)), i.o[1] = d.src(o.at(1), t), i.o[2] = d.src(o.at(2), t);
    d.emit(i);
    return true;
  }
  if (s.op == "testp") {
    instruction i = d.make(t == dtype::f32 ? run_testp<float> : run_testp<double>);
    i.k = s.has("finite")       ? 0
          : s.has("infinite")   ? 1
          : s.has("number")     ? 2
          : s.has("notanumber") ? 3
          : s.has("normal")     ? 4
                                : 5;
    i.o[0] = d.dst_pred(o.at(0)), i.o[1] = d.src(o.at(1), t);
    d.emit(i);
    return true;
  }
  int op = op_named(s.op);
  if (op < 0) return false;
  instruction i = d.make(nullptr);
  i.k = static_cast<u8>(op);
  modifiers(i, s);
  int r = s.rounding();
  i.rounding = static_cast<u8>(r < 0 ? 0 : r);
  std::size_t n = o.size() - 1;
  i.o[0] = d.dst(o.at(0), size_of(t));
  for (std::size_t k = 0; k < n && k < 3; ++k) i.o[1 + k] = d.src(o[1 + k], t);
  if (t == dtype::f32) {
    if (op == o_min || op == o_max) {
      if (i.flags == 0 && n == 2)
        i.fn = op == o_min ? elementwise<f_min, float, float, float>
                           : elementwise<f_max, float, float, float>;
      else if (i.flags == fl_nan && n == 2)
        i.fn = op == o_min ? elementwise<f_min_nan, float, float, float>
                           : elementwise<f_max_nan, float, float, float>;
      else
        i.fn = run_extreme, i.imm = static_cast<std::int64_t>(n);
    } else if (i.flags == 0 && i.rounding == 0) {
      switch (op) {
        case o_add:
          i.fn = elementwise<f_add, float, float, float>;
          break;
        case o_sub:
          i.fn = elementwise<f_sub, float, float, float>;
          break;
        case o_mul:
          i.fn = elementwise<f_mul, float, float, float>;
          break;
        case o_fma:
          i.fn = elementwise<f_fma, float, float, float, float>;
          break;
        case o_div:
          i.fn = elementwise<f_div, float, float, float>;
          break;
        case o_rcp:
          i.fn = elementwise<f_rcp, float, float>;
          break;
        case o_sqrt:
          i.fn = elementwise<f_sqrt, float, float>;
          break;
        case o_rsqrt:
          i.fn = elementwise<f_rsqrt, float, float>;
          break;
        case o_ex2:
          i.fn = elementwise<ex2, float, float>;
          break;
        case o_lg2:
          i.fn = elementwise<lg2, float, float>;
          break;
        case o_sin:
          i.fn = elementwise<f_sin, float, float>;
          break;
        case o_cos:
          i.fn = elementwise<f_cos, float, float>;
          break;
        case o_tanh:
          i.fn = elementwise<f_tanh, float, float>;
          break;
        case o_abs:
          i.fn = elementwise<f_abs, float, float>;
          break;
        case o_neg:
          i.fn = elementwise<f_neg, float, float>;
          break;
      }
    } else if (i.flags == fl_ftz && i.rounding == 0 && (op == o_ex2 || op == o_rcp)) {
      i.fn =
          op == o_ex2
              ? elementwise<[](float a) -> float { return flush(ex2(flush(a))); }, float, float>
              : elementwise<[](float a) -> float { return flush(f_rcp(flush(a))); }, float, float>;
    } else {
      i.fn = run_general<float, apply32>;
    }
  } else {
    if (op == o_min)
      i.fn = elementwise<d_min, double, double, double>;
    else if (op == o_max)
      i.fn = elementwise<d_max, double, double, double>;
    else if (op == o_abs)
      i.fn = elementwise<d_abs, double, double>;
    else if (op == o_neg)
      i.fn = elementwise<d_neg, double, double>;
    else if (i.flags == 0 && i.rounding == 0 && op == o_add)
      i.fn = elementwise<d_add, double, double, double>;
    else if (i.flags == 0 && i.rounding == 0 && op == o_sub)
      i.fn = elementwise<d_sub, double, double, double>;
    else if (i.flags == 0 && i.rounding == 0 && op == o_mul)
      i.fn = elementwise<d_mul, double, double, double>;
    else if (i.flags == 0 && i.rounding == 0 && op == o_fma)
      i.fn = elementwise<d_fma, double, double, double, double>;
    else if (op <= o_rsqrt)
      i.fn = run_general<double, apply64>;
    else
      return false;
  }
  if (i.fn == run_general<float, apply32> || i.fn == run_general<double, apply64> ||
      i.fn == run_extreme)
    i.imm = static_cast<std::int64_t>(n);
  d.emit(i);
  return true;
}

}  // namespace emulator
