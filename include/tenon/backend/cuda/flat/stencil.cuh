// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of slices that overlap along an outer axis: what they have in common a thread
// loads once.

#include "tenon/backend/cuda/flat/stencil_arguments.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// A thread's part of the rows: V columns from `column` on of R rows from `first` on.
struct stencil_part {
  int first, column;
};

// Loads what the slices of load K's group have in common.
template <class Program, int K, int V, int R, class List, class Arguments>
__device__ __forceinline__ void load_group(List& to, Arguments const& a,
                                           operand_offsets<Program> const& origin,
                                           stencil_part part) {
  using loads = stencil_loads<Program, V, R>;
  using I = typename program_traits<Program>::template at<K>;
  using T = storage_t<I::type>;
  constexpr int rows = loads::template rows<K>;
  long long const step = a.load_rows[I::bits][a.inner];
  T const* begin = load_address<Program, K>(a, origin.loads[I::bits]);
  if constexpr (I::in_stencil.group != 0) begin -= I::in_stencil.down * step;
  auto const is_there = [&](int j) {
    return loads::template is_fixed<K> ||
           part.first + j < a.rows_of_axis + loads::template reach<K>;
  };
  if constexpr (I::repeats)
    if (a.load_access[I::bits] == access::splat) {
#pragma unroll
      for (int j = 0; j < rows; ++j) {
        packed<T, 1> one{};
        load_packed<reuse::expected>(one, begin + j * step, is_there(j));
        to.at[j] = splat<V>(one);
      }
      return;
    }
#pragma unroll
  for (int j = 0; j < rows; ++j)
    load_packed<reuse::near>(to.at[j], begin + j * step + part.column, is_there(j));
}

// Element e of load K's slice in a thread's row i.
template <class Program, int K, int V, int R, class Tile>
__device__ __forceinline__ auto stencil_element(Tile const& tile, int i, int e) {
  using I = typename program_traits<Program>::template at<K>;
  constexpr int leader = stencil_of<Program>::leader(K),
                down = I::in_stencil.group != 0 ? I::in_stencil.down : 0;
  constexpr bool is_fixed = stencil_loads<Program, V, R>::template is_fixed<leader>;
  return static_cast<typename I::value_type>(
      element_of(read_register<leader>(tile).at[is_fixed ? 0 : i + down], e));
}
template <class Program, int V, int R, class Tile, int... K>
__device__ __forceinline__ void take_stencil_element(registers<Program, place::element>& element,
                                                     Tile const& tile, int i, int e,
                                                     std::integer_sequence<int, K...>) {
  ((read_register<K>(element) = stencil_element<Program, K, V, R>(tile, i, e)), ...);
}

// A thread's elements, from their loads to their stores.
template <class Program, int V, int R, class Arguments>
__device__ __forceinline__ void process_part(frame<Program> const& around, Arguments const& a,
                                             operand_offsets<Program> const& origin,
                                             stencil_part part) {
  using loads = stencil_loads<Program, V, R>;
  using needed = needed_loads<Program, V, 1, 1, true>;
  selected_registers<Program, loads> tile;
  // All are asked for before any of them is waited for.
  for_each_selected<Program, loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    load_group<Program, k, V, R>(read_register<k>(tile), a, origin, part);
  });
#pragma unroll
  for (int i = 0; i < R; ++i) {
    selected_registers<Program, element_stores<Program, V>> results;
#pragma unroll
    for (int e = 0; e < V; ++e) {
      registers<Program, place::element> element;
      frame<Program> f{around.launch, around.row, element, around.total};
      take_stencil_element<Program, V, R>(element, tile, i, e, held_sequence<Program, needed>{});
      evaluate_element<1, true>(f);
      collect_stores(results, f, e);
    }
    for_each_selected<Program, element_stores<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      long long const row = origin.stores[I::bits] + i * a.store_rows[I::bits][a.inner];
      store_packed(store_address<Program, k>(a, row + part.column),
                   pack<storage_t<I::type>>(read_register<k>(results).at),
                   part.first + i < a.rows_of_axis, a.stored);
    });
  }
}

}  // namespace detail
#endif

// Owners: a thread has V columns of `items` rows that follow each other along the axis of the
// stencil; a warp 32 V columns, a block rows below each other. Registers: what the slices of each
// operand have in common of these rows. Global memory: of `items` + reach rows one vector each;
// what neighbouring threads read too meets in the first-level cache. Element stores are written
// once.
// @pre has_stencil<Program>; every operand has whole aligned vectors along its rows, or repeats an
// element along them
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks) stencil_kernel(
    const __grid_constant__ detail::stencil_arguments<Program, C::vector_width, C::items> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, rows = C::items, warps = C::threads_per_block / 32;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  int const warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  unsigned const below = a.by_stretches.quotient(blockIdx.x),
                 stretch = blockIdx.x - below * a.by_stretches.divisor,
                 outer = a.by_rows.quotient(below), down = below - outer * a.by_rows.divisor;
  stencil_part const part{(static_cast<int>(down) * warps + warp) * rows,
                          (static_cast<int>(stretch) * 32 + lane) * v};
  await_operands<Program>();
  if (part.first < a.rows_of_axis && part.column < a.length) {
    operand_offsets<Program> origin;
    find_row(origin, a, static_cast<long long>(outer) * a.rows_of_axis + part.first);
    process_part<Program, v, rows>(f, a, origin, part);
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
