// SPDX-License-Identifier: Apache-2.0
#pragma once
// The scan skeleton: each row swept in order by a block, from registers where they hold it.

#include "tenon/backend/cuda/parts/keep_packed.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/backend/cuda/scan/stores.cuh"
#include "tenon/backend/cuda/scan/worker.cuh"

namespace tenon {
namespace detail {

// Blocks that a multiprocessor is to hold at once. For sm_80 ptxas 13.0 takes some registers more,
// of which four would leave too few.
template <class C>
inline constexpr int scan_blocks_held =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    C::blocks > 3 ? 3 :
#endif
                  C::blocks;

// Whether there are as many blocks as rows: what a thread has of its place is found where it is
// wanted, rather than held over a loop.
template <class Program, bool IsLooped>
inline constexpr bool has_row_for_each_block =
    !IsLooped && !program_traits<Program>::has_total && program_traits<Program>::has_blocks;

// Whether a scan goes over the whole row; else each vector can be finished by itself.
template <class Program>
inline constexpr bool has_ordered_scan = []<int... K>(std::integer_sequence<int, K...>) {
  using traits = program_traits<Program>;
  return (false || ... ||
          (traits::all[K].is_scan && !is_blockwise_scan<typename traits::template at<K>::op>));
}
(typename program_traits<Program>::sequence{});

#if defined(__CUDA_ARCH__)
// What a thread has of a row in registers: its elements as they lie in memory, and scans of them.
template <class Program, int V, int Items>
struct held_row : selected_registers<Program, element_loads<Program, V, Items>> {
  selected_registers<Program, known_scans<Program, V, Items>> known;
};
// The states of a sweep's scans, and what earlier sweeps have found.
template <class States, class Known> struct scans_of_row : States { Known& known; };

// A team's rows, one after the other, through all phases.
template <class Program, class C, class Arguments, class Team>
struct scanned_rows : scan_worker<Program, C::vector_width, C::items, Arguments, Team> {
  static constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block;
  using base = scan_worker<Program, v, items, Arguments, Team>;
  using base::a;
  using base::base;
  using base::buffer;
  template <int K> using at = typename base::traits::template at<K>;
  static constexpr int phases = program_traits<Program>::row_phases;

  template <int... Phase>
  __device__ __forceinline__ void finish_row([[maybe_unused]] long long number,
                                             std::integer_sequence<int, Phase...>) {
    held_row<Program, v, items> kept;
    if constexpr (!C::is_looped) {
      this->template begin_load<element_loads<Program, v, items>, true>(kept, 0);
      if constexpr (base::asks_ahead) this->ask_ahead(number);
      this->template end_load<element_loads<Program, v, items>>(kept, 0);
    }
    (reduce<Phase + 1>(kept), ...);
    // Four blocks have no registers for elements that are held unpacked.
    if constexpr (program_traits<Program>::has_blocks) keep_packed(kept);
    sweep<phases + 1, true>(kept);
  }

 private:
  template <int Phase, class Kept> __device__ __forceinline__ void reduce(Kept& kept) {
    sweep<Phase, false>(kept);
    using reductions = reductions_of<Program, place::row, Phase>;
    // Scans have no registers for that.
    if constexpr (program_traits<Program>::has_blocks)
      combine_block<Program, reductions, threads>(this->row, buffer);
    else
      for_each_selected<Program, reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using op = typename at<k>::op;
        read_register<k>(this->row) = this->team.template combine<op>(
            read_register<k>(this->row), op::template identity<arithmetic_t<at<k>::type>>(),
            buffer);
      });
    evaluate<place::row, Phase, Phase>(this->values());
  }

