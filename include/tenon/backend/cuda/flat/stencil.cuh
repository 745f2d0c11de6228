// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of an element's neighbours (schedule/stencils.hpp): a thread has elements of
// a column, or of a vector of them, in several neighbouring rows, and loads once what these have in
// common.

#include "tenon/backend/cuda/flat/stencil_rows.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// What a thread has read.
template <class Program, int V, int R>
struct stencil_rows_held : selected_registers<Program, stencil_loads<Program, V, R>> {
  using groups = stencil_groups<Program>;
  template <int K> __device__ __forceinline__ auto const& window_of() const {
    return read_register<groups::leader(K)>(*this);
  }
  __device__ __forceinline__ void begin_row(int r) {
    if constexpr (V > 1)
      for_each_selected<Program, stencil_loads<Program, V, R>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(*this).keep_packed_from(r + groups::last_row(k));
      });
  }
};

// A thread's elements, from their loads to their stores. @pre of vectors: all lanes of a warp
template <class Program, int V, int R, bool IsWhole, class Arguments>
__device__ __forceinline__ void process_stencil(frame<Program> const& around, Arguments const& a,
                                                operand_offsets<Program> const& origin,
                                                stencil_elements const& own,
                                                stencil_strip const& strip) {
  stencil_rows_held<Program, V, R> windows;
  load_windows<Program, V, R, IsWhole>(windows, a, origin, own);
  process_stencil_rows<Program, V, R, IsWhole, false>(around, a, origin, own, strip, windows);
}

}  // namespace detail
#endif

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
    stencil_strip const strip = strip_of<v>(exchanged, a.lane_bits, own.column, a.column_end);
    if (__any_sync(~0u, own.count > 0))
      process_stencil<Program, v, rows, false>(f, a, origin, own, strip);
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
