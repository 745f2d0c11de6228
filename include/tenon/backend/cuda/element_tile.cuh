// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's share of a tile of columns: operands loaded as vectors, kept packed, and handed out
// element by element.

#include "tenon/backend/cuda/kernel_arguments.cuh"

namespace tenon::detail {

template <class T, int V, int Items> struct vector_list { packed<T, V> at[Items]; };
template <class T, int N> struct value_list { T at[N]; };

// Element loads that evaluate_element<Phase, Stores> needs.
template <class Program, int V, int Items, int Phase, bool Stores> struct needed_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds =
      at<K>::is_load&& at<K>::where ==
      place::element&& element_needs<Program>::template at<Phase, Stores>.needed[K];
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, Items>;
};

// Element stores, with the V values that each is to write.
template <class Program, int V> struct element_stores {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = at<K>::is_store&& at<K>::where == place::element;
  template <int K>
  using type =
      value_list<typename program_traits<Program>::template at<at<K>::first_operand>::value_type,
                 V>;
};

// Offsets of vector `index` of the columns in the selected operands. A group of one axis is
// contiguous in all of them.
template <class Program, class Selected, int V, int Dims, class Arguments>
__device__ __forceinline__ void find_column(operand_offsets<Program>& offsets, Arguments const& a,
                                            long long index) {
  auto add = [&](int d, long long position) {
    for_each_selected<Program, Selected>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      if constexpr (I::is_load)
        offsets.loads[I::bits] += position * a.load_columns[I::bits][d];
      else
        offsets.stores[I::bits] += position * a.store_columns[I::bits][d];
    });
  };
  for_each_selected<Program, Selected>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    constexpr bool is_contiguous = Dims == 1;
    if constexpr (I::is_load)
      offsets.loads[I::bits] = is_contiguous ? index * V : 0;
    else
      offsets.stores[I::bits] = is_contiguous ? index * V : 0;
  });
  if constexpr (Dims > 1) for_each_digit(a.columns, index, add);
}

// Loads item U of the selected operands. A vector that is not live, or is outside the rows and
// varies over them, is 0.
template <class Program, class Selected, int V, int Dims, bool IsStreamed, class Tile,
          class Arguments>
__device__ __forceinline__ void load_item(Tile& tile, int u, Arguments const& a,
                                          operand_offsets<Program> const& row, long long index,
                                          bool is_live, bool is_row_inside) {
  operand_offsets<Program> column;
  find_column<Program, Selected, V, Dims>(column, a, index);
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    constexpr reuse expected = IsStreamed || I::varies_over_rows ? reuse::none : reuse::expected;
    packed<T, V>& to = read_register<k>(tile).at[u];
    to = {};
    if (!is_live || !(is_row_inside || !I::varies_over_rows)) return;
    T const* from = load_address<Program, k>(a, row.loads[I::bits]) + column.loads[I::bits];
    if constexpr (Dims > 1 && V > 1) {
      if (a.load_is_splat[I::bits]) {
        packed<T, 1> one;
        load_packed<expected>(one, from);
        for (int w = 0; w < static_cast<int>(sizeof(one.words) / sizeof(unsigned)); ++w)
          to.words[w] = one.words[w];
        return;
      }
    }
    load_packed<expected>(to, from);
  });
}

// After all loads are issued: operands repeated along the innermost axis become full vectors.
template <class Program, class Selected, int V, int Items, int Dims, class Tile, class Arguments>
__device__ __forceinline__ void settle_items(Tile& tile, Arguments const& a) {
  if constexpr (Dims > 1 && V > 1) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if (!a.load_is_splat[I::bits]) return;
#pragma unroll
      for (int u = 0; u < Items; ++u) splat(read_register<k>(tile).at[u]);
    });
  }
}

// Element i of item u of each selected operand becomes the value of its load.
template <class Program, class Selected, class Tile>
__device__ __forceinline__ void take_element(registers<Program, place::element>& element,
                                             Tile const& tile, int u, int i) {
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    read_register<k>(element) =
        static_cast<typename I::value_type>(element_of(read_register<k>(tile).at[u], i));
  });
}

// Writes V values of every element store. @pre the vector is live and its row inside
template <class Program, int V, int Dims, class Values, class Arguments>
__device__ __forceinline__ void store_item(Values const& values, Arguments const& a,
                                           operand_offsets<Program> const& row, long long index) {
  using selected_stores = element_stores<Program, V>;
  operand_offsets<Program> column;
  find_column<Program, selected_stores, V, Dims>(column, a, index);
  for_each_selected<Program, selected_stores>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    T* to = store_address<Program, k>(a, row.stores[I::bits]) + column.stores[I::bits];
    auto const& list = read_register<k>(values);
    if constexpr (Dims > 1 && V > 1) {
      if (a.store_is_splat[I::bits]) {
        *to = to_storage<T>(list.at[0]);
        return;
      }
    }
    store_packed(to, pack<T>(list.at));
  });
}

}  // namespace tenon::detail