  // The reductions of phase Phase are this thread's part in `row`; the element stores are written
  // if Stores.
  template <int Phase, bool Stores, class Kept> __device__ __forceinline__ void sweep(Kept& kept) {
    using scans = needed_scans<Program, Phase, Stores>;
    base::template clear<reductions_of<Program, place::row, Phase>>(this->row);
    long_chains<Program, reductions_of<Program, place::row, Phase>> of_tiles;
    if constexpr (C::is_looped) {
      using loads = needed_loads<Program, v, items, Phase, Stores>;
      selected_registers<Program, scans> carried;
      base::template clear<scans>(carried);
      selected_registers<Program, loads> next, raw;
      constexpr bool is_once = phases == 0;
      this->template begin_load<loads, is_once>(next, 0);
#pragma unroll 1
      for (long long first = 0; first < a.columns.size; first += this->tile_size()) {
        this->template end_load<loads>(next, first);
        raw = next;
        // The next tile's are under way while this one is scanned; beyond the end there are none.
        this->template begin_load<loads, is_once>(next, first + this->tile_size());
        finish_tile<Phase, Stores>(first, raw, carried);
        of_tiles.carry(this->row);
      }
    } else {
      using states = selected_registers<Program, scans>;
      scans_of_row<states, decltype(kept.known)> carried{{}, kept.known};
      base::template clear<scans>(carried);
      finish_tile<Phase, Stores>(0, kept, carried);
    }
    of_tiles.finish(this->row);
  }
  template <int Phase, bool Stores, class Column, class Raw, class Carried>
  __device__ __forceinline__ void finish_tile(Column first, Raw const& raw, Carried& carried) {
    bool const is_whole = this->is_whole(first);
    if constexpr (!base::has_ends)
      finish_columns<Phase, Stores, true>(first, raw, carried, is_whole);
    else if (is_whole)
      finish_columns<Phase, Stores, true>(first, raw, carried, true);
    else
      // A look at single columns takes fewer registers with long ones.
      finish_columns<Phase, Stores, false>(static_cast<long long>(first), raw, carried, false);
  }
  template <int Phase, bool Stores, bool IsWhole, class Column, class Raw, class Carried>
  __device__ __forceinline__ void finish_columns(Column first, Raw const& raw, Carried& carried,
                                                 bool stores_whole) {
    // Where no scan goes on from item to item, and the lanes of a block share no work, each is
    // finished before the next one takes registers.
    constexpr int together =
        has_ordered_scan<Program> || block_values<Program, v>::are_shared ? items : 1;
    [&]<int... I>(std::integer_sequence<int, I...>) {
      auto const finish = [&](auto part) {
        constexpr int begin = decltype(part)::value * together;
        typename base::template tile<Phase, Stores, IsWhole, Column, begin, together> elements(
            *this, first, raw);
        // Items behind the end of a row would take as long as those before it.
        if constexpr (!IsWhole && together < items)
          if (!__any_sync(~0u, elements.is_live(0, 0))) return;
        elements.template evaluate_from<0>(carried, buffer);
        elements.template accumulate_into_row<reductions_of<Program, place::row, Phase>>();
        if constexpr (Stores)
          store_tile<Program, true>(
              elements, stores_whole, [](staged_positions const& runs, int u) {
                return runs.slot(16, u * staged_positions::bytes_per_item(16));
              });
      };
      (finish(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, items / together>{});
  }
};

#endif

}  // namespace detail

// Owners: a block does one row after the other, all its tiles in order, once per phase; each warp
// of it has neighbouring columns of a tile. Registers: items vectors of each operand, and of the
// next tile's; one element of every value, as many times. Shared memory: one state per warp, twice;
// where memory does not have whole aligned vectors, the elements of a tile on their way in and out.
// Global memory: each operand is read once, or once per phase that needs it if the row is not held.
// @pre blockDim.x is a multiple of 32; a row that is not looped is one tile at most; the slots of
// the workspace are 0
// @post every store is written once per position; the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, detail::scan_blocks_held<C>)
    scan_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int phases = program_traits<Program>::row_phases;
  using totals = reductions_of<Program, place::total, 0>;
  scanned_rows<Program, C, Arguments, team_of_warps<C::threads_per_block>> worker{a};
  refuse_inexact_arithmetic();
  worker.template begin_launch<true>();
  worker.template clear<totals>(worker.total);
  long_chains<Program, totals> of_rows;
  for (long long row = blockIdx.x; row < a.row_count; row += gridDim.x) {
    worker.template begin_row<true>(row);
    worker.finish_row(row, std::make_integer_sequence<int, phases>{});
    if (threadIdx.x == 0) {
      worker.template store_values<place::row>();
      worker.template accumulate<totals>(worker.values(), worker.total);
      of_rows.carry(worker.total);
    }
    if constexpr (has_row_for_each_block<Program, C::is_looped>) break;
  }
  worker.await_without_row();
  if constexpr (program_traits<Program>::has_total) {
    of_rows.finish(worker.total);
    int buffer = 0;
    if (!combine_grid<Program, totals, C::threads_per_block>(worker.total, a.workspace, buffer))
      return;
    evaluate<place::total, 0, max_nodes>(worker.values());
    if (threadIdx.x == 0) worker.template store_values<place::total>();
  } else {
    if (blockIdx.x != 0) return;
  }
  if (threadIdx.x == 0) worker.template store_values<place::launch>();
#endif
}

}  // namespace tenon
