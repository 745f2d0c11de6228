// SPDX-License-Identifier: Apache-2.0
// Fields of bits, and counts of them.

#include <algorithm>
#include <type_traits>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/integer_operations.hpp"
#include "ptx/machine.hpp"

namespace emulator {

template <class T> T bit_field(T a, u32 b, u32 c) {
  constexpr int n = sizeof(T) * 8;
  int pos = static_cast<int>(b & 255), len = static_cast<int>(c & 255);
  using U = std::make_unsigned_t<T>;
  if (len == 0) return 0;
  bool sign = false;
  if constexpr (std::is_signed_v<T>) {
    int at = std::min(pos + len - 1, n - 1);
    sign = static_cast<U>(a) >> at & 1;
  }
  U r = pos >= n ? 0 : static_cast<U>(a) >> pos;
  int have = std::min(len, std::max(0, n - pos));
  U keep = have >= n ? ~U{0} : static_cast<U>((U{1} << have) - 1);
  r &= keep;
  if (sign) r |= ~keep;
  return static_cast<T>(r);
}
template <class T> inline T bit_insert(T a, T b, u32 c, u32 d) {
  constexpr u32 n = sizeof(T) * 8;
  u32 pos = c & 255, len = d & 255;
  T keep = len >= n ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << (len & (n - 1))) - 1);
  T field = pos >= n ? T{0} : static_cast<T>(keep << (pos & (n - 1)));
  T value = pos >= n ? T{0} : static_cast<T>(a << (pos & (n - 1)));
  return static_cast<T>((b & ~field) | (value & field));
}

static inline u32 folded(u32 a) { return a >> 31 ? ~a : a; }
static inline u64 folded(u64 a) { return a >> 63 ? ~a : a; }

static u32 nth_set(u32 m, u32 base, s32 off) {
  base &= 31;
  if (off == 0) return (m >> base & 1) ? base : ~0u;
  int step = off > 0 ? 1 : -1, n = off > 0 ? off - 1 : -off - 1;
  for (int p = static_cast<int>(base); p >= 0 && p < 32; p += step)
    if ((m >> p & 1) && n-- == 0) return static_cast<u32>(p);
  return ~0u;
}

template <class T> static handler field_handler() {
  return elementwise<[](T a, u32 b, u32 c) -> T { return bit_field<T>(a, b, c); }, T, T, u32, u32>;
}
template <class T> static handler insert_handler() {
  return elementwise<[](T a, T b, u32 c, u32 e) -> T { return bit_insert<T>(a, b, c, e); }, T, T, T,
                     u32, u32>;
}
static handler field_handler(dtype t) {
  switch (t) {
    case dtype::u32:
      return field_handler<u32>();
    case dtype::s32:
      return field_handler<s32>();
    case dtype::u64:
      return field_handler<u64>();
    case dtype::s64:
      return field_handler<s64>();
    default:
      return nullptr;
  }
}

// Bits from a on, b of them.
template <bool Wraps>
constexpr auto mask_of_bits = [](u32 a, u32 b) -> u32 {
  if (Wraps) a &= 31, b &= 31;
  if (31 < a) return 0;
  return static_cast<u32>(((1ull << (32 < b ? 32 : b)) - 1) << a);
};
// The lowest b bits of a, by their sign or without.
template <bool Signed, bool Wraps>
constexpr auto extended = [](u32 a, u32 b) -> u32 {
  if (Wraps) b &= 31;
  if (b == 0) return 0;
  if (b >= 32) return a;
  if (Signed) return static_cast<u32>(static_cast<s32>(a << (32 - b)) >> (32 - b));
  return a & ((1u << b) - 1);
};
static handler extended_handler(bool is_signed, bool wraps) {
  if (is_signed)
    return wraps ? elementwise<extended<true, true>, u32, u32, u32>
                 : elementwise<extended<true, false>, u32, u32, u32>;
  return wraps ? elementwise<extended<false, true>, u32, u32, u32>
               : elementwise<extended<false, false>, u32, u32, u32>;
}

template <class U> constexpr u32 bits_in = sizeof(U) * 8;
template <class U> static u32 leading_zeros(U a) {
  if (a == 0) return bits_in<U>;
  return static_cast<u32>(sizeof(U) == 8 ? __builtin_clzll(a) : __builtin_clz(static_cast<u32>(a)));
}
// The place of the highest bit that is not the sign's; as the shift that would bring it to the top.
template <class U, bool Signed, bool AsShift>
constexpr auto highest_bit = [](U a) -> u32 {
  if (Signed) a = folded(a);
  if (a == 0) return ~0u;
  return AsShift ? leading_zeros(a) : bits_in<U> - 1 - leading_zeros(a);
};
template <class U> static handler highest_bit_handler(bool is_signed, bool as_shift) {
  if (is_signed)
    return as_shift ? elementwise<highest_bit<U, true, true>, u32, U>
                    : elementwise<highest_bit<U, true, false>, u32, U>;
  return as_shift ? elementwise<highest_bit<U, false, true>, u32, U>
                  : elementwise<highest_bit<U, false, false>, u32, U>;
}
template <class U> static handler count_handler(statement const& s) {
  if (s.op == "popc")
    return elementwise<[](U a) -> u32 { return static_cast<u32>(__builtin_popcountll(a)); }, u32,
                       U>;
  if (s.op == "clz") return elementwise<[](U a) -> u32 { return leading_zeros(a); }, u32, U>;
  return highest_bit_handler<U>(is_signed(s.type()), s.has("shiftamt"));
}
template <class U> static handler reversed_handler() {
  return elementwise<[](U a) -> U {
    U r = 0;
    for (u32 k = 0; k < bits_in<U>; ++k) r |= (a >> k & 1) << (bits_in<U> - 1 - k);
    return r;
  },
                     U, U>;
}

bool decode_bits(decoder& d, statement const& s) {
  dtype const t = s.type(), word = dtype::b32;
  bool const is_wide = size_of(t) == 8;
  if (s.op == "bfe") return d.emit(field_handler(t), t, {t, word, word});
  if (s.op == "bfi")
    return d.emit(is_wide ? insert_handler<u64>() : insert_handler<u32>(), t, {t, t, word, word});
  if (s.op == "bmsk") {
    handler const h = s.has("wrap") ? elementwise<mask_of_bits<true>, u32, u32, u32>
                                    : elementwise<mask_of_bits<false>, u32, u32, u32>;
    return d.emit(h, word, {word, word});
  }
  if (s.op == "szext")
    return d.emit(extended_handler(is_signed(t), s.has("wrap")), word, {word, word});
  if (s.op == "brev")
    return d.emit(is_wide ? reversed_handler<u64>() : reversed_handler<u32>(), t, {t});
  if (s.op == "fns")
    return d.emit(elementwise<nth_set, u32, u32, u32, s32>, word, {word, word, word});
  return d.emit(is_wide ? count_handler<u64>(s) : count_handler<u32>(s), word, {t});
}

}  // namespace emulator
