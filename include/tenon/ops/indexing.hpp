// SPDX-License-Identifier: Apache-2.0
#pragma once
// What reading an element at an index is made of in a program: an address that moves along the
// axes with an index, then a load through it.
//
// Addresses are i64 values like any other, so an indexed load needs nothing of a backend but the
// address to start from.

#include "tenon/core/error.hpp"
#include "tenon/ops/math.hpp"
#include "tenon/ops/op.hpp"

// Whether kernels compare every index that a user gave with its extent. The CPU backend always
// does.
#if !defined(TENON_CHECK_INDICES)
#if defined(NDEBUG)
#define TENON_CHECK_INDICES 0
#else
#define TENON_CHECK_INDICES 1
#endif
#endif

namespace tenon {
namespace detail {

// No address: what is read there is missing.
inline constexpr long long no_address = 0;
// No index: a position at which an index of the user's was not read, and is not to be checked. It
// is the one index of the user's own that is read as a missing element and not reported.
inline constexpr long long no_index = math::smallest<long long>;

// What is read at no address: NaN, the lowest signed or the largest unsigned integer, or true.
template <class Number> constexpr TENON_HD Number missing() {
  if constexpr (std::is_floating_point_v<Number>)
    return math::nan<Number>;
  else
    return std::is_unsigned_v<Number> ? math::largest<Number> : math::smallest<Number>;
}
// Where a row's place among those of an operand is counted from, in bytes: an address of none.
inline constexpr long long first_place = 1ll << 60;

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_index(char const* operation,
                                                                long long index, long long extent) {
  raise(
      {.operation = operation,
       .problem = "index " + to_string(index) + " is out of range for extent " + to_string(extent),
       .remedy = "give indices from -extent to extent - 1"});
}

TENON_HD inline void report_index(char const* operation, long long index, long long extent) {
#if !defined(__CUDA_ARCH__)
  refuse_index(operation, index, extent);
#elif TENON_CHECK_INDICES
  printf(
      "%s: %s: index %lld is out of range for extent %lld; give indices from -extent to extent - "
      "1\n",
      "tenon", operation, index, extent);
  __trap();
#else
  static_cast<void>(operation), static_cast<void>(index), static_cast<void>(extent);
#endif
}

// The element of type T that lies at `address`, in global memory on a device.
template <class T> TENON_HD T read(long long address) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, bool>)
    return __ldg(reinterpret_cast<unsigned char const*>(address)) != 0;
  else if constexpr (sizeof(T) == 1)
    return __builtin_bit_cast(T, __ldg(reinterpret_cast<unsigned char const*>(address)));
  else if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(T, __ldg(reinterpret_cast<unsigned short const*>(address)));
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, __ldg(reinterpret_cast<unsigned const*>(address)));
  else
    return __builtin_bit_cast(T, __ldg(reinterpret_cast<unsigned long long const*>(address)));
#else
  return *reinterpret_cast<T const*>(address);
#endif
}

}  // namespace detail

namespace ops {

// (address, index, stride in bytes, extent): the address of element `index` along an axis. None
// where the index is outside.
struct advance : pointwise_op<4> {
  static constexpr text_view name = "advance";
  static constexpr int cost = 4;
  static TENON_HD long long eval(long long address, long long index, long long stride,
                                 long long extent) {
    return is_inside(address, index, extent) ? address + index * stride : detail::no_address;
  }
  // Without a branch: elements wait for what they read together.
  static TENON_HD bool is_inside(long long address, long long index, long long extent) {
    return static_cast<unsigned>(address != detail::no_address) &
           static_cast<unsigned>(static_cast<unsigned long long>(index) <
                                 static_cast<unsigned long long>(extent));
  }
};

// The same for an index of the user's: a negative one counts from the end, and one that is outside
// is a mistake.
struct advance_checked : pointwise_op<4> {
  static constexpr text_view name = "advance_checked";
  static constexpr int cost = 6;
  static TENON_HD long long eval(long long address, long long index, long long stride,
                                 long long extent) {
    long long const from = index == detail::no_index ? detail::no_address : address,
                    wrapped = index < 0 ? index + extent : index;
    if (from != detail::no_address && !advance::is_inside(from, wrapped, extent))
      detail::report_index("take", index, extent);
    return advance::eval(from, wrapped, stride, extent);
  }
};

// (index, position, extent): an index that was itself read at a position; none where that position
// is outside, as it is in the other parts of a concatenation.
struct index_within : pointwise_op<3> {
  static constexpr text_view name = "index_within";
  static constexpr int cost = 3;
  static constexpr TENON_HD long long eval(long long index, long long position, long long extent) {
    bool is_inside =
        static_cast<unsigned long long>(position) < static_cast<unsigned long long>(extent);
    return is_inside ? index : detail::no_index;
  }
};
// The element at an address.
struct fetch : pointwise_op<1> {
  static constexpr text_view name = "fetch";
  static constexpr int cost = 4;
  template <dtype D> static TENON_HD arithmetic_t<D> eval_as(long long address) {
    using T = storage_t<D>;
    if (address != detail::no_address)
      return static_cast<arithmetic_t<D>>(detail::read<T>(address));
    return detail::missing<arithmetic_t<D>>();
  }
};
// Whether there is a row at a place that an index gave, counted from first_place.
struct is_somewhere : pointwise_op<1> {
  static constexpr text_view name = "is_somewhere";
  static constexpr int cost = 1;
  static constexpr TENON_HD bool eval(long long where) { return where != detail::no_address; }
};
// (element, whether its row is somewhere).
struct found : pointwise_op<2> {
  static constexpr text_view name = "found";
  static constexpr int cost = 1;
  template <dtype D>
  static constexpr TENON_HD arithmetic_t<D> eval_as(arithmetic_t<D> element, bool is_there) {
    return is_there ? element : detail::missing<arithmetic_t<D>>();
  }
};

// (position, index, stride, extent): an index that is itself taken from, which no memory holds.
struct advance_position : pointwise_op<4> {
  static constexpr text_view name = "advance_position";
  static constexpr int cost = 3;
  static constexpr TENON_HD long long eval(long long position, long long index, long long stride,
                                           long long extent) {
    return position + (index < 0 ? index + extent : index) * stride;
  }
};
// The same for an index of the user's, of which one that is outside is a mistake.
struct advance_position_checked : pointwise_op<4> {
  static constexpr text_view name = "advance_position_checked";
  static constexpr int cost = 3;
  static TENON_HD long long eval(long long position, long long index, long long stride,
                                 long long extent) {
    if (index != detail::no_index && (index < -extent || index >= extent))
      detail::report_index("take", index, extent);
    return advance_position::eval(position, index, stride, extent);
  }
};
// Whether an index of the user's is looked at, which may be a mistake.
template <class Op>
inline constexpr bool checks_index =
    std::is_same_v<Op, advance_checked> || std::is_same_v<Op, advance_position_checked>;

}  // namespace ops
}  // namespace tenon
