// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements divided by what their row has, several of a thread's at a time: correctly rounded, with
// one reciprocal and one look at their sizes.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"

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
          all[k].type == dtype::f32 && all[all[k].operands[0]].where == place::element &&
          all[all[k].operands[0]].type == dtype::f32 &&
          all[all[k].operands[1]].where != place::element &&
          element_needs<Program>::template at<Phase, Stores>.needed[k])
        result = k;
    };
    (look(K, std::is_same_v<typename program_traits<Program>::template at<K>::op, ops::div>), ...);
  }
  (typename program_traits<Program>::sequence{});
  return result;
}

// A number by which many are divided. The steps are those that nvcc has for one quotient of numbers
// of usual sizes: the approximate reciprocal of y is improved once, which gives r = 1 / y rounded
// (so it is of all mantissas); q = x r is near x / y, and q + (x - q y) r is x / y rounded (P.
// Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990), as
// long as q is a normal number and x - q y is exact: it has no bits below 2^-149.
class common_divisor {
  // Of divisors, and of numbers that are not 0: quotients are 2^-124 or more, and what is left of a
  // number has no bits below 2^-131.
  static constexpr float least = 0x1p-100f, most = 0x1p40f, least_number = 0x1p-84f;
  float by_, inverse_;    // NaN if it is of no usual size
  unsigned before_zero_;  // 1 where quotients of zeros are right, too

  // Twice the bits: there is no sign.
  static __device__ __forceinline__ unsigned place(float x) { return __float_as_uint(x) * 2; }

 public:
  static __device__ __forceinline__ float inverse(float y) {
    float const nearly = math::approximate::reciprocal(y);
    return __fmaf_rn(nearly, __fmaf_rn(-y, nearly, 1.0f), nearly);
  }
  static __device__ __forceinline__ float quotient(float x, float y, float inverse, float nearly) {
    return __fmaf_rn(-inverse, __fmaf_rn(y, nearly, -x), nearly);
  }

  common_divisor() = default;
  __device__ __forceinline__ explicit common_divisor(float y) : by_(y) {
    float const size = fabsf(y);
    inverse_ = size >= least && size <= most ? inverse(y) : math::nan<float>;
    before_zero_ = y > 0;
  }
  __device__ __forceinline__ float nearly(float x) const { return __fmul_rn(x, inverse_); }
  // From that. Of a zero, +0 is left, which is taken off: -0 stays what it is if y > 0.
  __device__ __forceinline__ float quotient(float x, float nearly) const {
    return quotient(x, by_, inverse_, nearly);
  }

  // What is known of many quotients by their first steps.
  class sizes {
    unsigned least_ = ~0u;  // place, of which 0 has the last where its quotient is right
    float finite_ = 0;      // NaN if a quotient is not finite

   public:
    __device__ __forceinline__ void take(common_divisor const& by, float x, float nearly) {
      unsigned const here = place(x) - by.before_zero_;
      least_ = here < least_ ? here : least_;
      finite_ = __fmaf_rn(nearly, 0.0f, finite_);
    }
    __device__ __forceinline__ bool are_usual() const {
      return least_ >= place(least_number) && finite_ == 0;
    }
  };
};

// The divisors of a sweep's quotients.
template <class Program, int Phase, bool Stores> struct common_quotients {
  static consteval bool holds(int k) {
    return find_quotient<Program, Phase, Stores>(k, k + 1) == k;
  }
  template <int> using type = common_divisor;
};
template <class Program, int Phase, bool Stores>
struct common_divisors : selected_registers<Program, common_quotients<Program, Phase, Stores>> {
  __device__ __forceinline__ explicit common_divisors(frame<Program> const& around) {
    for_each_selected<Program, common_quotients<Program, Phase, Stores>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      read_register<k>(*this) = common_divisor(value_of<I::second_operand>(around));
    });
  }
};

// Quotient K of all elements of a tile.
template <class Program, int K, class Tile>
__device__ __forceinline__ void divide_elements(Tile& tile, common_divisor const& by) {
  using I = typename program_traits<Program>::template at<K>;
  auto const number = [&](int u, int i) { return value_of<I::first_operand>(tile.frame_of(u, i)); };
  auto const result = [&](int u, int i) -> float& { return value_of<K>(tile.frame_of(u, i)); };
  // First steps of several items would take as many registers as these: they are made twice.
  constexpr bool are_found_again = Tile::count > 1;
  common_divisor::sizes all;
  tile.for_each_element([&](int u, int i) {
    float const nearly = by.nearly(are_found_again ? found_again(number(u, i)) : number(u, i));
    all.take(by, number(u, i), nearly);
    if (!are_found_again) result(u, i) = nearly;
  });
  if (__builtin_expect(all.are_usual(), true)) {
    tile.for_each_element([&](int u, int i) {
      float const x = number(u, i);
      result(u, i) = by.quotient(x, are_found_again ? by.nearly(x) : result(u, i));
    });
    return;
  }
  // Few are divided by themselves, in a loop: what others execute is short. The quotients move up
  // to where they belong.
  constexpr int v = Tile::width;
#pragma unroll
  for (int u = 0; u < Tile::count; ++u) {
    float vector[v];
#pragma unroll
    for (int i = 0; i < v; ++i) vector[i] = number(u, i);
#pragma unroll 1
    for (int turn = 0; turn < v; ++turn) {
      float const next = apply<I>(vector[0], value_of<I::second_operand>(tile.frame_of(0, 0)));
#pragma unroll
      for (int i = 1; i < v; ++i) vector[i - 1] = vector[i];
      vector[v - 1] = next;
    }
#pragma unroll
    for (int i = 0; i < v; ++i) result(u, i) = vector[i];
  }
}

}  // namespace tenon::detail
#endif
