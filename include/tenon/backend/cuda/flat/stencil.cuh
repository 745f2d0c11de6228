// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of an element's neighbours (schedule/stencils.hpp): a thread has elements of
// a column, or of a vector of them, in several neighbouring rows, and loads once what these have in
// common.

#include "tenon/backend/cuda/flat/stencil_windows.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

template <class Program> struct stencil_operands {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return stencil_groups<Program>::leads(k) || (i.is_store && i.moves_elements);
  }
};

// Where the lanes that share a strip of columns exchange what they store: rows of results begin
// anywhere, so neighbouring lanes store neighbouring elements.
struct stencil_strip {
  unsigned shared;  // of the warp
  int lane, lanes, lane_of_warp;
  int columns;  // of its elements that there are, or more
};
// Vectors of a strip, whose first element is to be at `to`, in the first `count` columns.
template <class T, int V>
__device__ __forceinline__ void store_strip(T* to, packed<T, V> const& own,
                                            stencil_strip const& strip, int count,
                                            cache_policy kept) {
  constexpr unsigned size = sizeof(T);
  __syncwarp();
  store_shared(strip.shared + strip.lane_of_warp * V * size, own);
  __syncwarp();
  unsigned const from = strip.shared + (strip.lane_of_warp - strip.lane) * V * size;
  // Addresses of all rows would take all registers.
  T* const first = as_one_number(to + strip.lane);
#pragma unroll
  for (int i = 0; i < V; ++i) {
    int const column = i * strip.lanes;
    packed<T, 1> one;
    load_shared(one, from + (column + strip.lane) * size);
    store_packed(first + column, one, column + strip.lane < count, kept);
  }
}

// A thread's elements, from their loads to their stores. @pre of vectors: all lanes of a warp
template <class Program, int V, int R, bool IsWhole, class Arguments>
__device__ __forceinline__ void process_stencil(frame<Program> const& around, Arguments const& a,
                                                operand_offsets<Program> const& origin,
                                                stencil_elements const& own,
                                                stencil_strip const& strip) {
  using groups = stencil_groups<Program>;
  selected_registers<Program, stencil_loads<Program, V, R>> windows;
  load_windows<Program, V, R, IsWhole>(windows, a, origin, own);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if constexpr (V > 1)
      for_each_selected<Program, stencil_loads<Program, V, R>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(windows).keep_packed_from(r + groups::last_row(k));
      });
    selected_registers<Program, element_stores<Program, V>> results;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> const f{around.launch, around.row, element, around.total};
      for_each_selected<Program, needed_loads<Program, 1, 1, 1, true>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        read_register<k>(element) =
            static_cast<typename I::value_type>(read_register<groups::leader(k)>(windows).element(
                r + I::stencil.row, i + I::stencil.column));
      });
      evaluate_element<1, true>(f);
      collect_stores(results, f, i);
    }
    for_each_selected<Program, element_stores<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      T* const row = store_address<Program, k>(a, origin.stores[I::bits]) +
                     (own.row + r) * a.store_columns[I::bits][0];
      auto const all = pack<T>(read_register<k>(results).at);
      bool const is_wanted = IsWhole || r < own.count;
      if constexpr (V == 1)
        store_packed(row + own.column * a.store_columns[I::bits][1], all, is_wanted, a.stored);
      else
        store_strip(row + own.column - strip.lane * V, all, strip, is_wanted ? strip.columns : 0,
                    a.stored);
    });
  }
}

}  // namespace detail
#endif

namespace detail {

// Blocks that a multiprocessor is to hold at once. For sm_80 ptxas 13.0 takes some registers more.
template <class C>
inline constexpr int stencil_blocks_held =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    C::blocks > 2 ? 2 :
#endif
                  C::blocks;

}  // namespace detail

// Owners: a thread has `items` neighbouring rows of a column, or of a vector of columns;
// neighbouring lanes have neighbouring ones, the other lanes of a block rows behind those, or the
// same of neighbouring planes. Registers: what a thread's rows need of each tensor. Shared memory:
// a vector for each thread, of which warps store elements. Global memory: loads of one element, or
// of aligned vectors and of what is behind them; stores of one element. What blocks share the
// caches have.
// @pre groups lie as the program says; no positions, nothing is reduced, fetched or drawn
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, detail::stencil_blocks_held<C>)
    stencil_kernel(const __grid_constant__ detail::stencil_arguments<Program, C::vector_width> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, rows = C::items, threads = C::threads_per_block;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  unsigned const tile = a.by_strips.quotient(blockIdx.x), planes = a.by_tiles.quotient(tile);
  unsigned const of_tiles = tile - planes * a.by_tiles.divisor,
                 of_strips = blockIdx.x - tile * a.by_strips.divisor;
  int const lane = static_cast<int>(threadIdx.x) & ((1 << a.lane_bits) - 1);
  int const part = static_cast<int>(threadIdx.x) >> a.lane_bits, parts = threads >> a.lane_bits,
            of_plane = part >> a.plane_bits;
  long long const plane =
      (static_cast<long long>(planes) << a.plane_bits) + (part & ((1 << a.plane_bits) - 1));
  stencil_elements own;
  own.column = ((static_cast<long long>(of_strips) << a.lane_bits) + lane) * v;
  own.row = (static_cast<long long>(of_tiles) * (parts >> a.plane_bits) + of_plane) * rows;
  long long const left = plane < a.row_count ? a.row_end - own.row : 0;
  own.count = left > rows ? rows : left > 0 ? static_cast<int>(left) : 0;
  own.is_live = own.count > 0 && own.column < a.column_end;
  operand_offsets<Program> origin;
  find_row_of<Program, stencil_operands<Program>>(origin, a, own.count > 0 ? plane : 0, a.divided);
  await_operands<Program>();
  if constexpr (v == 1) {
    if (own.is_live) {
      if (own.count >= rows)
        process_stencil<Program, v, rows, true>(f, a, origin, own, {});
      else
        process_stencil<Program, v, rows, false>(f, a, origin, own, {});
    }
  } else {
    __shared__ uint4 exchanged[threads];
    stencil_strip strip;
    strip.lane_of_warp = static_cast<int>(threadIdx.x) & 31;
    strip.lanes = a.lane_bits < 5 ? 1 << a.lane_bits : 32;
    strip.lane = strip.lane_of_warp & (strip.lanes - 1);
    long long const columns = a.column_end - own.column + strip.lane * v;
    strip.columns = columns < 32 * v ? static_cast<int>(columns) : 32 * v;
    strip.shared = static_cast<unsigned>(
        __cvta_generic_to_shared(exchanged + threadIdx.x - strip.lane_of_warp));
    if (__any_sync(~0u, own.count > 0))
      process_stencil<Program, v, rows, false>(f, a, origin, own, strip);
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
