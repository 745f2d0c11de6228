// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows skeleton: the threads of a row hold it in registers and finish it phase by phase, while
// other blocks load theirs; totals over the rows end the launch.

#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/backend/cuda/rows/next_row.cuh"
#include "tenon/backend/cuda/rows/row_ring.cuh"
#include "tenon/backend/cuda/rows/staged_items.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon {
namespace detail {

#if defined(__CUDA_ARCH__)
// One thread's view of the row that it works on.
template <class Program, class C> struct row_worker {
  static constexpr int v = C::vector_width, items = C::items, dims = C::group_dims;
  static constexpr int phases = program_traits<Program>::row_phases;
  static constexpr lane_steps steps = dims > packed_columns ? lane_steps::loop
                                      : C::has_clusters     ? lane_steps::branches
                                                            : lane_steps::straight;
  static constexpr int most_states =
      C::threads_per_block / 32 * (C::has_clusters ? most_blocks_per_cluster : 1);
  using arguments = rows_arguments<Program, C>;
  using own = own_loads<Program, C>;
  using requested = requested_row<Program, C>;
  using stage = row_stage<Program, C>;
  using ring_type = row_ring<Program, C>;

  arguments const& a;
  frame<Program> const& f;
  int lanes, rank;     // threads of this block that share a row, and which block of the row's it is
  mailbox* boxes;      // one per buffer
  int buffer = 0;      // of the shared states
  unsigned round = 0;  // of the present mailbox
  row_totals<Program> of_rows = {};
  ring_type ring = {};

  __device__ __forceinline__ long long rows_at_once() const {
    return static_cast<long long>(groups_at_once<C>()) * blockDim.y;
  }
  // That share a row.
  __device__ __forceinline__ int blocks() const {
    if constexpr (C::has_clusters) return a.split.blocks_per_row;
    return 1;
  }
  // The asm keeps the addresses that follow from being held in registers from row to row: they cost
  // one instruction each to find again.
  __device__ __forceinline__ auto positions(bool is_inside = true) const {
    int first = rank * lanes + static_cast<int>(threadIdx.x);
    asm volatile("" : "+r"(first));
    int vectors = static_cast<int>(a.vectors), step = blocks() * lanes;
    if constexpr (dims == 1) {
      return item_positions<int>{first, step, vectors};
    } else {
      int const whole = vectors - (a.tail != 0);
      return staged_positions({first, step, whole, a.tail}, is_inside ? whole * v + a.tail : 0);
    }
  }

  __device__ __forceinline__ void request(requested& to, long long row) {
    to.row = row;
    bool is_inside = row < a.rows.size;
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    request_row_values<Program>(to.values, a, offsets, is_inside);
    to.offsets = offsets;
    if constexpr (dims > 1)
      staged_items<Program, C>::bring(a, offsets, positions(is_inside));
    else if constexpr (!C::is_ring)
      load_tile<Program, own, v, items, dims, false>(to.tile, a, offsets, positions(), is_inside);
    load_tile<Program, early_loads<Program, C>, v, items, dims, false>(to.early, a, offsets,
                                                                       positions(), is_inside);
    if constexpr (asks_ahead<Program, C>) prefetch_next<Program, C>(a, offsets, positions(), row);
  }

  // Asks for the elements of a row in this thread's part of shared memory.
  __device__ __forceinline__ void bring(long long row) {
    bool const is_inside = row < a.rows.size;
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    auto const where = positions();
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto const* from = load_address<Program, k>(a, offsets.loads[I::bits]) +
                         static_cast<long long>(where.first) * v;
#pragma unroll
      for (int u = 0; u < items; ++u)
        copy_under_way<sizeof(*from) * v>(stage::template slot<k>(u),
                                          from + where.template offset<v>(u),
                                          is_inside && where.is_whole(u));
    });
  }
  // Takes them. @pre the copies that bring() began are over
  __device__ __forceinline__ void take(requested& to, long long row) {
    to.row = row;
    bool const is_inside = row < a.rows.size;
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    request_row_values<Program>(to.values, a, offsets, is_inside);
    auto const where = positions();
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < items; ++u) {
        auto& vector = read_register<k>(to.tile).at[u];
        vector = {};
        if (is_inside && where.is_whole(u)) stage::template take<k>(vector, u);
      }
    });
  }
  // @pre C::is_ring
  __device__ __forceinline__ void begin_ring(long long first_row) {
    ring.begin(a, positions(), first_row, rows_at_once());
  }

  template <int... Phase>
  __device__ __forceinline__ void finish_row(requested& given,
                                             std::integer_sequence<int, Phase...>) {
    bool const is_inside = given.row < a.rows.size;
    operand_offsets<Program> offsets;
    // Positions are needed from the beginning; elsewhere it costs fewer registers to find them
    // late.
    if constexpr (dims > 1)
      offsets = given.offsets;
    else if constexpr (program_traits<Program>::has_positions)
      find_row<Program>(offsets, a, is_inside ? given.row : 0);
    take_row_values<Program>(f, given.values, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
    (reduce<Phase + 1>(given, offsets), ...);
    if constexpr (!program_traits<Program>::has_positions && dims == 1)
      find_row<Program>(offsets, a, is_inside ? given.row : 0);
    if constexpr (has_element_stores<Program>) {
      selected_registers<Program, no_loads> none;
      sweep<phases + 1, true>(given, none, offsets);
    }
    if (threadIdx.x == 0 && rank == 0 && is_inside)
      end_row<Program>(f, a, offsets, given.row, of_rows);
  }

 private:
  // Sweeps the columns for the reductions of phase Phase and combines them over the threads of the
  // row.
  template <int Phase>
  __device__ __forceinline__ void reduce(requested& given,
                                         operand_offsets<Program> const& offsets) {
    using running = running_states<Program, v, items, Phase>;
    selected_registers<Program, running> states;
    reset<Program, running>(states);
    sweep<Phase, false>(given, states, offsets);
    // The sweep has used what this thread took from shared memory.
    if constexpr (C::is_staged && !C::is_ring && Phase == 1) bring(given.row + rows_at_once());
    join_chains<Program, running>(f.row, states);
    combine<reductions_of<Program, place::row, Phase>>();
    evaluate<place::row, Phase, Phase>(f);
  }

  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep(requested& given, States& states,
                                        operand_offsets<Program> const& offsets) {
    if constexpr (C::is_ring) {
      sweep_ring<Phase, Stores>(given.row, states, offsets);
    } else if constexpr (dims > 1) {
      bool const is_inside = given.row < a.rows.size;
      staged_items<Program, C>::template process<Phase, Stores>(states, f, a, offsets,
                                                                positions(is_inside), is_inside);
    } else {
      keep_packed<Program, own>(given.tile);
      using early = std::conditional_t<Stores, early_loads<Program, C>, no_loads>;
      process_tile<Phase, Stores, v, items, dims, own, early,
                   late_loads<Program, C, Phase, Stores>>(
          given.tile, given.early, states, f, a, offsets, positions(), given.row < a.rows.size);
    }
  }
  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep_ring(long long row, States& states,
                                             operand_offsets<Program> const& offsets) {
    constexpr bool is_last = Stores || (!has_element_stores<Program> && Phase == phases);
    bool const is_inside = row < a.rows.size;
    auto const where = positions();
#pragma unroll
    for (int first = 0; first < items; first += ring_type::part_items) {
      typename ring_type::part tile;
      ring.template take<Phase == 1>(tile, where, first, is_inside);
      if constexpr (is_last) ring.refill(a, where, first, row, rows_at_once());
      keep_packed<Program, typename ring_type::own_part>(tile);
      selected_registers<Program, no_loads> none;
      process_tile<Phase, Stores, v, ring_type::part_items, dims, typename ring_type::own_part,
                   no_loads, late_loads<Program, C, Phase, Stores>>(
          tile, none, states, f, a, offsets, where.from(first), is_inside);
    }
    if constexpr (is_last) ring.end_row();
  }

  // Lanes by shuffles; then every warp leaves its state with every block of the row, and after one
  // barrier each warp combines them all.
  template <class Reductions> __device__ __forceinline__ void combine() {
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      auto& state = read_register<k>(f.row);
      if constexpr (C::has_warps)
        state = combine_lanes<op, 32>(state);
      else
        state = combine_lanes<op, 32, steps>(state, lanes < 32 ? lanes : 32);
    });
    int const shares = blocks(), warps = lanes / 32;
    if (shares * warps <= 1) return;
    int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    int first = static_cast<int>(threadIdx.y) * warps;  // rows share a block, or blocks share a row
    mailbox& box = boxes[buffer];
    if (shares > 1 && threadIdx.x == 0)
      box.expect(words_of<Reductions> * static_cast<int>(sizeof(unsigned)) * shares * warps);
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using shared = shared_states<Program, k, most_states>;
      if (shares > 1) {
        if (lane < shares)
          shared::send(box, buffer, rank * warps + warp, read_register<k>(f.row), lane);
      } else if (lane == 0) {
        shared::put(buffer, first + warp, read_register<k>(f.row));
      }
    });
    if (shares > 1)
      box.wait(round);
    else
      __syncthreads();
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) =
          combine_shared<Program, k, most_states, steps>(buffer, first, shares * warps);
    });
    if (buffer == 1) round ^= 1;
    buffer ^= 1;
  }
  template <class Reductions> static constexpr int words_of = partial_words<Program, Reductions>;
};
#endif

}  // namespace detail

