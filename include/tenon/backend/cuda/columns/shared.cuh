// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the columns skeleton whose V rows share operands, what is computed of them, and
// what that comes to: each of these is there once for the V rows, so that the compiler computes it
// once. All rows of a block share them: where a phase reduces nothing else, its threads share the
// positions.

#include "tenon/backend/cuda/columns/sharing.cuh"
#include "tenon/backend/cuda/columns/worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The states of a sweep: the first row's, and of the others what each has by itself.
template <class Program, int V, class All> struct shared_running {
  using own = states_by_sharing<Program, All, false>;
  selected_registers<Program, All> first;
  selected_registers<Program, own> others[at_least_one(V - 1)];
  cascade<Program, All> first_levels;
  cascade<Program, own> levels[at_least_one(V - 1)];

  __device__ __forceinline__ void begin() {
    reset<Program, All>(first);
#pragma unroll
    for (auto& one : others) reset<Program, own>(one);
  }
  __device__ __forceinline__ void after_tiles() {
    first_levels.after_tile(first);
    cascade<Program, own>::after_tiles(levels, others);
  }
  template <class Rows> __device__ __forceinline__ void finish(Rows& rows) const {
    first_levels.finish(rows[0], first);
#pragma unroll
    for (int i = 1; i < V; ++i) levels[i - 1].finish(rows[i], others[i - 1]);
  }
};

template <class Program, class C> struct sharing_columns : columns_worker<Program, C> {
  using base = columns_worker<Program, C>;
  using base::v, base::threads, base::items, base::phases, base::a, base::rows, base::offsets;
  using typename base::side;
  static constexpr bool may_have_slices = may_slice_shared<Program>;
  template <int Phase> using states = typename side::template states<Phase>;

  // As columns_worker's. @post false: another block has the result
  template <int... Phase>
  __device__ __forceinline__ bool reduce_all(std::integer_sequence<int, Phase...>) {
    return (reduce<Phase + 1>() && ...);
  }

 private:
  template <int Phase> __device__ __forceinline__ bool reduce() {
    bool has_result = true;
    if constexpr (is_shared_phase<Program, Phase>) {
      sweep_once<Phase>();
    } else {
      sweep<Phase>();
      if constexpr (may_have_slices)
        has_result = side::template combine_slices<Phase>(
            rows, a.workspace,
            slice_part{static_cast<int>(base::tile), static_cast<int>(base::slice), a.slices,
                       a.are_marked});
    }
    share<Phase>();
    if (has_result) base::template evaluate_rows<Phase>();
    return has_result;
  }
  // What the first row has.
  template <int Phase> __device__ __forceinline__ void share() {
    for_each_selected<Program, states_by_sharing<Program, states<Phase>, true>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int i = 1; i < v; ++i) read_register<k>(rows[i]) = read_register<k>(rows[0]);
    });
  }
  // Of the threads that are above each other there.
  template <class Selected>
  __device__ __forceinline__ void combine_shared(stack_position const& there) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state mine[] = {read_register<k>(rows[0])};
      stacked_states<Program, k, 1, threads>::combine_all(mine, there);
      read_register<k>(rows[0]) = mine[0];
    });
  }
  template <int Phase, bool IsForAll> __device__ __forceinline__ void combine_block() {
    combine_shared<states_by_sharing<Program, states<Phase>, true>>(side::position());
    share<Phase>();
    side::template combine_selected<states_by_sharing<Program, states<Phase>, false>, IsForAll>(
        rows);
  }

  // The thread's own positions of its rows.
  template <int Phase> __device__ __forceinline__ void sweep() {
    shared_running<Program, v, states<Phase>> running;
    running.begin();
    int const height = static_cast<int>(blockDim.y);
    long long const end = base::end_position();
#pragma unroll 1
    for (long long first = base::first_position() + threadIdx.y; first < end;
         first += height * items) {
      if (this->template has_all<items>(first, end))
        this->template take_positions<Phase, items, true>(running, first, end);
      else
        this->template take_positions<Phase, items, false>(running, first, end);
      running.after_tiles();
    }
    running.finish(rows);
    combine_block<Phase, !may_have_slices>();
  }

  // All positions of what the block's rows share.
  template <int Phase> __device__ __forceinline__ void sweep_once() {
    constexpr int together = 4;
    using loads = needed_loads<Program, 1, together, Phase, false>;
    using collected = typename side::template collected_for<states<Phase>, together>;
    int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
    selected_registers<Program, states<Phase>> running;
    cascade<Program, states<Phase>> levels;
    reset<Program, states<Phase>>(running);
#pragma unroll 1
    for (long long first = thread; first < a.columns.size; first += threads * together) {
      selected_registers<Program, loads> loaded;
      selected_registers<Program, collected> values;
      int const left = base::positions_left(first, a.columns.size);
      auto const is_inside = [&](int u) { return u * threads < left; };
      int live = 0;
#pragma unroll
      for (int u = 0; u < together; ++u) {
        live += is_inside(u);
        operand_offsets<Program> where;
        this->template find_position<loads>(where, is_inside(u) ? first + u * threads : 0);
        for_each_selected<Program, loads>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          using I = typename program_traits<Program>::template at<k>;
          read_register<k>(loaded).at[u] = {};
          load_packed<reuse::expected>(read_register<k>(loaded).at[u],
                                       load_address<Program, k>(a, where.loads[I::bits]),
                                       is_inside(u));
        });
      }
#pragma unroll
      for (int u = 0; u < together; ++u) {
        registers<Program, place::element> element;
        frame<Program> f = base::frame_of(0, element);
        take_element<Program, loads>(element, loaded, u, 0);
        take_element_positions<Program>(element, a, offsets, first + u * threads, 0);
        evaluate_element<Phase, false>(f);
        for_each_selected<Program, collected>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          read_register<k>(values).at[u] = take_of<k>(f);
        });
      }
      side::template accumulate<collected, together>(running, values, live == together, live);
      levels.after_tile(running);
    }
    levels.finish(rows[0], running);
    combine_shared<states<Phase>>({0, thread, 1, threads});
  }
};

}  // namespace tenon::detail
#endif

namespace tenon {

// Owners: block b has slice b / tiles of the reduced positions of tile b % tiles. A tile is at most
// blockDim.x vectors of V neighbouring rows of one innermost axis; thread (x, y) takes positions y,
// y + height, ... of vector x, and where a phase reduces what all rows of the tile share, every
// thread positions of its own. Registers: items vectors of each operand, one element of those that
// are shared; a state and its levels for each row, one for what is shared. Global memory: what is
// not shared is read once, each store written once; slices meet in the workspace.
// @pre slices == 1 unless may_slice_shared; the tickets are 0
// @post every store is written once per position; the split, and so the order of every sum, is a
// function of the shape; the tickets are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    shared_columns_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[C::vector_width];
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], no_element, total};
  start_early(f, a);
  bool const is_writer = threadIdx.x == 0 && threadIdx.y == 0;
  sharing_columns<Program, C> worker{{{{a}, launch, total, rows}}};
  worker.begin_totals();
  worker.begin();
  if (is_writer && blockIdx.x == 0) store_all<place::launch>(f, a);
  if (!worker.reduce_all(std::make_integer_sequence<int, program_traits<Program>::row_phases>{}))
    return;
  if constexpr (has_element_stores<Program>) worker.store_elements();
  worker.end();
  worker.end_totals(is_writer);
#endif
}

}  // namespace tenon
