// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of operands whose elements lie between each other, as the even and the odd columns of a
// tensor: what lies together is read by whole vectors, which registers take apart.

#include "tenon/backend/cuda/flat/neighbours.cuh"
#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Whether a program has such operands, which its rows keep.
template <class Program>
inline constexpr bool has_loads_beside = [] {
  using traits = program_traits<Program>;
  bool result = false;
  for (instruction_facts const& i : traits::all) {
    if (!i.is_load || !i.moves_elements || i.beside.count == 0) continue;
    if (!i.is_own()) return false;
    result = true;
  }
  return result && element_operands<Program>::vector_width > 1 && !traits::has_repeated &&
         !traits::has_positions && !traits::has_planes && !traits::has_gathered &&
         !traits::has_fetches && !traits::stores_parts;
}();

// Whether they do lie so in a call, and all other operands are whole aligned vectors.
template <class Program, int V, class Arguments>
[[gnu::cold]] bool lie_beside_in_rows(Arguments const& a, bound_layout const& layout,
                                      bound_arguments const& call) {
  bool result = layout.columns.dims == 1 && a.tail == 0 && layout.columns.size > 0;
  visit_selected<Program, element_operands<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_load && I::beside.count > 0) {
      if constexpr (I::beside.position == 0)
        result = result && layout.loads[I::bits].column_strides[0] > 0 &&
                 lie_beside<Program, k, V>(layout, call);
    } else {
      result = result && (I::is_load ? a.load_access : a.store_access)[I::bits] == access::packed;
    }
  });
  return result;
}

#if defined(__CUDA_ARCH__)
// The vectors of load K, the first of those beside each other, and of these. What is beyond the end
// is anything.
template <class Program, int K, int V, int Items, class Tile, class Arguments, class Positions,
          int... P>
__device__ __forceinline__ void load_group_beside(Tile& tile, Arguments const& a,
                                                  operand_offsets<Program> const& row,
                                                  Positions const& positions,
                                                  std::integer_sequence<int, P...>) {
  using group = neighbours_of<Program, K>;
  using I = typename group::I;
  using T = storage_t<I::type>;
  constexpr int count = group::count;
  T const* const from = load_address<Program, K>(a, row.loads[I::bits]) +
                        static_cast<long long>(positions.at(0)) * (V * count);
  packed<T, V> all[Items][count];
#pragma unroll
  for (int u = 0; u < Items; ++u)
#pragma unroll
    for (int j = 0; j < count; ++j)
      load_packed<read_once<Program>>(
          all[u][j], from + positions.template offset<V * count>(u) + j * V, positions.is_whole(u));
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    T elements[count][V];
#pragma unroll
    for (int q = 0; q < count * V; ++q)
      elements[q % count][q / count] = element_of(all[u][q / V], q % V);
    ((read_register<group::member(P)>(tile).at[u] = pack<T>(elements[P])), ...);
  }
}

// Loads a tile of whole vectors. @pre lie_beside_in_rows
template <class Program, class Selected, int V, int Items, class Tile, class Arguments,
          class Positions>
__device__ __forceinline__ void load_beside(Tile& tile, Arguments const& a,
                                            operand_offsets<Program> const& row,
                                            Positions const& positions) {
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::beside.count == 0)
      request_vectors<Program, k, V, Items, packed_columns, false, false>(read_register<k>(tile).at,
                                                                          a, row, positions, true);
    else if constexpr (I::beside.position == 0)
      load_group_beside<Program, k, V, Items>(tile, a, row, positions,
                                              typename neighbours_of<Program, k>::sequence{});
  });
}
#endif

}  // namespace tenon::detail
TENON_ONCE_END
