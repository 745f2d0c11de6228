// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's share of a tile of columns: operands loaded as vectors, kept packed, and handed out
// element by element.

#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/item_positions.cuh"
#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/backend/cuda/parts/repeated_vectors.cuh"
#include "tenon/backend/cuda/parts/run_positions.cuh"
#include "tenon/backend/cuda/parts/vector_pieces.cuh"

namespace tenon::detail {

template <class T, int V, int Items> struct vector_list { packed<T, V> at[Items]; };

// Element loads that evaluate_element<Phase, Stores> needs.
template <class Program, int V, int Items, int Phase, bool Stores> struct needed_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::element &&
           element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, Items>;
};

#if defined(__CUDA_ARCH__)
// Offsets of the element at `position` of the columns in the operands that are not contiguous.
template <class Program, class Selected, class Arguments>
__device__ __forceinline__ void find_column(operand_offsets<Program>& offsets, Arguments const& a,
                                            long long position) {
  for_each_selected<Program, Selected>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    if constexpr (I::is_load)
      offsets.loads[I::bits] = 0;
    else
      offsets.stores[I::bits] = 0;
  });
  for_each_digit(a.columns, position, [&](int d, long long digit) {
    for_each_selected<Program, Selected>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      if constexpr (I::is_load)
        offsets.loads[I::bits] += digit * a.load_columns[I::bits][d];
      else
        offsets.stores[I::bits] += digit * a.store_columns[I::bits][d];
    });
  });
}

// Reading what no other thread and no later phase reads again leaves L1 to what is, as what rows
// share with their neighbours.
template <class Program>
inline constexpr reuse read_once = has_element_stores<Program> ? reuse::passing : reuse::none;
template <class Program, class I, bool IsStreamed>
inline constexpr reuse expected_reuse = [] {
  bool const is_shared = I::varies_over_rows ? I::is_of_some_rows : !IsStreamed;
  return is_shared ? reuse::expected : read_once<Program>;
}();

// Loads misaligned vectors as parts of two aligned ones, and what is not of two of those, as the
// last one if it is not whole, by elements: all vectors advance together, one element a turn, so
// that their loads overlap.
template <int V, int Items, class T, class Positions>
__device__ __forceinline__ void load_in_parts(packed<T, V> (&to)[Items], T const* from,
                                              Positions const& positions, access how) {
  constexpr bool has_parts = has_words<T, V>;
  int const beyond = has_parts && how == access::elements ? elements_beyond<V>(from) : 0;
  auto const is_loaded = [&](int u) {
    if (how == access::packed) return positions.is_whole(u);
    return has_parts && is_inner<V>(positions, u, beyond);
  };
  if constexpr (has_parts)
    if (how == access::elements) {
      load_misaligned<V, Items>(to, from, positions, beyond);
      bool is_all = true;
#pragma unroll
      for (int u = 0; u < Items; ++u) is_all = is_all && (is_loaded(u) || !positions.is_live(u));
      if (is_all) return;
    }
#pragma unroll 1
  for (int i = 0; i < V; ++i) {
    packed<T, 1> next[Items];
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      next[u] = {};
      bool is_wanted = i < positions.template count<V>(u) && !is_loaded(u);
      if (is_wanted)
        load_packed<reuse::expected>(next[u],
                                     from + static_cast<long long>(positions.at(u)) * V + i);
    }
#pragma unroll
    for (int u = 0; u < Items; ++u)
      if (!is_loaded(u)) push_element(to[u], next[u]);
  }
}

// Loads the contiguous vectors that load_vectors leaves out: misaligned ones, and the last one if
// it is not whole.
template <class Program, int K, int V, int Items, bool IsStreamed, class Vectors, class Arguments,
          class Positions>
