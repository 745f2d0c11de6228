// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sorts: element i of the result is the one that comes i-th along one axis, with its position.

#include <cstdint>
#include <type_traits>

#include "tenon/ops/indexed_reduction.hpp"
#include "tenon/ops/scan.hpp"

namespace tenon::ops {

// As a scan, it makes a row of a row; but nothing of the result is known before the whole row is.
// Equal elements stay in the order of their positions, -0 equals 0, and NaN is greater than any
// number.
struct sort_op : scan_op {
  static constexpr dtype_rule rule = rules::same;
  static constexpr bool has_state = true;
  static constexpr bool is_sort = true;
  static constexpr bool is_differentiable = false;
  static constexpr int cost = 100;
  template <class T> using state = indexed::state<T>;
};

struct ascending_sort : sort_op {
  static constexpr text_view name = "sort";
  static constexpr bool is_descending = false;
  template <class T> static constexpr bool is_before(T a, T b) {
    return a < b || (b != b && a == a);
  }
};

struct descending_sort : sort_op {
  static constexpr text_view name = "sort_descending";
  static constexpr bool is_descending = true;
  template <class T> static constexpr bool is_before(T a, T b) {
    return b < a || (a != a && b == b);
  }
};

}  // namespace tenon::ops

namespace tenon::detail {

// The order of a sort as the order of unsigned numbers, for sorting by digits. A zero's sign, which
// the order leaves out, goes with the position; all NaNs are one.
template <class T> struct sort_key {
  using bits = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
  using unsigned_number = std::make_unsigned_t<
      std::conditional_t<std::is_same_v<T, bool>, unsigned char,
                         std::conditional_t<std::is_floating_point_v<T>, bits, T>>>;
  static constexpr int width = 8 * static_cast<int>(sizeof(T));
  static constexpr bits sign = bits(1) << (width - 1);
  static constexpr bits all = sign | (sign - 1);

  static constexpr TENON_HD bool is_negative_zero(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return __builtin_bit_cast(bits, x) == sign;
    else
      return false;
  }
  // @post of(x) < of(y) when x comes before y in ascending order
  static constexpr TENON_HD bits of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      if (x != x) return all;
      bits const raw = x == 0 ? bits(0) : __builtin_bit_cast(bits, x);
      return raw & sign ? ~raw : raw | sign;
    } else {
      bits const raw = static_cast<unsigned_number>(x);
      return std::is_signed_v<T> ? raw ^ sign : raw;
    }
  }
  static constexpr TENON_HD T number(bits key, bool is_negative_zero) {
    if constexpr (std::is_floating_point_v<T>) {
      if (key == all)
        return __builtin_bit_cast(
            T, sizeof(T) > 4 ? bits(0x7FF8ull << (width - 16)) : bits(0x7FC00000u));
      if (is_negative_zero) return __builtin_bit_cast(T, sign);
      return __builtin_bit_cast(T, key & sign ? key ^ sign : ~key);
    } else {
      return static_cast<T>(static_cast<unsigned_number>(std::is_signed_v<T> ? key ^ sign : key));
    }
  }
};

}  // namespace tenon::detail