// Owners: blockDim.x threads of each of blocks_per_row blocks (a cluster, if several) share a row;
// blockDim.y rows are a group, and the clusters take the groups in turn. Thread `lane` of a row
// owns vectors lane, lane + lanes, ... A row beyond the end is swept by its threads but neither
// read nor stored. Registers: the row as it lies in memory, which is in shared memory where it is
// of any layout; up to four running states per reduction. Shared memory: one state per warp of the
// row and reduction, twice. Global memory: each operand is read once, each element store written
// once.
// @pre a.vectors <= lanes * items; the grid is a function of the shape if there are totals, and
// then the ticket in the workspace is 0
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the ticket is 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  using totals = reductions_of<Program, place::total, 0>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start(f, a);
  start_totals(f);

  __shared__ mailbox boxes[2];
  row_worker<Program, C> worker{a, f, static_cast<int>(blockDim.x),
                                C::has_clusters ? rank_in_cluster() : 0, boxes};
  long long const groups = a.split.groups, stride = groups_at_once<C>();
  long long group = C::has_clusters ? cluster_index() : blockIdx.x;
  if (worker.blocks() > 1) {  // all of the row's blocks have begun
    if (threadIdx.x == 0) boxes[0].init(), boxes[1].init();
    cluster_barrier();
  }
  if constexpr (C::is_ring)
    worker.begin_ring(group * blockDim.y + threadIdx.y);
  else if constexpr (C::is_staged)
    if (group < groups) worker.bring(group * blockDim.y + threadIdx.y);
  for (; group < groups; group += stride) {
    requested_row<Program, C> current;
    long long const row = group * blockDim.y + threadIdx.y;
    if constexpr (C::is_staged && !C::is_ring) {
      wait_for_sent();
      worker.take(current, row);
    } else {
      worker.request(current, row);
    }
    worker.finish_row(current,
                      std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
  }
  end_launch<C::threads_per_block>(f, a, worker.of_rows, worker.buffer);
#endif
}

}  // namespace tenon
