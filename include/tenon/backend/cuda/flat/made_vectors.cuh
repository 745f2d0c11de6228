// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of a row that memory does not have as such: over the end of one row of an operand that is
// repeated.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Digits of an element's place in a row of two axes.
struct two_digits {
  int outer, inner;

  template <class Arguments>
  __device__ __forceinline__ two_digits(Arguments const& a, int place)
      : outer(static_cast<int>(a.columns.by[1].narrow_quotient(static_cast<unsigned>(place)))),
        inner(place - outer * static_cast<int>(a.columns.by[1].divisor)) {}
  __device__ __forceinline__ long long place(long long const* strides) const {
    return wide_product(outer, static_cast<int>(strides[0])) +
           wide_product(inner, static_cast<int>(strides[1]));
  }
};

// A vector that goes on from one row into the next, of an operand that is repeated: its elements
// one by one; or those of two rows, if all of a row have the same one.
template <int V, class T, class Arguments>
__device__ __forceinline__ packed<T, V> walk(T const* row, Arguments const& a, int first,
                                             long long const* strides, bool is_live) {
  two_digits const digits(a, first);
  T const* at = row + digits.place(strides);
  int const length = static_cast<int>(a.columns.by[1].divisor);
  int left = length - digits.inner;  // of the row
  T elements[V];
  packed<T, 1> one{};
  if (strides[1] == 0 && length >= V) {
    packed<T, 1> next{};
    load_packed<reuse::expected>(one, at, is_live);
    load_packed<reuse::expected>(next, at + strides[0], is_live && left < V);
#pragma unroll
    for (int i = 0; i < V; ++i) elements[i] = element_of(i < left ? one : next, 0);
  } else {
    long long const back = strides[0] - length * strides[1];
#pragma unroll
    for (int i = 0; i < V; ++i) {
      load_packed<reuse::expected>(one, at, is_live);
      elements[i] = element_of(one, 0);
      at += strides[1];
      if (--left == 0) at += back, left = length;
    }
  }
  return pack<T>(elements);
}

}  // namespace tenon::detail
#endif
