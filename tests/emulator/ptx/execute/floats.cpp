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

// With any rounding and modifiers, one lane at a time. What computes is a function of its own, so
// that nothing is computed before the rounding is set.
template <auto F, class... A> [[gnu::noipa]] static auto apply(A... a) { return F(a...); }
template <auto F, class T, class... A> static void run_general(warp& w, instruction const& i) {
  T* d = row<T>(w, i.o[0]);
  auto const flushed = [&](T x) {
    if constexpr (sizeof(T) == 4) return i.flags & fl_ftz ? flush(x) : x;
    return x;
  };
  rounding_mode const mode(i.rounding);
  each_lane(w.mask, [&](unsigned l) {
    T r = [&]<std::size_t... N>(std::index_sequence<N...>) {
      return flushed(apply<F, A...>(flushed(row<A>(w, i.o[1 + N])[l])...));
    }
    (std::index_sequence_for<A...>());
    if (i.flags & fl_sat) r = r != r ? T{0} : r < T{0} ? T{0} : r > T{1} ? T{1} : r;
    if (i.flags & fl_relu) r = r != r ? r : r < T{0} ? T{0} : r;
    d[l] = canonical(r);
  });
}

// How an operation runs: as it is, with .ftz alone, and with whatever else. Null where PTX has
// none.
struct float_handlers {
  handler plain = nullptr, flushed = nullptr, general = nullptr;
};
template <auto F, class... A> static float flushed(A... a) { return flush(F(flush(a)...)); }
template <auto F, class... A> static constexpr float_handlers of_f32() {
  return {elementwise<F, float, A...>, elementwise<flushed<F, A...>, float, A...>,
          run_general<F, float, A...>};
}
template <auto F, class... A> static constexpr float_handlers of_f64() {
  return {elementwise<F, double, A...>, nullptr, run_general<F, double, A...>};
}

// Minima and maxima of f32 have modifiers of their own.
struct float_operation {
  op which;
  float_handlers f32, f64;
};
using f = float;
using g = double;
static constexpr float_operation operations[] = {
    {o_add, of_f32<f_add, f, f>(), of_f64<d_add, g, g>()},
    {o_sub, of_f32<f_sub, f, f>(), of_f64<d_sub, g, g>()},
    {o_mul, of_f32<f_mul, f, f>(), of_f64<d_mul, g, g>()},
    {o_fma, of_f32<f_fma, f, f, f>(), of_f64<d_fma, g, g, g>()},
    {o_div, of_f32<f_div, f, f>(), of_f64<d_div, g, g>()},
    {o_rcp, of_f32<f_rcp, f>(), of_f64<d_rcp, g>()},
    {o_sqrt, of_f32<f_sqrt, f>(), of_f64<d_sqrt, g>()},
    {o_rsqrt, of_f32<f_rsqrt, f>(), of_f64<d_rsqrt, g>()},
    {o_ex2, of_f32<ex2, f>(), {}},
    {o_lg2, of_f32<lg2, f>(), {}},
    {o_sin, of_f32<f_sin, f>(), {}},
    {o_cos, of_f32<f_cos, f>(), {}},
    {o_tanh, of_f32<f_tanh, f>(), {}},
    {o_min, {}, {elementwise<d_min, g, g, g>}},
    {o_max, {}, {elementwise<d_max, g, g, g>}},
    {o_abs, of_f32<f_abs, f>(), of_f64<d_abs, g>()},
    {o_neg, of_f32<f_neg, f>(), of_f64<d_neg, g>()},
};
static_assert([] {
  int place = 0;
  for (float_operation const& each : operations)
    if (each.which != place++) return false;
  return true;
}());

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
  if (t == dtype::f32 && (op == o_min || op == o_max)) {
    if (i.flags == 0 && n == 2)
      i.fn = op == o_min ? elementwise<f_min, float, float, float>
                         : elementwise<f_max, float, float, float>;
    else if (i.flags == fl_nan && n == 2)
      i.fn = op == o_min ? elementwise<f_min_nan, float, float, float>
                         : elementwise<f_max_nan, float, float, float>;
    else
      i.fn = run_extreme, i.imm = static_cast<std::int64_t>(n);
  } else {
    float_handlers const& handlers = t == dtype::f32 ? operations[op].f32 : operations[op].f64;
    bool const is_plain = i.flags == 0 && i.rounding == 0;
    i.fn = is_plain                                                   ? handlers.plain
           : i.flags == fl_ftz && i.rounding == 0 && handlers.flushed ? handlers.flushed
                                                                      : handlers.general;
    if (i.fn == nullptr) return false;
  }
  d.emit(i);
  return true;
}

}  // namespace emulator
