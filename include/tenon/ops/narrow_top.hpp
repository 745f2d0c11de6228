// SPDX-License-Identifier: Apache-2.0
#pragma once
// The first few of numbers of a half type that come in the order of their positions, as integers of
// 32 bits, until they become a state of top.

#include "tenon/core/half.hpp"
#include "tenon/ops/top.hpp"

namespace tenon::ops {

// A rank of 16 bits and among equal ones a place, which falls as the position grows.
struct narrow_key {
  unsigned bits;
  static constexpr TENON_HD narrow_key first(narrow_key const& a, narrow_key const& b) {
    return {math::maximum(a.bits, b.bits)};
  }
  static constexpr TENON_HD narrow_key last(narrow_key const& a, narrow_key const& b) {
    return {math::minimum(a.bits, b.bits)};
  }
};

// For the reduction Top of numbers of type Half.
template <class Top, class Half> struct narrow_top {
  static constexpr bool takes_numbers = true;
  using number = float;
  static constexpr unsigned sign = 1u << 31, high = 0xffffu << 16,
                            turned = Top::is_descending ? 0 : high;
  // As many numbers, and a batch more, have places of their own.
  static constexpr unsigned most = 0x7f00;

  struct list {
    narrow_key at[Top::size];
  } best = {};
  unsigned count = 0;  // of the numbers that came
  int origin = 0;      // where the first of them was

  // Takes in the first `valid` of Count numbers. @pre count <= most
  template <int Count, class At>
  constexpr TENON_HD void take(float const (&x)[Count], int valid, At const& at_of) {
    if (count == 0) origin = static_cast<int>(at_of(0));
    take_from<0>(x, valid);
    count += Count;
  }
  constexpr TENON_HD bool is_full() const { return count > most; }

  // All that came, as a state of Top; index_of(n) is the position of the number that came behind n
  // others.
  template <class IndexOf>
  constexpr TENON_HD typename Top::template state<float> state(IndexOf const& index_of) const {
    using wide = typename Top::template state<float>;
    wide result{};
    for (int k = 0; k < Top::size; ++k) {
      unsigned const bits = best.at[k].bits;
      if (bits != 0)
        result.at[k] = wide::order::of({number_of(bits), index_of(0x7fff - (bits >> 1 & 0x7fff))});
    }
    return result;
  }

 private:
  // As place_in_order has it: NaN has the highest rank, a negative zero that of zero. The last bit
  // is the sign, of which only that of a zero is looked at.
  static constexpr TENON_HD narrow_key key_of(float x, unsigned n) {
    unsigned const bits = bits_of(plain(x));
    unsigned const is_negative = __builtin_bit_cast(unsigned, x) >> 31;
    unsigned const rank = bits ^ ((0u - (bits >> 31)) | sign) ^ turned;
    return {(rank & high) | (((0x7fffu - n) << 1) + is_negative)};
  }
  // Zero for both zeros, and one NaN for all, which a sum is on devices: off the units that
  // compare.
  static constexpr TENON_HD float plain(float x) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) return x + 0.0f;
#endif
    return x != x ? __builtin_bit_cast(float, ~sign) : x == 0 ? 0.0f : x;
  }
  static constexpr TENON_HD unsigned bits_of(float x) {
    if constexpr (std::is_same_v<Half, bfloat16>)
      return __builtin_bit_cast(unsigned, x);
    else
      return x != x ? ~sign : static_cast<unsigned>(Half(x).bits) << 16;
  }
  static constexpr TENON_HD float number_of(unsigned key) {
    unsigned const rank = (key ^ turned) & high;
    bool const is_negative_zero = rank == sign && (key & 1) != 0;
    unsigned const bits = is_negative_zero ? sign : (rank & sign) != 0 ? rank ^ sign : ~rank;
    Half result;
    result.bits = static_cast<std::uint16_t>(bits >> 16);
    return result;
  }
  // As many at a time as are kept.
  template <int First, int Count>
  constexpr TENON_HD void take_from(float const (&x)[Count], int valid) {
    if constexpr (First < Count) {
      list some{};
      for (int i = 0; i < Top::size && First + i < Count; ++i)
        if (First + i < valid)
          some.at[i] = key_of(x[First + i], count + static_cast<unsigned>(First + i));
      Top::sort_list(some);
      Top::join_lists(best, some);
      take_from<First + Top::size>(x, valid);
    }
  }
};

}  // namespace tenon::ops