__device__ __forceinline__ void load_by_elements(Vectors& to, Arguments const& a,
                                                 operand_offsets<Program> const& row,
                                                 Positions const& positions) {
  using I = typename program_traits<Program>::template at<K>;
  using T = storage_t<I::type>;
  access const how = a.load_access[I::bits];
  if (how != access::packed && how != access::elements) return;
  // In all warps but one: without it a sum of 2^26 + 1 f32 takes 88 us instead of 68 on an H100.
  if (how == access::packed && positions.is_whole(Items - 1)) return;
  T const* from = load_address<Program, K>(a, row.loads[I::bits]);
  // What is held for reductions leaves no registers for second accesses.
  if constexpr (program_traits<Program>::has_reduction)
    load_items_in_pieces(to.at, from, positions, how == access::elements);
  else
    load_in_parts(to.at, from, positions, how);
}

// The vectors of a tile in place of one another, so that a loop that is not unrolled finds its `By`
// items first. @post unchanged after as many turns as it takes to have all
template <class Program, class Selected, int By = 1, class Tile>
__device__ __forceinline__ void rotate(Tile& tile) {
  for_each_selected<Program, Selected>([&](auto selected) {
    auto& list = read_register<decltype(selected)::value>(tile);
    constexpr int count = sizeof(list.at) / sizeof(list.at[0]);
    auto const all = list;
#pragma unroll
    for (int u = 0; u < count; ++u) list.at[u] = all.at[(u + By) % count];
  });
}

// Loads the vectors of the first item that are not contiguous over all columns.
template <class Program, class Selected, int V, class Tile, class Arguments>
__device__ __forceinline__ void load_by_digits(Tile& tile, Arguments const& a,
                                               operand_offsets<Program> const& row, long long index,
                                               int count, bool is_row_inside) {
#pragma unroll 1
  for (int i = 0; i < (a.has_strided ? V : 1); ++i) {
    operand_offsets<Program> column;
    if (i < count) find_column<Program, Selected>(column, a, index * V + i);
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      access const how = a.load_access[I::bits];
      if (how < access::blocked || (i > 0 && how != access::strided)) return;
      bool is_wanted = i < count && (is_row_inside || !I::varies_over_rows);
      T const* from = load_address<Program, k>(a, row.loads[I::bits]) + column.loads[I::bits];
      packed<T, V>& to = read_register<k>(tile).at[0];
      if (how == access::blocked) {
        if (is_wanted) load_packed<expected_reuse<Program, I, false>>(to, from);
        return;
      }
      packed<T, 1> one{};
      if (is_wanted) load_packed<reuse::expected>(one, from);
      if (how == access::splat)
        to = splat<V>(one);
      else
        push_element(to, one);
    });
  }
}

// Loads vectors of operand K, as far as they are whole and aligned. What is not live, or is outside
// the rows and varies over them, is 0, or anything if not Clears.
template <class Program, int K, int V, int Items, int Dims, bool IsStreamed, bool Clears,
          class Vector, int Room, class Arguments, class Positions>
__device__ __forceinline__ void request_vectors(Vector (&to)[Room], Arguments const& a,
                                                operand_offsets<Program> const& row,
                                                Positions const& positions, bool is_row_inside) {
  using I = typename program_traits<Program>::template at<K>;
  bool is_wanted = is_row_inside || !I::varies_over_rows;
  if constexpr (Dims > 1) is_wanted = is_wanted && a.load_access[I::bits] == access::packed;
  auto const* const row_begin = load_address<Program, K>(a, row.loads[I::bits]);
  auto const* const from = row_begin + static_cast<long long>(positions.at(0)) * V;
  if constexpr (loads_vectors<Positions>) {
    positions.template load<I::varies_over_rows ? reuse::near : reuse::expected, Items>(to, from,
                                                                                        is_wanted);
  } else if constexpr (are_in_runs<Positions>) {
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      if constexpr (Clears) to[u] = {};
      load_packed<expected_reuse<Program, I, IsStreamed>>(
          to[u], row_begin + place_in_runs<I, V>(a, positions, u),
          is_wanted && positions.is_whole(u));
    }
  } else {
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      if constexpr (Clears || Dims > packed_columns) to[u] = {};
      load_packed<expected_reuse<Program, I, IsStreamed>>(
          to[u], from + positions.template offset<V>(u), is_wanted && positions.is_whole(u));
    }
  }
}

// Loads a tile of whole vectors, of which some may be there more than once, or be one element; if
// they are, all that vary along some of the columns alone.
template <class Program, class Selected, int V, int Items, bool IsStreamed, bool Clears, class Tile,
          class Arguments, class Positions, int... K>
