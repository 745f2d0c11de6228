// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linear index → offsets along strided axes, without division: each extent comes with its magic
// multiplier.

#include "tenon/backend/arguments.hpp"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Exact quotients of indices below 2^(Bits-1): floor(n / d) = (n * ceil(2^(Bits-1+l) / d)) >>
// (Bits-1+l), d <= 2^l.
template <int Bits> struct index_divider;

template <> struct index_divider<32> {
  using index = unsigned;
  unsigned divisor = 1, multiplier = 1u << 31;
  int shift = 0;

  // @pre 1 <= extent < 2^31
  [[gnu::cold]] static index_divider of(long long extent) {
    index_divider result;
    result.divisor = static_cast<unsigned>(extent);
    while ((1ll << result.shift) < extent) ++result.shift;
    unsigned long long power = 1ull << (31 + result.shift);
    result.multiplier = static_cast<unsigned>((power + result.divisor - 1) / result.divisor);
    return result;
  }
  __device__ __forceinline__ index quotient(index n) const {
    return __umulhi(n << 1, multiplier) >> shift;
  }
};

template <> struct index_divider<64> {
  using index = unsigned long long;
  unsigned long long divisor = 1, multiplier = 1ull << 63;
  unsigned narrow_multiplier = 1u << 31;  // of indices that fit 32 bits, as most do
  int shift = 0;

  // @pre 1 <= extent < 2^62
  [[gnu::cold]] static index_divider of(long long extent) {
    index_divider result;
    result.divisor = static_cast<unsigned long long>(extent);
    while ((1ll << result.shift) < extent) ++result.shift;
    // ceil(2^(63+l) / d), bit by bit: not every host compiler has 128-bit integers.
    unsigned long long quotient = 0, rest = 1;
    for (int bit = 0; bit < 63 + result.shift; ++bit) {
      rest <<= 1;
      quotient = quotient << 1 | (rest >= result.divisor ? 1u : 0u);
      if (rest >= result.divisor) rest -= result.divisor;
    }
    result.multiplier = quotient + (rest != 0);
    if (result.divisor == 1) result.multiplier = 1ull << 63;
    result.narrow_multiplier =
        static_cast<unsigned>((result.multiplier + 0xffffffffull) >> 32);  // rounded up again
    return result;
  }
  // @pre n and the extent are below 2^31
  __device__ __forceinline__ unsigned narrow_quotient(unsigned n) const {
    return __umulhi(n << 1, narrow_multiplier) >> shift;
  }
  __device__ __forceinline__ index quotient(index n) const {
    if (n >> 31 == 0)
      return static_cast<index>(__umulhi(static_cast<unsigned>(n) << 1, narrow_multiplier)) >>
             shift;
    return __umul64hi(n << 1, multiplier) >> shift;
  }
};

// An axis group as a kernel sees it.
template <int Dims, int Bits> struct index_group {
  int dims = 1;
  long long size = 0;
  index_divider<Bits> by[Dims];

  // @pre the group has at most Dims axes
  [[gnu::cold]] void set(group_layout const& from) {
    dims = from.dims > 1 ? from.dims : 1;
    size = from.size;
    if constexpr (Dims > 1)
      for (int d = 0; d < from.dims; ++d)
        if (from.extents[d] > 0) by[d] = index_divider<Bits>::of(from.extents[d]);
  }
};

#if defined(__CUDA_ARCH__)
// nvcc 13.0 multiplies words of 64 bits where a factor comes from memory.
__device__ __forceinline__ long long wide_product(int a, int b) {
  long long result;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(result) : "r"(a), "r"(b));
  return result;
}

// Calls visit(dim, position along it), innermost first; the outermost with the constant 0.
template <int Dims, int Bits, class Visit>
__device__ __forceinline__ void for_each_digit(index_group<Dims, Bits> const& group,
                                               long long linear, Visit&& visit) {
  using index = typename index_divider<Bits>::index;
  index rest = static_cast<index>(linear);
  if constexpr (Dims > 1) {
#pragma unroll 1
    for (int d = group.dims - 1; d > 0; --d) {
      index next = group.by[d].quotient(rest);
      visit(d, static_cast<long long>(rest - next * group.by[d].divisor));
      rest = next;
    }
  }
  visit(0, static_cast<long long>(rest));
}
#endif

}  // namespace tenon::detail
TENON_ONCE_END
