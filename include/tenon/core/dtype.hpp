// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element types: the enumeration, its C++ types (storage and arithmetic), and the promotion rules.

#include <cstdint>
#include <type_traits>

#include "tenon/core/float8.hpp"
#include "tenon/core/half.hpp"
#include "tenon/core/text_view.hpp"

struct __half;         // CUDA's own narrow types are accepted as element types without including their headers:
struct __nv_bfloat16;  // they have the same bits as tenon::half, bfloat16, float8_e4m3 and float8_e5m2.
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace tenon {

// By category, and inside a category by width: an unsigned type before the signed one of its width.
enum class dtype : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64 };
inline constexpr int dtype_count = 15;

enum class category : std::uint8_t { boolean, integer, floating };

struct dtype_info {
  text_view name;
  int bytes;
  category kind;
};
inline constexpr dtype_info dtype_infos[dtype_count] = {
    {"bool", 1, category::boolean},     {"u8", 1, category::integer},    {"i8", 1, category::integer},
    {"u16", 2, category::integer},      {"i16", 2, category::integer},   {"u32", 4, category::integer},
    {"i32", 4, category::integer},      {"u64", 8, category::integer},   {"i64", 8, category::integer},
    {"f8_e4m3", 1, category::floating}, {"f8_e5m2", 1, category::floating},
    {"f16", 2, category::floating},     {"bf16", 2, category::floating},
    {"f32", 4, category::floating},     {"f64", 8, category::floating}};

constexpr dtype_info const& info(dtype d) { return dtype_infos[static_cast<int>(d)]; }
constexpr text_view name(dtype d) { return info(d).name; }
constexpr int size_of(dtype d) { return info(d).bytes; }
constexpr category category_of(dtype d) { return info(d).kind; }
constexpr bool is_floating(dtype d) { return category_of(d) == category::floating; }
constexpr bool is_half(dtype d) { return d == dtype::f16 || d == dtype::bf16; }
constexpr bool is_float8(dtype d) { return d == dtype::f8_e4m3 || d == dtype::f8_e5m2; }
constexpr bool is_unsigned(dtype d) {
  return d == dtype::u8 || d == dtype::u16 || d == dtype::u32 || d == dtype::u64;
}
// Stored in fewer bits than it is computed in: computed in float, rounded once at the store.
constexpr bool is_narrow(dtype d) { return is_half(d) || is_float8(d); }
// The same where nvcc compiles for both sides, which may not call it.
template <dtype D> inline constexpr bool is_narrow_v = is_narrow(D);

namespace detail {
template <dtype> struct dtype_traits;
template <> struct dtype_traits<dtype::boolean> { using storage = bool; using arithmetic = bool; };
template <> struct dtype_traits<dtype::u8> { using storage = std::uint8_t; using arithmetic = std::uint8_t; };
template <> struct dtype_traits<dtype::i8> { using storage = std::int8_t; using arithmetic = std::int8_t; };
template <> struct dtype_traits<dtype::u16> { using storage = std::uint16_t; using arithmetic = std::uint16_t; };
template <> struct dtype_traits<dtype::i16> { using storage = std::int16_t; using arithmetic = std::int16_t; };
template <> struct dtype_traits<dtype::u32> { using storage = std::uint32_t; using arithmetic = std::uint32_t; };
template <> struct dtype_traits<dtype::i32> { using storage = std::int32_t; using arithmetic = std::int32_t; };
template <> struct dtype_traits<dtype::u64> { using storage = std::uint64_t; using arithmetic = std::uint64_t; };
template <> struct dtype_traits<dtype::i64> { using storage = std::int64_t; using arithmetic = std::int64_t; };
template <> struct dtype_traits<dtype::f8_e4m3> { using storage = float8_e4m3; using arithmetic = float; };
template <> struct dtype_traits<dtype::f8_e5m2> { using storage = float8_e5m2; using arithmetic = float; };
template <> struct dtype_traits<dtype::f16> { using storage = half; using arithmetic = float; };
template <> struct dtype_traits<dtype::bf16> { using storage = bfloat16; using arithmetic = float; };
template <> struct dtype_traits<dtype::f32> { using storage = float; using arithmetic = float; };
template <> struct dtype_traits<dtype::f64> { using storage = double; using arithmetic = double; };

template <class T> struct element_dtype { static constexpr bool known = false; };
template <dtype D> struct known_dtype {
  static constexpr bool known = true;
  static constexpr dtype value = D;
};
template <> struct element_dtype<bool> : known_dtype<dtype::boolean> {};
template <> struct element_dtype<std::uint8_t> : known_dtype<dtype::u8> {};
template <> struct element_dtype<std::int8_t> : known_dtype<dtype::i8> {};
template <> struct element_dtype<std::uint16_t> : known_dtype<dtype::u16> {};
template <> struct element_dtype<std::int16_t> : known_dtype<dtype::i16> {};
template <> struct element_dtype<std::uint32_t> : known_dtype<dtype::u32> {};
template <> struct element_dtype<std::int32_t> : known_dtype<dtype::i32> {};
template <> struct element_dtype<std::uint64_t> : known_dtype<dtype::u64> {};
template <> struct element_dtype<unsigned long long> : known_dtype<dtype::u64> {};
template <> struct element_dtype<std::int64_t> : known_dtype<dtype::i64> {};
template <> struct element_dtype<long long> : known_dtype<dtype::i64> {};
template <> struct element_dtype<float8_e4m3> : known_dtype<dtype::f8_e4m3> {};
template <> struct element_dtype<float8_e5m2> : known_dtype<dtype::f8_e5m2> {};
template <> struct element_dtype<half> : known_dtype<dtype::f16> {};
template <> struct element_dtype<bfloat16> : known_dtype<dtype::bf16> {};
template <> struct element_dtype<::__half> : known_dtype<dtype::f16> {};
template <> struct element_dtype<::__nv_bfloat16> : known_dtype<dtype::bf16> {};
template <> struct element_dtype<::__nv_fp8_e4m3> : known_dtype<dtype::f8_e4m3> {};
template <> struct element_dtype<::__nv_fp8_e5m2> : known_dtype<dtype::f8_e5m2> {};
template <> struct element_dtype<float> : known_dtype<dtype::f32> {};
template <> struct element_dtype<double> : known_dtype<dtype::f64> {};
}  // namespace detail

