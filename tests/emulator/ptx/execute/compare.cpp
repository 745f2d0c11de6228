// SPDX-License-Identifier: Apache-2.0
// setp, set.

#include <immintrin.h>
#include <type_traits>
#include <unordered_map>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/number_formats.hpp"
#include "ptx/machine.hpp"

namespace emulator {

enum cmp : u8 {
  c_eq,
  c_ne,
  c_lt,
  c_le,
  c_gt,
  c_ge,
  c_equ,
  c_neu,
  c_ltu,
  c_leu,
  c_gtu,
  c_geu,
  c_num,
  c_nan
};
static int cmp_named(std::string_view n) {
  static const std::unordered_map<std::string_view, int> known = {
      {"eq", c_eq},   {"ne", c_ne},   {"lt", c_lt},   {"le", c_le},   {"gt", c_gt},
      {"ge", c_ge},   {"lo", c_lt},   {"ls", c_le},   {"hi", c_gt},   {"hs", c_ge},
      {"equ", c_equ}, {"neu", c_neu}, {"ltu", c_ltu}, {"leu", c_leu}, {"gtu", c_gtu},
      {"geu", c_geu}, {"num", c_num}, {"nan", c_nan}};
  auto f = known.find(n);
  return f == known.end() ? -1 : f->second;
}
template <class T, class F> static u32 mask_of(const T* a, const T* b, F f) {
  alignas(64) u8 r[32];
#pragma GCC ivdep
  for (int l = 0; l < 32; ++l) r[l] = f(a[l], b[l]) ? 0xff : 0;
  return static_cast<u32>(
      _mm256_movemask_epi8(_mm256_load_si256(reinterpret_cast<__m256i const*>(r))));
}
template <class T> static u32 compare(int c, const T* a, const T* b) {
  switch (c) {
    case c_eq:
      return mask_of(a, b, [](T x, T y) { return x == y; });
    case c_lt:
      return mask_of(a, b, [](T x, T y) { return x < y; });
    case c_le:
      return mask_of(a, b, [](T x, T y) { return x <= y; });
    case c_gt:
      return mask_of(a, b, [](T x, T y) { return x > y; });
    case c_ge:
      return mask_of(a, b, [](T x, T y) { return x >= y; });
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (c) {
      case c_ne:
        return mask_of(a, b, [](T x, T y) { return x < y || x > y; });
      case c_equ:
        return ~mask_of(a, b, [](T x, T y) { return x < y || x > y; });
      case c_neu:
        return mask_of(a, b, [](T x, T y) { return !(x == y); });
      case c_ltu:
        return mask_of(a, b, [](T x, T y) { return !(x >= y); });
      case c_leu:
        return mask_of(a, b, [](T x, T y) { return !(x > y); });
      case c_gtu:
        return mask_of(a, b, [](T x, T y) { return !(x <= y); });
      case c_geu:
        return mask_of(a, b, [](T x, T y) { return !(x < y); });
      case c_num:
        return mask_of(a, b, [](T x, T y) { return x == x && y == y; });
      default:
        return mask_of(a, b, [](T x, T y) { return x != x || y != y; });
    }
  } else {
    return mask_of(a, b, [](T x, T y) { return x != y; });
  }
}
static u32 combine(warp& w, instruction const& i, u32 r,
                   bool inverse) {  // flags: 1 and 2 or 4 xor 8 not
  if (inverse) r = ~r;
  if ((i.flags & 7) == 0) return r;
  u32 c = predicate(w, i.o[4]);
  if (i.flags & 8) c = ~c;
  return (i.flags & 1) ? r & c : (i.flags & 2) ? r | c : r ^ c;
}
template <class T>
static void run_setp(warp& w, instruction const& i) {  // o: p, q, a, b, c ; k: cmp
  u32 r = compare<T>(i.k, row<T>(w, i.o[2]), row<T>(w, i.o[3]));
  if (i.k2) {
    u32 q = combine(w, i, r, true);
    set_predicate(w, i.o[0], combine(w, i, r, false));
    set_predicate(w, i.o[1], q);
  } else {
    set_predicate(w, i.o[0], combine(w, i, r, false));
  }
}
// k2: 1 two destinations, 2 ftz; imm: type
static void floats_of(dtype t, void const* from, float* to, int half) {
  for (int l = 0; l < 32; ++l) {
    u16 b;
    if (t == dtype::f16 || t == dtype::bf16)
      b = static_cast<u16 const*>(from)[l];
    else
      b = static_cast<u16 const*>(from)[2 * l + half];
    to[l] = t == dtype::f16 || t == dtype::f16x2 ? half_to_float(b) : bf16_to_float(b);
  }
}
static void run_setp_half(warp& w, instruction const& i) {
  dtype t = static_cast<dtype>(i.imm);
  alignas(64) float a[32], b[32];
  bool packed = t == dtype::f16x2 || t == dtype::bf16x2;
  auto load = [&](int half) {
    floats_of(t, row<char>(w, i.o[2]), a, half), floats_of(t, row<char>(w, i.o[3]), b, half);
  };
  load(0);
  u32 r = compare<float>(i.k, a, b);
  u32 first = combine(w, i, r, false);
  if (packed) {
    load(1);
    u32 second = combine(w, i, compare<float>(i.k, a, b), false);
    set_predicate(w, i.o[0], first);
    set_predicate(w, i.o[1], second);
    return;
  }
  u32 other = combine(w, i, r, true);
  set_predicate(w, i.o[0], first);
  if (i.k2) set_predicate(w, i.o[1], other);
}
static void run_setp_ftz(warp& w, instruction const& i) {
  alignas(64) float a[32], b[32];
  for (int l = 0; l < 32; ++l)
    a[l] = flush(row<float>(w, i.o[2])[l]), b[l] = flush(row<float>(w, i.o[3])[l]);
  u32 r = compare<float>(i.k, a, b);
  u32 q = combine(w, i, r, true);
  set_predicate(w, i.o[0], combine(w, i, r, false));
  if (i.k2) set_predicate(w, i.o[1], q);
}
// set: predicate of a temp to a number; data: bits of "true"
template <class D> static void run_from_predicate(warp& w, instruction const& i) {
  u32 p = predicate(w, i.o[1]);
  each_lane(w.mask, [&](unsigned l) {
    row<D>(w, i.o[0])[l] = (p >> l & 1) ? static_cast<D>(i.imm) : D{0};
  });
}
static void run_pair_from_predicates(warp& w, instruction const& i) {
  u32 p = predicate(w, i.o[1]), q = predicate(w, i.o[2]);
  u32 one = static_cast<u32>(i.imm);
  each_lane(w.mask, [&](unsigned l) {
    row<u32>(w, i.o[0])[l] = ((p >> l & 1) ? one : 0) | ((q >> l & 1) ? one << 16 : 0);
  });
}

handler setp_handler(dtype t, bool ftz) {
  switch (t) {
    case dtype::b16:
    case dtype::u16:
      return run_setp<u16>;
    case dtype::s16:
      return run_setp<s16>;
    case dtype::b32:
    case dtype::u32:
      return run_setp<u32>;
    case dtype::s32:
      return run_setp<s32>;
    case dtype::b64:
    case dtype::u64:
      return run_setp<u64>;
    case dtype::s64:
      return run_setp<s64>;
    case dtype::f32:
      return ftz ? run_setp_ftz : run_setp<float>;
    case dtype::f64:
      return run_setp<double>;
    case dtype::f16:
    case dtype::bf16:
    case dtype::f16x2:
    case dtype::bf16x2:
      return run_setp_half;
    default:
      return nullptr;
  }
}

static int comparison_of(decoder& d, statement const& s) {
  for (auto name : s.mods)
    if (int const c = cmp_named(name); c >= 0) return c;
  d.error("a comparison that is not known");
}
static std::int64_t bits_of_one(dtype t) {
  switch (t) {
    case dtype::f32:
      return 0x3f800000;
    case dtype::f16:
    case dtype::f16x2:
      return 0x3c00;
    case dtype::bf16:
    case dtype::bf16x2:
      return 0x3f80;
    default:
      return -1;
  }
}

// set is setp to predicates that nobody else sees, and numbers of them.
bool decode_compare(decoder& d, statement const& s) {
  auto const& o = s.ops;
  bool const is_set = s.op == "set";
  dtype const to = is_set ? s.type(0) : dtype::pred, of = is_set ? s.type(1) : s.type();
  bool const is_packed = of == dtype::f16x2 || of == dtype::bf16x2;
  instruction i = d.make(setp_handler(of, s.has("ftz")), 2);
  if (i.fn == nullptr) return false;
  i.k = static_cast<u8>(comparison_of(d, s));
  i.imm = static_cast<int>(of);
  if (is_set) {
    i.o[0] = d.vid(d.temp(0)), i.o[1] = d.vid(d.temp(0));
  } else if (o.at(0).k == operand::pair) {
    i.o[0] = d.dst_pred(o[0].elems[0]), i.o[1] = d.dst_pred(o[0].elems[1]);
    i.k2 = 1;
  } else {
    i.o[0] = d.dst_pred(o[0]), i.o[1] = d.vid(d.temp(0));
  }
  i.o[2] = d.src(o.at(1), of), i.o[3] = d.src(o.at(2), of);
  i.flags = (s.has("and") ? 1u : 0u) | (s.has("or") ? 2u : 0u) | (s.has("xor") ? 4u : 0u);
  if (i.flags != 0) {
    bool is_inverse;
    i.o[4] = d.src_pred(o.at(3), is_inverse);
    if (is_inverse) i.flags |= 8;
  }
  d.emit(i);
  if (!is_set) return true;

  instruction j = d.make(is_packed          ? run_pair_from_predicates
                         : size_of(to) == 2 ? run_from_predicate<u16>
                                            : run_from_predicate<u32>);
  j.imm = is_packed && bits_of_one(to) == -1 ? 0xffff : bits_of_one(to);
  j.o[0] = d.dst(o.at(0), is_packed ? 4 : size_of(to)), j.o[1] = i.o[0];
  if (is_packed) j.o[2] = i.o[1];
  d.emit(j);
  return true;
}

}  // namespace emulator