__device__ __forceinline__ void load_with_repeated(Tile& tile, Arguments const& a,
                                                   operand_offsets<Program> const& row,
                                                   Positions const& positions, bool is_row_inside,
                                                   std::integer_sequence<int, K...>) {
  using traits = program_traits<Program>;
  auto const request = [&](auto selected) {
    constexpr int k = decltype(selected)::value;
    request_vectors<Program, k, V, Items, packed_columns, IsStreamed, Clears>(
        read_register<k>(tile).at, a, row, positions, is_row_inside);
  };
  ((traits::template at<K>::repeats ? void() : request(std::integral_constant<int, K>{})), ...);
  // Of pointwise expressions what may be one element is one.
  constexpr bool has_splat =
      !traits::has_reduction && (false || ... || traits::template at<K>::is_splat);
  bool const repeat =
      has_splat || (false || ... ||
                    (traits::template at<K>::repeats &&
                     a.load_access[traits::template at<K>::bits] != access::packed));
  if (repeat)
    load_repeated<Program, Selected, V, Items>(tile, a, row, positions, is_row_inside);
  else
    ((traits::template at<K>::repeats ? request(std::integral_constant<int, K>{}) : void()), ...);
}

// Loads a tile of the operands K. Dims says what the operands may be.
template <class Program, class Selected, int V, int Items, int Dims, bool IsStreamed, bool Clears,
          class Tile, class Arguments, class Positions, int... K>
__device__ __forceinline__ void load_operands(Tile& tile, Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              Positions const& positions, bool is_row_inside,
                                              std::integer_sequence<int, K...>) {
  if constexpr (Dims == packed_columns && program_traits<Program>::has_repeated &&
                !are_in_runs<Positions>)
    if constexpr (has_selected<Program, repeated_among<Program, Selected>>)
      return load_with_repeated<Program, Selected, V, Items, IsStreamed, Clears>(
          tile, a, row, positions, is_row_inside, std::integer_sequence<int, K...>{});
  (request_vectors<Program, K, V, Items, Dims, IsStreamed, Clears>(read_register<K>(tile).at, a,
                                                                   row, positions, is_row_inside),
   ...);
  if constexpr (Dims > 1) {
    if (a.is_packed) return;
    ((is_row_inside || !program_traits<Program>::template at<K>::varies_over_rows
          ? load_by_elements<Program, K, V, Items, IsStreamed>(read_register<K>(tile), a, row,
                                                               positions)
          : void()),
     ...);
    if (a.is_contiguous) return;
  }
  if constexpr (Dims > contiguous_columns) {
#pragma unroll 1
    for (int u = 0; u < Items; ++u) {
      load_by_digits<Program, Selected, V>(tile, a, row, positions.at(u),
                                           positions.template count<V>(u), is_row_inside);
      rotate<Program, Selected>(tile);
    }
  }
}
// The same of the selected operands: most sweeps ask for nothing between the rows, and nothing is
// compiled for them.
template <class Program, class Selected, int V, int Items, int Dims, bool IsStreamed,
          bool Clears = true, class Tile, class Arguments, class Positions>
__device__ __forceinline__ void load_tile(Tile& tile, Arguments const& a,
                                          operand_offsets<Program> const& row,
                                          Positions const& positions, bool is_row_inside) {
  if constexpr (has_selected<Program, Selected>)
    load_operands<Program, Selected, V, Items, Dims, IsStreamed, Clears>(
        tile, a, row, positions, is_row_inside, held_sequence<Program, Selected>{});
}

// Element i of item u of each selected operand becomes the value of its load.
template <class Program, class Selected, int... K>
__device__ __forceinline__ void take_element(
    registers<Program, place::element>& element,
    register_file<Selected, std::integer_sequence<int, K...>> const& tile, int u, int i) {
  ((read_register<K>(element) =
        static_cast<typename program_traits<Program>::template at<K>::value_type>(
            element_of(read_register<K>(tile).at[u], i))),
   ...);
}
#endif

}  // namespace tenon::detail
