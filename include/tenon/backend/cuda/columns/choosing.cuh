// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions that choose by value and place among the positions of a thread of the columns
// skeleton, which come in their order: their states on the way, and what they end with.

#include "tenon/backend/cuda/columns/slice.cuh"
#include "tenon/backend/cuda/parallel/side_by_side.cuh"

namespace tenon::detail {

// Words of the states of a row while its positions are taken in.
template <class Program>
inline constexpr int swept_words = [] {
  int result = 0;
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    constexpr int words = words_of_row_state<Program, k>;
    // A step instead of a place; states have whole 8 bytes.
    if constexpr (chosen_place<Program, k> >= 0)
      result += words / 2;
    else
      result += words;
  });
  return result;
}();
template <class Program>
inline constexpr bool has_choices = swept_words<Program> != row_state_words<Program>;

#if defined(__CUDA_ARCH__)

// The states that row i of a thread ends its sweep with. `first`: its first position, where it has
// one.
template <class Program, class States, class Choosing>
__device__ __forceinline__ auto all_chosen(Choosing const& running,
                                           columns_arguments<Program> const& a,
                                           operand_offsets<Program> const& offsets, int i,
                                           long long first, bool has_any) {
  selected_registers<Program, States> all;
  for_each_selected<Program, States>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    auto const& from = read_register<k>(running).at[0];
    auto& to = read_register<k>(all).at[0];
    if constexpr (constexpr int place = chosen_place<Program, k>; place >= 0) {
      using I = typename program_traits<Program>::template at<place>;
      long long const column = first + static_cast<long long>(from.at) * blockDim.y;
      to = reduction_facts<Program, k>::identity();
      if (has_any)
        to = {from.best,
              position_of<Program, place>(a,
                                          offsets.loads[I::bits] + column * a.load_steps[I::bits] +
                                              i * a.load_along[I::bits],
                                          true)};
    } else {
      to = from;
    }
  });
  return all;
}

#endif

}  // namespace tenon::detail
