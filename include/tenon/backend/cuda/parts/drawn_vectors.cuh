// SPDX-License-Identifier: Apache-2.0
#pragma once
// The random numbers of V neighbouring elements: one call of the generator for as many of them as
// it gives, where their positions follow each other.

#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/positions.cuh"
#include "tenon/program/drawn.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int Phase, bool Stores, int V>
struct drawn_by_vector : drawn<Program, Phase, Stores> {
  template <int K>
  using type = value_list<typename program_traits<Program>::template at<K>::value_type, V>;
};

// What a vector of elements draws ahead of them.
template <class Program, int Phase, bool Stores, int V, bool HasRandom = has_random<Program>>
struct drawn_vector {
  template <int K> static constexpr bool holds = false;
  using given = nothing_drawn;
  template <class IsRun, class Position>
  __device__ __forceinline__ void draw(frame<Program> const&, IsRun const&, Position const&) {}
  __device__ __forceinline__ void take(registers<Program, place::element>&, int) const {}
  template <int From = 0, int To = max_nodes>
  __device__ __forceinline__ void evaluate(frame<Program> const& f, int) const {
    evaluate_rest<Phase, Stores, given, From, To>(f);
  }
};
template <class Program, int Phase, bool Stores, int V>
struct drawn_vector<Program, Phase, Stores, V, true> {
  using selected_numbers = drawn_by_vector<Program, Phase, Stores, V>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = selected_numbers::template holds<K>;
  using given = drawn<Program, Phase, Stores>;
  selected_registers<Program, selected_numbers> numbers;

  // position(k, i) is that of element i; where is_run(k), position(k, i) = position(k, 0) + i.
  template <class IsRun, class Position>
  __device__ __forceinline__ void draw(frame<Program> const& around, IsRun const& is_run,
                                       Position const& position) {
    for_each_selected<Program, selected_numbers>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename at<k>::op;
      using place_of = std::integral_constant<int, at<k>::third_operand>;
      auto& at_element = read_register<k>(numbers).at;
      long long const seed = value_of<at<k>::first_operand>(around),
                      stream = value_of<at<k>::second_operand>(around);
      if constexpr (V % op::per_call == 0) {
        long long const first = position(place_of{}, 0);
        if (is_run(place_of{}) && first % op::per_call == 0) {
#pragma unroll
          for (int i = 0; i < V; i += op::per_call)
            op::draw(seed, stream, (first + i) / op::per_call, at_element + i);
          return;
        }
      }
      // A loop, since a call is long; what is drawn moves up to its place.
#pragma unroll 1
      for (int i = 0; i < V; ++i) {
#pragma unroll
        for (int j = 1; j < V; ++j) at_element[j - 1] = at_element[j];
        at_element[V - 1] = op::eval(seed, stream, position(place_of{}, i));
      }
    });
  }
  // Element i's numbers become the values of their operators.
  __device__ __forceinline__ void take(registers<Program, place::element>& element, int i) const {
    for_each_selected<Program, selected_numbers>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(element) = read_register<k>(numbers).at[i];
    });
  }
  // As evaluate_element, of element i, from instruction From on, in front of To.
  template <int From = 0, int To = max_nodes>
  __device__ __forceinline__ void evaluate(frame<Program> const& f, int i) const {
    take(f.element, i);
    evaluate_rest<Phase, Stores, given, From, To>(f);
  }
};

}  // namespace tenon::detail
#endif