template <class T>
inline constexpr bool is_element_type = detail::element_dtype<std::remove_cv_t<T>>::known;

// dtype of a C++ element type: dtype_of<float> == dtype::f32.
template <class T>
inline constexpr dtype dtype_of = detail::element_dtype<std::remove_cv_t<T>>::value;

// How a dtype lies in memory, and the type its arithmetic is done in (narrow types: float).
template <dtype D> using storage_t = typename detail::dtype_traits<D>::storage;
template <dtype D> using arithmetic_t = typename detail::dtype_traits<D>::arithmetic;

// Default floating type: what an integer becomes under division or a transcendental function.
inline constexpr dtype default_float = dtype::f32;

namespace detail {
// Neither of these pairs holds the other's numbers: the narrowest type that holds both.
constexpr dtype promote_floating(dtype low, dtype high) {
  if (is_float8(low) && is_float8(high)) return dtype::f16;
  if (low == dtype::f16 && high == dtype::bf16) return dtype::f32;
  return high;
}
// An unsigned type with a signed one of no more bits: the next wider signed type; beyond 64 bits there is none, and the
// numbers wrap.
constexpr dtype promote_integer(dtype low, dtype high) {
  if (is_unsigned(low) == is_unsigned(high) || (!is_unsigned(high) && size_of(high) > size_of(low))) return high;
  switch (size_of(low) > size_of(high) ? size_of(low) : size_of(high)) {
    case 1: return dtype::i16;
    case 2: return dtype::i32;
    default: return dtype::i64;
  }
}
}  // namespace detail

// Promotion of two dtypes of equal priority. As PyTorch defines it; where PyTorch refuses a pair (u16, u32, u64 with another
// integer, float8 with another floating type) the narrowest type that holds both.
constexpr dtype promote(dtype a, dtype b) {
  if (a == b) return a;
  if (category_of(a) != category_of(b)) return category_of(a) < category_of(b) ? b : a;
  dtype high = a < b ? b : a, low = a < b ? a : b;
  return is_floating(a) ? detail::promote_floating(low, high) : detail::promote_integer(low, high);
}

// Priority of an operand inside its category: a tensor decides over a 0-dim tensor, which decides over a literal.
enum class priority : std::uint8_t { literal, scalar, tensor };
struct typed_operand {
  dtype type;
  priority rank;
};

// @post the operand of the highest category decides; inside a category the highest priority present decides.
constexpr dtype promote(typed_operand a, typed_operand b) {
  if (category_of(a.type) != category_of(b.type)) return category_of(a.type) < category_of(b.type) ? b.type : a.type;
  if (a.rank != b.rank) return a.rank < b.rank ? b.type : a.type;
  return promote(a.type, b.type);
}

// Of one operand or more.
constexpr dtype promote(typed_operand const* first, typed_operand const* last) {
  typed_operand result = *first;
  for (++first; first != last; ++first)
    result = {promote(result, *first), result.rank > first->rank ? result.rank : first->rank};
  return result.type;
}

}  // namespace tenon
