// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of a vector of which much is computed: what asks each number whether it is 0,
// subnormal, infinite or NaN is computed as of usual ones, and all are looked at together.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/quotients.cuh"
#include "tenon/backend/cuda/parts/vector_ahead.cuh"
#include "tenon/program/usual_numbers.hpp"

namespace tenon::detail {

// Whether vectors of elements are computed so. Little that is computed waits for memory anyway.
template <class Program>
inline constexpr bool computes_usual_numbers =
    element_operands<Program>::has_much_arithmetic&& usual_numbers<Program>::are_found;

#if defined(__CUDA_ARCH__)
// What is known of the numbers of a vector.
class usual_sizes {
  // Between these, quotients are of 2^-124 to 2^124, and what is left of a number when a quotient
  // of it has been taken off has no bits below 2^-131.
  static constexpr unsigned least = (127u - 84u) << 24, most = (127u + 40u) << 24;
  static constexpr unsigned least_normal = 0x00800000, infinite = 0x7f800000;
  unsigned farthest_ = 0, highest_normal_ = 0, highest_ = 0;

 public:
  // One that is divided, or divides: twice its bits, which have no sign.
  __device__ __forceinline__ void take(float x) {
    unsigned const above = __float_as_uint(x) * 2 - least;
    farthest_ = above > farthest_ ? above : farthest_;
  }
  // One that is to be positive, normal and finite; one that is to be finite and not negative.
  __device__ __forceinline__ void take_normal(float x) {
    unsigned const above = __float_as_uint(x) - least_normal;
    highest_normal_ = above > highest_normal_ ? above : highest_normal_;
  }
  __device__ __forceinline__ void take_finite(float x) {
    unsigned const bits = __float_as_uint(x);
    highest_ = bits > highest_ ? bits : highest_;
  }
  __device__ __forceinline__ bool are_usual() const {
    return farthest_ <= most - least && highest_normal_ < infinite - least_normal &&
           highest_ < infinite;
  }
};

// x / y, rounded correctly where both are of usual sizes. Quotients by the same number have one
// reciprocal, as the compiler sees.
__device__ __forceinline__ float usual_quotient(float x, float y) {
  float const r = common_divisor::inverse(y);
  return common_divisor::quotient(x, y, r, __fmul_rn(x, r));
}

// How an operator is computed of usual numbers in f32, which it shows to `sizes`.
template <class Op> struct usual_form {};
template <> struct usual_form<ops::div> {
  static __device__ __forceinline__ float eval(usual_sizes& sizes, float x, float y) {
    sizes.take(x);
    sizes.take(y);
    return usual_quotient(x, y);
  }
};
template <> struct usual_form<ops::reciprocal> {
  static __device__ __forceinline__ float eval(usual_sizes& sizes, float x) {
    sizes.take(x);
    return common_divisor::inverse(x);
  }
};
template <> struct usual_form<ops::sigmoid> {
  static __device__ __forceinline__ float eval(usual_sizes& sizes, float x) {
    auto const [number, by] = ops::sigmoid::fraction(x);
    sizes.take(number);  // it divides by 1 to 2, or by NaN
    return usual_quotient(number, by);
  }
};
template <> struct usual_form<ops::log> {
  static __device__ __forceinline__ float eval(usual_sizes& sizes, float x) {
    sizes.take_normal(x);
    return math::device::log_of_normal(x);
  }
};
template <> struct usual_form<ops::log1p> {
  static __device__ __forceinline__ float eval(usual_sizes& sizes, float x) {
    sizes.take_finite(x);
    return math::log1p_of_finite(x);
  }
};
// A vector that is computed so, in a sweep for the reductions of phase Phase, and for the stores if
// Stores.
template <class Program, int Phase, bool Stores> struct usual_evaluation {
  using traits = program_traits<Program>;
  using needed = held_sequence<Program, computed_of_element<Program, Phase, Stores>>;
  template <int K> static consteval bool is_such() {
    return usual_numbers<Program>::template holds<K>();
  }
  static constexpr bool is_any = []<int... K>(std::integer_sequence<int, K...>) {
    return (false || ... || is_such<K>());
  }
  (needed{});

  template <int K, int... Operands>
  static __device__ __forceinline__ void step_of(frame<Program> const& f, usual_sizes& sizes,
                                                 std::integer_sequence<int, Operands...> operands) {
    if constexpr (is_such<K>())
      value_of<K>(f) = usual_form<typename traits::template at<K>::op>::eval(
          sizes, static_cast<float>(value_of<Operands>(f))...);
    else
      step<K>(f, operands);
  }
  template <int... K>
  static __device__ __forceinline__ void compute(frame<Program> const& f, usual_sizes& sizes,
                                                 std::integer_sequence<int, K...>) {
    (step_of<K>(f, sizes, typename traits::template at<K>::operands{}), ...);
  }

  // Where a number is none all elements follow each other in a loop, so that what others execute is
  // short; they move up to where they belong.
  template <class Vector> static __device__ __forceinline__ void evaluate(Vector& elements) {
    constexpr int v = Vector::width;
    std::remove_cvref_t<decltype(elements.at)> given;
#pragma unroll
    for (int i = 0; i < v; ++i) given[i] = elements.at[i];
    usual_sizes sizes;
    elements.for_each_element(
        [&](int, int i) { compute(elements.frame_of(0, i), sizes, needed{}); });
    if (__builtin_expect(sizes.are_usual(), true)) return;
#pragma unroll
    for (int i = 0; i < v; ++i) elements.at[i] = given[i];
#pragma unroll 1
    for (int turn = 0; turn < v; ++turn) {
      evaluate_element<Phase, Stores>(elements.frame_of(0, 0));
      auto const done = elements.at[0];
#pragma unroll
      for (int i = 1; i < v; ++i) elements.at[i - 1] = elements.at[i];
      elements.at[v - 1] = done;
    }
  }
};

// How many of V elements are evaluated beside each other: more take too many registers. H200, us,
// divergence of rows of f32 by four 79.3, by two 82.5.
template <int V> inline constexpr int usual_elements = V < 4 ? V : 4;

// Whether the sweep's vectors are. Numbers that are drawn, or compared ahead, belong to a place in
// the vector.
template <class Program, int Phase, bool Stores, int V>
inline constexpr bool has_usual_numbers = [] {
  if constexpr (V > 1 && computes_usual_numbers<Program> && !has_random<Program> &&
                !compares_ahead<Program, Phase, Stores, V> &&
                !has_selected<Program, common_quotients<Program, Phase, Stores>>)
    return usual_evaluation<Program, Phase, Stores>::is_any;
  else
    return false;
}();
#endif

}  // namespace tenon::detail
