// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f16 and bf16, alone and in pairs.

#include <cmath>
#include <cstring>
#include <type_traits>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/float_operations.hpp"
#include "ptx/machine.hpp"

namespace emulator {

struct half_kind {
  bool is_bf16;
  float in(u16 v) const { return is_bf16 ? bf16_to_float(v) : half_to_float(v); }
  u16 out(float v) const { return is_bf16 ? float_to_bf16(v) : float_to_half(v); }
  u16 exact(double v, int rounding = 0) const {
    return is_bf16 ? to_bf16(v, rounding) : to_half(v, rounding);
  }
};
static double odd_sum(double a, double b) {  // rounded to odd, so that a second rounding is right
  double s = a + b;
  if (std::isnan(s) || std::isinf(s)) return s;
  double bb = s - a;
  double e = (a - (s - bb)) + (b - bb);
  if (e != 0) {
    u64 bits;
    std::memcpy(&bits, &s, 8);
    if ((bits & 1) == 0) {
      bool away = (e > 0) == (s > 0);
      bits += away ? 1 : -1;
      std::memcpy(&s, &bits, 8);
    }
  }
  return s;
}
static u16 apply_half(half_kind const& h, instruction const& i, u16 ab, u16 bb, u16 cb) {
  float a = h.in(ab), b = h.in(bb), c = h.in(cb);
  if ((i.flags & fl_ftz) && !h.is_bf16) {
    auto f = [](float x) { return std::fabs(x) < 6.103515625e-05f ? std::copysign(0.0f, x) : x; };
    a = f(a), b = f(b), c = f(c);
  }
  u16 r;
  switch (i.k) {
    case o_add:
    case o_sub: {
      float v = i.k == o_add ? a + b : a - b;
      r = h.is_bf16 && std::fabs(v) < 1e-36f
              ? h.exact(i.k == o_add ? static_cast<double>(a) + b : static_cast<double>(a) - b)
              : h.out(v);
      break;
    }
    case o_mul:
      r = h.exact(static_cast<double>(a) * b);
      break;
    case o_fma:
      r = h.exact(odd_sum(static_cast<double>(a) * b, c));
      break;
    case o_min:
    case o_max: {
      float v = extreme(i.k, i.flags & ~static_cast<u32>(fl_relu | fl_ftz), a, b);
      r = h.out(v);
      break;
    }
    case o_abs:
      return ab & 0x7fff;
    case o_neg:
      return ab ^ 0x8000;
    case o_ex2:
      r = h.exact(std::exp2(static_cast<double>(a)));
      break;
    case o_tanh:
      r = h.exact(std::tanh(static_cast<double>(a)));
      break;
    default:
      r = 0;
  }
  float v = h.in(r);
  if (v != v) return 0x7fff;
  if ((i.flags & fl_ftz) && !h.is_bf16 && std::fabs(v) < 6.103515625e-05f) r &= 0x8000;
  if ((i.flags & fl_sat)) r = v <= 0 ? 0 : v > 1 ? h.out(1.0f) : r;
  if ((i.flags & fl_relu) && !(v > 0)) r = 0;
  return r;
}
template <bool Packed> static void run_half(warp& w, instruction const& i) {
  half_kind h{i.k2 == 1};
  using T = std::conditional_t<Packed, u32, u16>;
  const T* a = row<T>(w, i.o[1]);
  const T* b = i.imm > 1 ? row<T>(w, i.o[2]) : a;
  const T* c = i.imm > 2 ? row<T>(w, i.o[3]) : a;
  T* d = row<T>(w, i.o[0]);
  each_lane(w.mask, [&](unsigned l) {
    if constexpr (Packed) {
      u16 lo =
          apply_half(h, i, static_cast<u16>(a[l]), static_cast<u16>(b[l]), static_cast<u16>(c[l]));
      u16 hi = apply_half(h, i, static_cast<u16>(a[l] >> 16), static_cast<u16>(b[l] >> 16),
                          static_cast<u16>(c[l] >> 16));
      d[l] = static_cast<u32>(hi) << 16 | lo;
    } else {
      d[l] = apply_half(h, i, a[l], b[l], c[l]);
    }
  });
}

bool decode_half(decoder& d, statement const& s) {
  dtype t = s.type(-1);
  if (t != dtype::f16 && t != dtype::bf16 && t != dtype::f16x2 && t != dtype::bf16x2) return false;
  int op = op_named(s.op);
  if (op < 0) return false;
  auto const& o = s.ops;
  bool packed = t == dtype::f16x2 || t == dtype::bf16x2;
  instruction i = d.make(packed ? run_half<true> : run_half<false>);
  i.k = static_cast<u8>(op);
  i.k2 = t == dtype::bf16 || t == dtype::bf16x2;
  modifiers(i, s);
  std::size_t n = o.size() - 1;
  dtype as = packed ? dtype::b32 : dtype::b16;
  i.o[0] = d.dst(o.at(0), size_of(as));
  for (std::size_t k = 0; k < n; ++k) i.o[1 + k] = d.src(o[1 + k], as);
  i.imm = static_cast<std::int64_t>(n);
  d.emit(i);
  return true;
}

}  // namespace emulator
