// SPDX-License-Identifier: Apache-2.0
#pragma once
// Totals of slices that begin or end in the midst of vectors: each row has vectors of its own, the
// last of which may be one in part.

#include "tenon/backend/columns_as_rows.hpp"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/parts/slice_windows.cuh"
#include "tenon/backend/cuda/parts/sweep.cuh"
#include "tenon/backend/cuda/parts/vector_part.cuh"

namespace tenon {
namespace detail {

// V: elements of a vector; U: vectors of a thread, which are in flight together.
template <class Program, int V, int U> struct sliced_arguments : widest_arguments<Program> {
  using base = widest_arguments<Program>;

  slice_table<Program> slices;
  index_divider<64> by_stretches;  // of a row, each of which some lanes of a warp share
  unsigned stretches;
  int lane_bits;  // of the number of these lanes
  long long all_threads;

  // Of the innermost axis as a row.
  [[gnu::cold]] static sliced_arguments of(bound_layout const& all, bound_arguments const& call) {
    bound_layout const layout = columns_as_rows(all, all.columns.dims > 0 ? 1 : 0);
    sliced_arguments a{base::of(layout, call, V, work_split{})};
    a.slices = slice_table<Program>::template find<V>(layout, call);
    a.lane_bits = lanes_of(a.vectors);
    long long const stretches = divide_up(a.vectors, static_cast<long long>(U) << a.lane_bits);
    a.stretches = static_cast<unsigned>(stretches);
    a.all_threads = (layout.rows.size * stretches) << a.lane_bits;
    if (stretches > 0) a.by_stretches = index_divider<64>::of(stretches);
    return a;
  }

 private:
  // As many as leave few of them without vectors.
  [[gnu::cold]] static int lanes_of(long long vectors) {
    int best = 5;
    for (int bits = 4; bits >= 0; --bits) {
      auto const taken = [&](int of) {
        long long const at_once = static_cast<long long>(U) << of;
        return divide_up(vectors, at_once) * at_once;
      };
      if (8 * taken(bits) < 7 * taken(best)) best = bits;
    }
    return best;
  }
};

#if defined(__CUDA_ARCH__)
// The vectors of a thread's stretch: every `step`th of it.
template <class Program, int V, int U, class Arguments> struct sliced_places {
  operand_offsets<Program> offsets;
  long long before;       // vectors of the row in front of the stretch
  int first, step, left;  // elements of the row from the stretch on, as far as it matters

  __device__ __forceinline__ sliced_places(Arguments const& a, long long thread)
      : step(1 << a.lane_bits) {
    long long const stretch = thread >> a.lane_bits, row = a.by_stretches.quotient(stretch);
    bool const is_live = thread < a.all_threads;
    find_row_operands<Program, wide_digits>(offsets, a, is_live ? row : 0);
    auto const of_row = static_cast<unsigned>(stretch) - static_cast<unsigned>(row) * a.stretches;
    before = static_cast<long long>(of_row) * (U << a.lane_bits);
    first = static_cast<int>(threadIdx.x) & (step - 1);
    constexpr int enough = 64 * U * V;
    long long const rest = is_live ? a.columns.size - before * V : 0;
    left = rest < enough ? static_cast<int>(rest) : enough;
  }
  __device__ __forceinline__ operand_offsets<Program> const& row() const { return offsets; }
  __device__ __forceinline__ long long origin() const { return before; }
  __device__ __forceinline__ int vectors() const { return (left + V - 1) / V; }
  __device__ __forceinline__ int vector(int u) const { return first + u * step; }
  __device__ __forceinline__ int count(int u) const {
    return vector_part<V, int>{left - vector(u) * V}.count();
  }
  __device__ __forceinline__ bool is_live(int u) const { return vector(u) * V < left; }
  // As the sweep of a tile asks.
  template <int> __device__ __forceinline__ int count(int u) const { return count(u); }
  __device__ __forceinline__ int at(int u) const { return vector(u); }
  __device__ __forceinline__ sliced_places from(int u) const {
    sliced_places result = *this;
    result.first = vector(u);
    return result;
  }
};

// Vectors at a time that a thread takes of slices that lie apart, each of which is loaded by
// itself: all where none stands for others, for the same bits. H200, the total variation of 4096 x
// 4096, transposed, f32 with two 19.5 us, with one 24.2.
template <class Program, class C>
inline constexpr int items_apart = !slices_of<Program>::has_groups()                   ? C::items
                                   : C::items<2 || element_operands<Program>::loads> 3 ? 1
                                                                                       : 2;

// What a thread takes in of all stretches of its block, Items vectors at a time.
template <class Program, class C, int Items, bool IsApart, class Arguments>
__device__ __forceinline__ void sweep_slices(frame<Program> const& f, Arguments const& a) {
  constexpr int v = C::vector_width, threads = C::threads_per_block;
  using places = sliced_places<Program, v, C::items, Arguments>;
  using tile_loads = needed_loads<Program, v, Items, 1, false>;
  using running = running_states<Program, v, Items, 1>;
  selected_registers<Program, running> states;
  reset<Program, running>(states);
  cascade<Program, running> levels;
  operand_offsets<Program> const origin{};
  long long first = static_cast<long long>(blockIdx.x) * threads;
  long long const step = static_cast<long long>(gridDim.x) * threads;
#pragma unroll 1
  for (; first < a.all_threads; first += step) {
    places here(a, first + threadIdx.x);
#pragma unroll 1
    for (int u = 0; u < C::items; u += Items) {
      slice_items<Program, v, Items, IsApart> all;
      all.template request<false>(a, here);
      selected_registers<Program, tile_loads> tile;
      all.template take<false>(tile, a, here);
      selected_registers<Program, no_loads> none;
      process_tile<1, false, v, Items, contiguous_columns, tile_loads, no_loads, no_loads>(
          tile, none, states, f, a, origin, here, true);
      levels.after_tile(states);
      if constexpr (Items < C::items) here = here.from(Items);
    }
  }
  levels.finish(f.row, states);
}
#endif

}  // namespace detail

// Owners: a stretch of a row is shared by the lanes of a warp, or fewer, which take its vectors in
// turn, `items` each; the blocks have as many lanes' stretches as threads, in turn. Registers: of
// each tensor `items` vectors and what slices have beyond them, as they lie in memory; up to four
// running states per reduction. Shared memory: one state per warp and reduction, twice. Global
// memory: each vector of a row is read once, and the elements beyond it again, which the
// first-level cache has.
// @pre has_slices<Program>; at least one block; the grid is a function of the number of rows and
// their length; the slots in the workspace are 0
// @post every store is written once; the bits are a function of the elements and of the number of
// rows and their length, along the same innermost axis; the slots are 0 again
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks) sliced_totals_kernel(
    const __grid_constant__ detail::sliced_arguments<Program, C::vector_width, C::items> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  using reductions = reductions_of<Program, place::row, 1>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  ask_for_slots<partial_words<Program, reductions>>(a.workspace);
  await_operands<Program>();
  if (a.slices.are_along)
    sweep_slices<Program, C, C::items, false>(f, a);
  else
    sweep_slices<Program, C, items_apart<Program, C>, true>(f, a);
  int buffer = 0;
  if (!combine_grid<Program, reductions, C::threads_per_block, true>(row, a.workspace, buffer))
    return;
  if (threadIdx.x != 0) return;
  evaluate<place::row, 0, max_nodes>(f);
  store_all<place::row>(f, a);
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
