// SPDX-License-Identifier: Apache-2.0
// Arithmetic and logic of integers.

#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/integer_operations.hpp"

namespace emulator {

namespace {

s32 saturated(s64 x) {
  return static_cast<s32>(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}
template <class T> T lowest_24(T a) {
  u32 const bits = static_cast<u32>(a) << 8;
  return std::is_signed_v<T> ? static_cast<T>(static_cast<s32>(bits) >> 8)
                             : static_cast<T>(bits >> 8);
}

template <class T, class Wide> handler wide_product() {
  return elementwise<[](T a, T b) -> Wide { return static_cast<Wide>(a) * static_cast<Wide>(b); },
                     Wide, T, T>;
}
template <class T, class Wide> handler wide_product_and_sum() {
  using U = std::make_unsigned_t<Wide>;
  return elementwise<[](T a, T b, U c) -> U {
    return static_cast<U>(static_cast<Wide>(a) * static_cast<Wide>(b)) + c;
  },
                     U, T, T, U>;
}

bool decode_wide(decoder& d, statement const& s) {
  dtype const t = s.type();
  bool const adds = s.op == "mad";
  handler h = nullptr;
  switch (t) {
    case dtype::u16:
      h = adds ? wide_product_and_sum<u16, u32>() : wide_product<u16, u32>();
      break;
    case dtype::s16:
      h = adds ? wide_product_and_sum<s16, s32>() : wide_product<s16, s32>();
      break;
    case dtype::u32:
      h = adds ? wide_product_and_sum<u32, u64>() : wide_product<u32, u64>();
      break;
    case dtype::s32:
      h = adds ? wide_product_and_sum<s32, s64>() : wide_product<s32, s64>();
      break;
    default:
      return false;
  }
  dtype const wide = size_of(t) == 2 ? dtype::b32 : dtype::b64;
  return adds ? d.emit(h, wide, {t, t, wide}) : d.emit(h, wide, {t, t});
}

handler of_one(std::string const& op, dtype t) {
  if (op == "not") return by_type<1, [](auto a) { return ~a; }>(t);
  if (op == "cnot") return by_type<1, [](auto a) { return a == 0; }>(t);
  if (op == "neg") return by_type<1, [](auto a) { return wrap_sub<decltype(a)>(0, a); }>(t);
  if (op == "abs" && is_signed(t))
    return by_type<1, [](auto a) { return a < 0 ? wrap_sub<decltype(a)>(0, a) : a; }>(t);
  return nullptr;
}
handler of_two(statement const& s, dtype t) {
  if (s.op == "add") return by_type<2, [](auto a, auto b) { return wrap_add(a, b); }>(t);
  if (s.op == "sub") return by_type<2, [](auto a, auto b) { return wrap_sub(a, b); }>(t);
  if (s.op == "and") return by_type<2, [](auto a, auto b) { return a & b; }>(t);
  if (s.op == "or") return by_type<2, [](auto a, auto b) { return a | b; }>(t);
  if (s.op == "xor") return by_type<2, [](auto a, auto b) { return a ^ b; }>(t);
  if (s.op == "min") return by_type<2, [](auto a, auto b) { return a < b ? a : b; }>(t);
  if (s.op == "max") return by_type<2, [](auto a, auto b) { return a < b ? b : a; }>(t);
  if (s.op == "div") return by_type<2, [](auto a, auto b) { return divide(a, b); }>(t);
  if (s.op == "rem") return by_type<2, [](auto a, auto b) { return remainder(a, b); }>(t);
  if (s.op == "mul24")
    return by_type<2, [](auto a, auto b) { return wrap_mul(lowest_24(a), lowest_24(b)); }>(t);
  if (s.op == "mul" && s.has("hi"))
    return by_type<2, [](auto a, auto b) { return mul_hi(a, b); }>(t);
  if (s.op == "mul") return by_type<2, [](auto a, auto b) { return wrap_mul(a, b); }>(t);
  return nullptr;
}
handler product_and_sum(bool of_upper_half, dtype t) {
  if (of_upper_half)
    return by_type<3, [](auto a, auto b, auto c) { return wrap_add(mul_hi(a, b), c); }>(t);
  return by_type<3, [](auto a, auto b, auto c) { return wrap_add(wrap_mul(a, b), c); }>(t);
}
handler saturating(std::string const& op) {
  if (op == "add")
    return elementwise<[](s32 a, s32 b) -> s32 { return saturated(s64{a} + b); }, s32, s32, s32>;
  return op == "sub"
             ? elementwise<[](s32 a, s32 b) -> s32 { return saturated(s64{a} - b); }, s32, s32, s32>
             : nullptr;
}

}  // namespace

bool decode_integer(decoder& d, statement const& s) {
  dtype const t = s.type();
  if (is_float(t) || s.has("relu")) return false;
  if (s.has("wide")) return decode_wide(d, s);
  if (s.op == "mad") return !s.has("sat") && d.emit(product_and_sum(s.has("hi"), t), t, {t, t, t});
  if (s.has("sat")) return t == dtype::s32 && d.emit(saturating(s.op), t, {t, t});
  if (s.ops.size() == 2) return d.emit(of_one(s.op, t), t, {t});
  return d.emit(of_two(s, t), t, {t, t});
}

}  // namespace emulator
