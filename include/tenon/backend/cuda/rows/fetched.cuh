// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of elements that are fetched by position: a vector's place is found once, for its first
// element.

#include "tenon/backend/cuda/moved/constant_filling.cuh"
#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/positions.cuh"
#include "tenon/backend/rows_as_columns.hpp"
#include "tenon/backend/vector_facts.hpp"
#include "tenon/core/config.hpp"
#include "tenon/program/fetched_rows.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Whether all that a program fetches is whole vectors in a call, and all other operands are, too.
template <class Program, int V, class Arguments>
[[gnu::cold]] bool fetches_whole_vectors(Arguments const& a, bound_layout const& layout,
                                         bound_arguments const& call) {
  bool result = layout.columns.dims == 1 && layout.columns.size > 0 &&
                layout.columns.size % V == 0 && layout.rows.dims < max_rank;
  visit_selected<Program, element_operands<Program>>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    result = result && (I::is_load ? a.load_access : a.store_access)[I::bits] == access::packed;
  });
  if (!result) return false;
  bound_layout const as_columns = rows_as_columns(layout);
  auto const vectors = vector_facts<Program, V>(as_columns, call).find();
  for (int const times : vectors.times) result = result && times == 1;
  return result && vectors.are_whole;
}

// What is found of an element to know where its vector lies.
template <class Program> struct leads_to_fetched {
  using traits = program_traits<Program>;
  struct table {
    bool needed[traits::size > 0 ? traits::size : 1] = {};
  };
  static consteval table compute() {
    table result;
    for (int k = traits::size - 1; k >= 0; --k) {
      instruction_facts const& i = traits::all[k];
      if (i.is_fetched) result.needed[k - 1] = true;
      if (result.needed[k] && i.where == place::element)
        for (int n = 0; n < i.operand_count; ++n) result.needed[i.operands[n]] = true;
    }
    return result;
  }
  static constexpr table all = compute();
  // Nothing is fetched on the way.
  static consteval bool holds(int k) {
    instruction_facts const& i = traits::all[k];
    return all.needed[k] && i.where == place::element && !i.is_fetch;
  }
};
template <class Program> struct fetched_from_positions : positions_at<Program, place::element> {
  static consteval bool holds(int k) {
    return positions_at<Program, place::element>::holds(k) && leads_to_fetched<Program>::holds(k);
  }
};

#if defined(__CUDA_ARCH__)
// Where instruction K fetches an element from; no address where that is none.
template <class Program, int K>
__device__ __forceinline__ long long place_of_fetched(frame<Program> const& f) {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (std::is_same_v<typename I::op, ops::fetch>) {
    return value_of<I::first_operand>(f);
  } else if constexpr (std::is_same_v<typename I::op, ops::where> && I::where == place::element) {
    long long const first = place_of_fetched<Program, I::second_operand>(f),
                    second = place_of_fetched<Program, I::third_operand>(f);
    return value_of<I::first_operand>(f) ? first : second;
  } else {
    return no_address;  // a constant
  }
}

// Loads a tile of whole vectors. @pre fetches_whole_vectors
template <class Program, class Selected, int V, int Items, class Tile, class Arguments,
          class Positions>
__device__ __forceinline__ void load_fetched(Tile& tile, Arguments const& a,
                                             registers<Program, place::launch>& launch,
                                             operand_offsets<Program> const& row,
                                             Positions const& positions, bool is_inside) {
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    if constexpr (!program_traits<Program>::template at<k>::is_fetched)
      request_vectors<Program, k, V, Items, packed_columns, false, false>(
          read_register<k>(tile).at, a, row, positions, is_inside);
  });
  registers<Program, place::row> none;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> const f{launch, none, element, total};
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    bool const is_wanted = positions.is_whole(u) && is_inside;
    long long const column = is_wanted ? static_cast<long long>(positions.at(u)) * V : 0;
    vector_positions<Program, fetched_from_positions<Program>, V, 1> here;
    here.find(a, row, column);
    here.take(element, a, row, column, 0, true);
    for_each_selected<Program, leads_to_fetched<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (!I::is_position) step<k>(f, typename I::operands{});
    });
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_fetched) {
        using T = storage_t<I::type>;
        long long const from = place_of_fetched<Program, k - 1>(f);
        auto& to = read_register<k>(tile).at[u];
        to = splat<V, T>(filling_of_fetched<Program, k - 1, I::type>(
            [&](auto condition) { return value_of<decltype(condition)::value>(f); }));
        load_packed<reuse::near>(to, reinterpret_cast<T const*>(from),
                                 is_wanted && from != no_address);
      }
    });
  }
}
#endif

}  // namespace tenon::detail
TENON_ONCE_END
