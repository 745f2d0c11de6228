// SPDX-License-Identifier: Apache-2.0
// Logic of predicates, selp, slct.

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"

namespace emulator {

template <int Op> static void run_pred(warp& w, instruction const& i) {
  u32 a = predicate(w, i.o[1]), b = Op >= 3 ? 0 : predicate(w, i.o[2]);
  if (i.flags & 1) a = ~a;
  if (i.flags & 2) b = ~b;
  set_predicate(w, i.o[0], Op == 0 ? a & b : Op == 1 ? a | b : Op == 2 ? a ^ b : Op == 3 ? ~a : a);
}
template <class T> static void run_selp(warp& w, instruction const& i) {
  const T *a = row<T>(w, i.o[1]), *b = row<T>(w, i.o[2]);
  T* d = row<T>(w, i.o[0]);
  u32 p = predicate(w, i.o[3]);
  if (i.k) p = ~p;
  if (w.mask == ~0u) {
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) d[l] = (p >> l & 1) ? a[l] : b[l];
  } else {
    each_lane(w.mask, [&](unsigned l) { d[l] = (p >> l & 1) ? a[l] : b[l]; });
  }
}
template <class T, class C> static void run_slct(warp& w, instruction const& i) {
  const T *a = row<T>(w, i.o[1]), *b = row<T>(w, i.o[2]);
  const C* c = row<C>(w, i.o[3]);
  T* d = row<T>(w, i.o[0]);
  each_lane(w.mask, [&](unsigned l) { d[l] = c[l] >= 0 ? a[l] : b[l]; });
}

bool decode_predicate(decoder& d, statement const& s) {
  if (s.type() != dtype::pred) return false;
  handler const h = s.op == "and"   ? run_pred<0>
                    : s.op == "or"  ? run_pred<1>
                    : s.op == "xor" ? run_pred<2>
                    : s.op == "not" ? run_pred<3>
                                    : run_pred<4>;
  instruction i = d.make(h);
  i.o[0] = d.dst_pred(s.ops.at(0));
  bool is_inverse;
  for (std::size_t n = 1; n < s.ops.size(); ++n) {
    i.o[n] = d.src_pred(s.ops[n], is_inverse);
    if (is_inverse) i.flags |= static_cast<u32>(n);
  }
  d.emit(i);
  return true;
}

static bool decode_selp(decoder& d, statement const& s) {
  dtype const t = s.type();
  unsigned const bytes = size_of(t);
  instruction i = d.make(bytes == 2   ? run_selp<u16>
                         : bytes == 4 ? run_selp<u32>
                         : bytes == 8 ? run_selp<u64>
                                      : nullptr);
  if (i.fn == nullptr) return false;
  i.o[0] = d.dst(s.ops.at(0), bytes);
  i.o[1] = d.src(s.ops.at(1), t), i.o[2] = d.src(s.ops.at(2), t);
  bool is_inverse;
  i.o[3] = d.src_pred(s.ops.at(3), is_inverse);
  i.k = is_inverse;
  d.emit(i);
  return true;
}

bool decode_select(decoder& d, statement const& s) {
  if (s.op == "selp") return decode_selp(d, s);
  dtype const t = s.type(), by = s.type(1);
  bool const by_float = by == dtype::f32;
  switch (size_of(t)) {
    case 2:
      return d.emit(by_float ? run_slct<u16, float> : run_slct<u16, s32>, t, {t, t, by});
    case 4:
      return d.emit(by_float ? run_slct<u32, float> : run_slct<u32, s32>, t, {t, t, by});
    default:
      return d.emit(by_float ? run_slct<u64, float> : run_slct<u64, s32>, t, {t, t, by});
  }
}

}  // namespace emulator
