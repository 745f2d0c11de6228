// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions that choose by value and place, of columns whose places ascend: their states on the
// way, and where the columns are.

#include "tenon/backend/cuda/parts/reduce.cuh"
#include "tenon/ops/chosen_vector.hpp"
#include "tenon/ops/first_best.hpp"

namespace tenon::detail {

// The instruction that gives the place of what reduction K chooses by value and place; -1: none.
template <class Program, int K>
inline constexpr int chosen_place = [] {
  using traits = program_traits<Program>;
  using I = typename traits::template at<traits::template at<K>::first_operand>;
  if constexpr (std::is_same_v<typename I::op, ops::indexed> &&
                std::is_base_of_v<ops::indexed_choice, typename traits::template at<K>::op>) {
    using place_of = typename traits::template at<I::first_operand>;
    return place_of::is_position && place_of::where == place::element ? I::first_operand : -1;
  }
  return -1;
}();

// Whether positions are nothing but the places of what is chosen. H200, the least of those before a
// row, of 8192 x 4096 bf16, 61 us with eight rows to a thread and 33 with four.
template <class Program>
inline constexpr bool places_alone = []<int... K>(std::integer_sequence<int, K...>) {
  using traits = program_traits<Program>;
  constexpr bool are_chosen[] = {
      std::is_same_v<typename traits::template at<K>::op, ops::indexed>...};
  bool result = true;
  for (int k = 0; k < traits::size; ++k)
    for (int n = 0; n < traits::all[k].operand_count; ++n)
      result = result && (are_chosen[k] || !traits::all[traits::all[k].operands[n]].is_position);
  return result;
}
(typename program_traits<Program>::sequence{});
// Whether each row chooses so, and has no other use of positions.
template <class Program>
inline constexpr bool has_only_choices = places_alone<Program>&& [] {
  bool result = !program_traits<Program>::has_total;
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    result = result && chosen_place<Program, decltype(selected)::value> >= 0;
  });
  return result;
}();

#if defined(__CUDA_ARCH__)

// The places of a row's columns of one dimension: they ascend.
template <class Program, int V, class Arguments> struct ascending_places {
  Arguments const& a;
  operand_offsets<Program> const& row;

  // That of element i of a vector, as reduction K knows it.
  template <int K> __device__ __forceinline__ long long of(long long vector, int i) const {
    constexpr int place = chosen_place<Program, K>;
    using I = typename program_traits<Program>::template at<place>;
    long long const from_row = I::varies_over_rows ? row.loads[I::bits] : 0;
    return position_of<Program, place>(a, from_row + (vector * V + i) * a.load_columns[I::bits][0],
                                       true);
  }
};
// The positions of a batch of items, the first of which is item `first_item`, in such columns.
template <class Program, int V, class Arguments, class Positions> struct ordered_batch {
  static constexpr int width = V;
  static constexpr bool is_whole = requires { Positions::has_all; };
  ascending_places<Program, V, Arguments> places;
  Positions const& positions;
  int first_item;

  __device__ __forceinline__ auto operator()(int item) const {
    return positions.at(first_item + item);
  }
};

// States of a sweep over such columns: of what is chosen the vector that has it, instead of its
// place after every batch. H200, argmax, us: of 32768 x 4096 f32 120.2 (122.0), bf16 64.2 (68.2),
// of 512 x 131072 f32 64.8 (67.1), bf16 38.5 (42.3), of 65536 x 1024 bf16 39.6 (47.3).
template <class Running> struct choosing_states : Running {
  template <int K>
  static constexpr bool is_chosen = Running::template is_batch<K>&& Running::template place<K> >= 0;
  template <int K> using facts = typename Running::template facts<K>;
  template <int K>
  using type = std::conditional_t<
      is_chosen<K>,
      value_list<
          ops::chosen_vector<typename facts<K>::op, typename facts<K>::number, Running::width, int>,
          1>,
      typename Running::template type<K>>;
};

// The states that such a sweep ends with.
template <class Program, int V, class Running, class States, class Arguments>
__device__ __forceinline__ auto all_chosen(States const& states, Arguments const& a,
                                           operand_offsets<Program> const& row) {
  selected_registers<Program, Running> all;
  for_each_selected<Program, Running>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    auto const& from = read_register<k>(states).at;
    auto& to = read_register<k>(all).at;
    if constexpr (choosing_states<Running>::template is_chosen<k>)
      to[0] = from[0].state([&](auto vector, int i) {
        return ascending_places<Program, V, Arguments>{a, row}.template of<k>(vector, i);
      });
    else
#pragma unroll
      for (int i = 0; i < static_cast<int>(sizeof(to) / sizeof(to[0])); ++i) to[i] = from[i];
  });
  return all;
}

// States of a sweep whose steps ascend by place: the number and the step instead of the place,
// which is of 64 bits and would be compared with every element. @pre at most 2^32 positions
template <class Program, class States> struct choosing_in_order : States {
  template <int K> using facts = reduction_facts<Program, K>;
  template <int K>
  using type = std::conditional_t<
      (chosen_place<Program, K> >= 0),
      value_list<ops::first_best<typename facts<K>::op, typename facts<K>::number>, 1>,
      typename States::template type<K>>;
};

// What such states come to in a row's columns of one dimension. `first`: the column of a thread's
// first step, if it has any.
template <class Program, class Arguments> struct columns_in_order {
  ascending_places<Program, 1, Arguments> places;
  int first;
  bool has_any;

  template <int K, class State> __device__ __forceinline__ auto state(State const& from) const {
    auto result = reduction_facts<Program, K>::identity();
    if (has_any) result = {from.best, places.template of<K>(first + static_cast<int>(from.at), 0)};
    return result;
  }
};

#endif

}  // namespace tenon::detail
