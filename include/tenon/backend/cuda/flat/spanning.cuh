// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of elements that lie together though rows are no whole vectors: a vector spans
// the end of a row, and of what rows or columns share each of its elements is read by itself.

#include "tenon/backend/cuda/flat/kernel.cuh"

namespace tenon {
namespace detail {

// Elements to the next one along a row, and from the last of a row to the first of the next, in
// operands that repeat.
template <class Program> struct spanning_arguments : flat_arguments<Program> {
  static constexpr int held = at_least_one(program_traits<Program>::load_count);
  int along[held], around[held], along_rows[held];
  unsigned length;  // of a row

  [[gnu::cold]] explicit spanning_arguments(flat_arguments<Program> const& all)
      : flat_arguments<Program>(all), length(static_cast<unsigned>(all.columns.by[1].divisor)) {
    for (int k = 0; k < held; ++k) {
      along_rows[k] = static_cast<int>(all.load_columns[k][0]);
      along[k] = static_cast<int>(all.load_columns[k][1]);
      around[k] = static_cast<int>(along_rows[k] - (length - 1ll) * along[k]);
    }
  }
};

#if defined(__CUDA_ARCH__)
// The selected loads that have an element for each position.
template <class Program, class Selected> struct own_among {
  static consteval bool holds(int k) {
    return is_held<Program, Selected>(k) && !program_traits<Program>::all[k].repeats;
  }
};

// Loads `V` elements from each of the positions on, of operands that repeat one by one; what is not
// inside is 0.
template <class Program, class Selected, int V, int Items, class Positions>
__device__ __forceinline__ void load_spanning(selected_registers<Program, Selected>& tile,
                                              spanning_arguments<Program> const& a,
                                              Positions const& positions) {
  operand_offsets<Program> origin{};
  for_each_selected<Program, own_among<Program, Selected>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    request_vectors<Program, k, V, Items, packed_columns, true, true>(read_register<k>(tile).at, a,
                                                                      origin, positions, true);
  });
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    unsigned const first = positions.is_whole(u) ? static_cast<unsigned>(positions.at(u)) * V : 0;
    unsigned const row = a.columns.by[1].narrow_quotient(first);
    unsigned column = first - row * a.length;
    for_each_selected<Program, repeated_among<Program, Selected>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      T const* from =
          load_address<Program, k>(a, wide_product(static_cast<int>(row), a.along_rows[I::bits]) +
                                          wide_product(static_cast<int>(column), a.along[I::bits]));
      packed<T, 1> all[V];
      unsigned at = column;
#pragma unroll
      for (int i = 0; i < V; ++i) {
        all[i] = {};
        load_packed<reuse::expected>(all[i], from);
        bool const is_last = ++at == a.length;
        from += is_last ? a.around[I::bits] : a.along[I::bits];
        if (is_last) at = 0;
      }
      read_register<k>(tile).at[u] = pack_elements(all);
    });
  }
}

// A thread's vectors of V elements, from their loads to their stores.
template <class Program, int V, int Items, class Positions>
__device__ __forceinline__ void process_spanning(frame<Program> const& f,
                                                 spanning_arguments<Program> const& a,
                                                 Positions const& positions) {
  using loads = needed_loads<Program, V, Items, 1, true>;
  selected_registers<Program, loads> tile;
  load_spanning<Program, loads, V, Items>(tile, a, positions);
  selected_registers<Program, no_loads> none;
  selected_registers<Program, running_states<Program, V, Items, 1>> states;
  process_tile<1, true, V, Items, packed_columns, loads, no_loads, no_loads>(
      tile, none, states, f, a, operand_offsets<Program>{}, positions, true);
}
#endif

}  // namespace detail

// Owners: neighbouring threads have neighbouring vectors, `items` of them a block apart; the last
// elements, which are no vector, the first threads of the last block. Registers: a vector of each
// operand. Global memory: operands that have an element for each position are read once, by aligned
// vectors; those that repeat once for each position, from the caches; each element store is written
// once.
// @pre what does not repeat is packed; two axes; nothing is reduced, fetched or knows its position
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block)
    flat_spanning_kernel(const __grid_constant__ detail::spanning_arguments<Program> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  int const thread = static_cast<int>(threadIdx.x),
            whole = static_cast<int>(a.vectors) - (a.tail > 0),
            first = static_cast<int>(blockIdx.x) * (threads * items) + thread;
  await_operands<Program>();
  if (first < whole)
    process_spanning<Program, v, items>(f, a, item_positions<int>{first, threads, whole});
  if (blockIdx.x + 1 == gridDim.x && thread < a.tail)
    process_spanning<Program, 1, 1>(f, a,
                                    item_positions<int>{whole * v + thread, 1, whole * v + a.tail});
  if (blockIdx.x > 0 || thread > 0) return;
  store_all<place::row>(f, a);
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
