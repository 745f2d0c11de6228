// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of operands that vary along some axes alone, and so are there more than once.

#include "tenon/backend/cuda/parts/item_positions.cuh"
#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/program/evaluate.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// One element `step` beyond the other, each as a vector; 0 where is_inside(u) is false.
template <class T, int V, int Items, class IsInside>
__device__ __forceinline__ void load_splat(packed<T, V> (&to)[Items], T const* from, long long step,
                                           IsInside const& is_inside) {
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    packed<T, 1> one{};
    load_packed<reuse::expected>(one, from + u * step, is_inside(u));
    to[u] = splat<V>(one);
  }
}

// The selected loads of which neighbouring elements have the same one.
template <class Program, class Selected> struct repeated_among {
  static consteval bool holds(int k) {
    return is_held<Program, Selected>(k) && program_traits<Program>::all[k].repeats;
  }
};
// Loads the vectors that neighbouring rows share once for all of them, and from each row what is
// one element there.
template <class Program, class Selected, int V, int Items, class Tile, class Arguments>
__device__ __forceinline__ void load_shared(Tile& tile, Arguments const& a,
                                            neighbouring_rows const& positions) {
  for_each_selected<Program, repeated_among<Program, Selected>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    auto const* const from = load_address<Program, k>(a, 0);
    auto& to = read_register<k>(tile).at;
    if constexpr (I::is_splat) {
      auto const step = static_cast<int>(a.load_columns[I::bits][0]);
      load_splat(to, from + wide_product(static_cast<int>(positions.row), step), step,
                 [&](int u) { return positions.is_whole(u); });
    } else {
      load_packed<reuse::expected>(to[0], from + positions.column * V);
#pragma unroll
      for (int u = 1; u < Items; ++u) to[u] = to[0];
    }
  });
}
// Loads vectors, or one element that stands for one, whose places are found by division. What is
// not inside is 0. @pre has_whole_operands
template <class Program, class Selected, int V, int Items, class Tile, class Arguments,
          class Positions>
__device__ __forceinline__ void load_by_division(Tile& tile, Arguments const& a,
                                                 operand_offsets<Program> const& row,
                                                 Positions const& positions, bool is_row_inside) {
  using repeated = repeated_among<Program, Selected>;
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    operand_offsets<Program> column;
    int d = a.columns.dims - 1;
    unsigned const first = static_cast<unsigned>(positions.at(u)) * V;
    unsigned rest = a.columns.by[d].narrow_quotient(first);
    unsigned const inner = first - rest * static_cast<unsigned>(a.columns.by[d].divisor);
    auto const move_along = [&](int axis, unsigned digit) {
      for_each_selected<Program, repeated>([&](auto selected) {
        using I = typename program_traits<Program>::template at<decltype(selected)::value>;
        column.loads[I::bits] +=
            wide_product(static_cast<int>(digit), static_cast<int>(a.load_columns[I::bits][axis]));
      });
    };
#pragma unroll 1
    for (--d; d > 0; --d) {
      unsigned const next = a.columns.by[d].narrow_quotient(rest);
      move_along(d, rest - next * static_cast<unsigned>(a.columns.by[d].divisor));
      rest = next;
    }
    move_along(0, rest);
    for_each_selected<Program, repeated>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto const* const from =
          load_address<Program, k>(a, row.loads[I::bits]) + column.loads[I::bits];
      bool const is_wanted = (is_row_inside || !I::varies_over_rows) && positions.is_whole(u);
      packed<storage_t<I::type>, I::is_splat ? 1 : V> next{};
      load_packed<reuse::expected>(next, I::is_splat ? from : from + inner, is_wanted);
      if constexpr (I::is_splat)
        read_register<k>(tile).at[u] = splat<V>(next);
      else
        read_register<k>(tile).at[u] = next;
    });
  }
}

// Either, as the positions are.
template <class Program, class Selected, int V, int Items, class Tile, class Arguments,
          class Positions>
__device__ __forceinline__ void load_repeated(Tile& tile, Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              Positions const& positions, bool is_row_inside) {
  if constexpr (std::is_same_v<Positions, neighbouring_rows>)
    load_shared<Program, Selected, V, Items>(tile, a, positions);
  else
    load_by_division<Program, Selected, V, Items>(tile, a, row, positions, is_row_inside);
}

}  // namespace tenon::detail
#endif
