// SPDX-License-Identifier: Apache-2.0
#pragma once
// A store of a part → whether the part is neighbouring columns of each row, and of which.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/ops/window.hpp"

namespace tenon::detail {

// Columns start, start + 1, ... of a row, as many as `extent`: the numbers of the instructions that
// say so, and of those that say where the row and its columns go. -1 if the part is another one.
struct column_part {
  int row = -1, start = -1, extent = -1, stride = -1;
};
template <class Program, int K> consteval column_part find_column_part() {
  using traits = program_traits<Program>;
  using offset = typename traits::template at<traits::template at<K>::second_operand>;
  if constexpr (std::is_same_v<typename offset::op, ops::window_offset>) {
    using index = typename traits::template at<offset::second_operand>;
    constexpr bool is_of_row = traits::all[offset::first_operand].where <= place::row &&
                               traits::all[offset::first_operand].where != place::element;
    if constexpr (is_of_row && std::is_same_v<typename index::op, ops::window_index>) {
      using step = typename traits::template at<index::third_operand>;
      if constexpr (traits::all[index::first_operand].where == place::element &&
                    std::is_same_v<typename step::op, ops::literal> && step::bits == 1)
        return {offset::first_operand, index::second_operand, index::facts.operand(3),
                offset::third_operand};
    }
  }
  return {};
}
template <class Program, int K>
inline constexpr column_part column_part_of = find_column_part<Program, K>();

// Whether every part that is stored is one of neighbouring columns, and some is.
template <class Program, int... K>
consteval bool stores_column_parts_among(std::integer_sequence<int, K...>) {
  auto is_other = [](auto k) {
    if constexpr (program_traits<Program>::template at<decltype(k)::value>::is_window)
      return column_part_of<Program, decltype(k)::value>.row < 0;
    else
      return false;
  };
  return program_traits<Program>::stores_parts &&
         !(false || ... || is_other(std::integral_constant<int, K>{}));
}
template <class Program>
inline constexpr bool stores_column_parts =
    stores_column_parts_among<Program>(typename program_traits<Program>::sequence{});

// Whether where an element is matters for stored parts alone.
template <class Program, int... K>
consteval bool has_part_positions_among(std::integer_sequence<int, K...>) {
  using traits = program_traits<Program>;
  auto uses_position = [](auto k) {
    using I = typename traits::template at<decltype(k)::value>;
    bool result = false;
    for (int n = 0; n < I::facts.operand_count; ++n) {
      instruction_facts const& from = traits::all[I::facts.operand(n)];
      result = result || (from.is_position && from.where == place::element);
    }
    return result && !std::is_same_v<typename I::op, ops::window_index>;
  };
  return !(false || ... || uses_position(std::integral_constant<int, K>{}));
}
template <class Program>
inline constexpr bool has_part_positions_alone =
    has_part_positions_among<Program>(typename program_traits<Program>::sequence{});

#if defined(__CUDA_ARCH__)
// Writes what is of the part of the first `count` elements of a vector, which is item u of a tile.
template <class Program, int K, class T, int V, class Positions>
__device__ __forceinline__ void store_column_part(T* to, packed<T, V> vector,
                                                  frame<Program> const& f,
                                                  Positions const& positions, int u, int count) {
  constexpr column_part part = column_part_of<Program, K>;
  long long const start = value_of<part.start>(f), extent = value_of<part.extent>(f),
                  stride = value_of<part.stride>(f);
  to += value_of<part.row>(f);
  if constexpr (has_runs<Positions> && has_words<T, V>)
    if (stride == 1)
      return positions.send_part(to - start, vector, u, static_cast<int>(start),
                                 static_cast<int>(start + extent));
  long long const first = static_cast<long long>(positions.at(u)) * V - start;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    auto const one = pop_element(vector);
    if (first + i >= 0 && first + i < extent) store_packed(to + (first + i) * stride, one);
  }
}
#endif

}  // namespace tenon::detail
