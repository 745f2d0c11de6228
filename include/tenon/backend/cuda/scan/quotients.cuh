// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements divided by what their row has, all of a thread's at a time: correctly rounded, with one
// reciprocal and one look at their sizes.

#include "tenon/backend/cuda/parts/sweep_needs.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The first quotient of elements in f32 by a value of the row or the launch, from instruction From
// on, that a sweep needs; To if there is none before.
template <class Program, int Phase, bool Stores> consteval int find_quotient(int from, int to) {
  auto const& all = program_traits<Program>::all;
  int result = to;
  [&]<int... K>(std::integer_sequence<int, K...>) {
    auto const look = [&](int k, bool divides) {
      if (result == to && divides && k >= from && k < to && all[k].where == place::element &&
          all[k].type == dtype::f32 && all[all[k].operands[0]].type == dtype::f32 &&
          all[all[k].operands[1]].where != place::element &&
          element_needs<Program>::template at<Phase, Stores>.needed[k])
        result = k;
    };
    (look(K, std::is_same_v<typename program_traits<Program>::template at<K>::op, ops::div>), ...);
  }
  (typename program_traits<Program>::sequence{});
  return result;
}

// Numbers whose quotients are found as nvcc finds those of one number by another, where no step
// leaves the range of normal numbers: the approximate reciprocal is improved once, and the quotient
// by what is left of it.
struct common_divisor {
  // Twice the bits of 2^-60, and how much further those of 2^60 are: a sign does not count.
  static constexpr unsigned least = 0x43000000, span = 0x78000000;
  float by, inverse;

  __device__ __forceinline__ explicit common_divisor(float y) : by(y) {
    float const first = math::approximate::reciprocal(y);
    inverse = __fmaf_rn(first, __fmaf_rn(-y, first, 1.0f), first);
  }
  static __device__ __forceinline__ unsigned beyond_least(float x) {
    return (__float_as_uint(x) << 1) - least;
  }
  __device__ __forceinline__ float quotient(float x) const {
    float const nearly = __fmul_rn(x, inverse);
    return __fmaf_rn(inverse, __fmaf_rn(-by, nearly, x), nearly);
  }
};

// Quotient K of all elements of a tile.
template <class Program, int K, class Tile>
__device__ __forceinline__ void divide_elements(Tile& tile) {
  using I = typename program_traits<Program>::template at<K>;
  auto const number = [&](int u, int i) { return value_of<I::first_operand>(tile.frame_of(u, i)); };
  common_divisor const by(value_of<I::second_operand>(tile.frame_of(0, 0)));
  unsigned farthest = common_divisor::beyond_least(by.by);
  tile.for_each_element([&](int u, int i) {
    unsigned const beyond = common_divisor::beyond_least(number(u, i));
    farthest = beyond > farthest ? beyond : farthest;
  });
  if (farthest <= common_divisor::span)
    tile.for_each_element(
        [&](int u, int i) { value_of<K>(tile.frame_of(u, i)) = by.quotient(number(u, i)); });
  else
    tile.for_each_element(
        [&](int u, int i) { step<K>(tile.frame_of(u, i), typename I::operands{}); });
}

}  // namespace tenon::detail
#endif
