// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread loads of a group of neighbours (schedule/stencils.hpp), in the rows of its elements
// and around them: by single elements, or the aligned vector in which the group begins and the
// elements behind it.

#include "tenon/backend/cuda/flat/stencil_arguments.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// Columns of a row as single elements; some of it is wanted by nobody, as in the other.
template <class T, int Columns, int Rows> struct element_window {
  packed<T, 1> at[Rows][Columns];

  // @pre both are constants after unrolling
  __device__ __forceinline__ T element(int row, int column) const {
    return element_of(at[row][column], 0);
  }
};
// As the vector in which they begin, and what they reach of the next one.
template <class T, int V, int Reach, int Rows> struct vector_window {
  static constexpr int reach = Reach > 0 ? next_elements(Reach) : 1;
  packed<T, V> at[Rows];
  packed<T, reach> next[Rows];

  __device__ __forceinline__ T element(int row, int column) const {
    return column < V ? element_of(at[row], column) : element_of(next[row], column - V);
  }
  // Rows from this one on are not unpacked before it is their turn: of half types they would be
  // twice as many registers.
  __device__ __forceinline__ void keep_packed_from(int row) {
    if constexpr (sizeof(T) < 4)
#pragma unroll
      for (int later = row; later < Rows; ++later) {
        for (unsigned& word : at[later].words) asm volatile("" : "+r"(word));
        if constexpr (Reach > 0)
          for (unsigned& word : next[later].words) asm volatile("" : "+r"(word));
      }
  }
};

// One for each group, and for each load of none.
template <class Program, int V, int R, bool OfPlanes = false> struct stencil_loads {
  using groups = stencil_groups<Program, OfPlanes>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr int rows = R + groups::last_row(K);
  static consteval bool holds(int k) { return groups::leads(k); }
  template <int K>
  using type = std::conditional_t<
      V == 1, element_window<storage_t<at<K>::type>, groups::last_column(K) + 1, rows<K>>,
      vector_window<storage_t<at<K>::type>, V, groups::last_column(K), rows<K>>>;
};

// A thread's elements: from a row and a column of a plane on.
struct stencil_elements {
  long long row, column;
  int count;  // of its rows
  bool is_live;
};

// Single elements, of rows that are `step` apart.
template <class Program, int K, int R, bool IsWhole, class Window, class T, int... Column>
__device__ __forceinline__ void load_rows_of(Window& window, T const* from, long long step,
                                             stencil_elements const& own,
                                             std::integer_sequence<int, Column...>) {
  using groups = stencil_groups<Program>;
#pragma unroll
  for (int row = 0; row < R + groups::last_row(K); ++row, from += step) {
    (
        [&] {
          constexpr auto rows = groups::rows_of(K, Column);
          if (row >= rows.first && row < rows.last + R)
            load_packed<reuse::near>(window.at[row][Column], from + Column,
                                     IsWhole || row < rows.last + own.count);
        }(),
        ...);
  }
}
// Aligned vectors, where a row has them, in front of `whole` and `with_next` elements of it; and
// the other elements one by one, in front of `end`.
template <int Rows, bool IsWhole, class T, int V, int Reach>
__device__ __forceinline__ void load_vector_rows(vector_window<T, V, Reach, Rows>& window,
                                                 T const* from, long long step, int rows,
                                                 stencil_elements const& own,
                                                 stencil_limits const& limits) {
  bool const has_vector = own.column < limits.whole, has_next = own.column < limits.with_next;
#pragma unroll
  for (int row = 0; row < Rows; ++row) {
    T const* const at = from + row * step;
    bool const is_wanted = IsWhole || row < rows;
    load_packed<reuse::near>(window.at[row], at, is_wanted && has_vector);
    if constexpr (Reach > 0)
      load_packed<reuse::near>(window.next[row], at + V, is_wanted && has_next);
  }
  if (has_vector || !own.is_live) return;
  long long const left = limits.end - own.column;
#pragma unroll 1
  for (int i = 0; i < V + (Reach > 0 ? window.reach : 0); ++i) {
    T const* at = as_one_number(from + i);
#pragma unroll
    for (int row = 0; row < Rows; ++row, at = as_one_number(at + step)) {
      packed<T, 1> one{};
      load_packed<reuse::near>(one, at, row < rows && i < left);
      if (i < V)
        push_element(window.at[row], one);
      else
        push_element(window.next[row], one);
    }
  }
}

// The one of group K.
template <class Program, int V, int R, bool IsWhole, bool OfPlanes, int K, class Window,
          class Arguments>
__device__ __forceinline__ void load_window(Window& window, Arguments const& a,
                                            operand_offsets<Program> const& origin,
                                            stencil_elements const& own) {
  using groups = stencil_groups<Program, OfPlanes>;
  using I = typename program_traits<Program>::template at<K>;
  // Columns of a group are neighbours, those of one place lie anywhere.
  constexpr int of_rows = OfPlanes ? 1 : 0;
  constexpr bool are_neighbours = V > 1 || groups::is_across(K);
  long long const step = a.load_columns[I::bits][of_rows],
                  along = are_neighbours ? own.column
                                         : own.column * a.load_columns[I::bits][of_rows + 1];
  auto const* const from = load_address<Program, K>(a, origin.loads[I::bits]) + along -
                           groups::column(K) + (own.row - groups::row(K)) * step;
  if constexpr (V == 1) {
    load_rows_of<Program, K, R, IsWhole>(
        window, from, step, own, std::make_integer_sequence<int, groups::last_column(K) + 1>{});
  } else if constexpr (I::is_splat) {
#pragma unroll
    for (int row = 0; row < R; ++row) {
      packed<storage_t<I::type>, 1> one{};
      load_packed<reuse::near>(one, from - own.column + row * step, own.is_live && row < own.count);
      window.at[row] = splat<V>(one);
    }
  } else {
    load_vector_rows<stencil_loads<Program, V, R, OfPlanes>::template rows<K>, IsWhole>(
        window, from, step, own.count > 0 ? own.count + groups::last_row(K) : 0, own,
        a.limits[I::bits]);
  }
}
// Of all groups.
template <class Program, int V, int R, bool IsWhole, class Arguments>
__device__ __forceinline__ void load_windows(
    selected_registers<Program, stencil_loads<Program, V, R>>& windows, Arguments const& a,
    operand_offsets<Program> const& origin, stencil_elements const& own) {
  for_each_selected<Program, stencil_loads<Program, V, R>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    load_window<Program, V, R, IsWhole, false, k>(read_register<k>(windows), a, origin, own);
  });
}

}  // namespace detail
#endif
}  // namespace tenon
