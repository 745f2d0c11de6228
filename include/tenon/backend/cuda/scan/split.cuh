// SPDX-License-Identifier: Apache-2.0
#pragma once
// Few long rows, scanned in one sweep by all blocks together: each round they take neighbouring
// tiles, tell each other what these combine to, and go on from that.

#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/scan/rounds.cuh"
#include "tenon/backend/cuda/scan/stores.cuh"
#include "tenon/backend/cuda/scan/worker.cuh"

namespace tenon {
namespace detail {

// The last two warps of a block have no columns.
template <class C> inline constexpr int split_threads_of = C::threads_per_block - 64;

// The elements of a block's rounds in shared memory: slots of 16 bytes of each operand and item.
template <class Program, class C> struct split_scan_stage {
  using loads = needed_loads<Program, C::vector_width, C::items, 1, true>;
  static constexpr int operands = rank_among<Program, loads>(program_traits<Program>::size);
  // Of one round they are finished, of three or two told, of one asked for.
  static constexpr int rounds = rounds_held<operands>;
  static constexpr int bytes_per_item = split_threads_of<C> * 16,
                       bytes_per_operand = bytes_per_item * C::items * rounds;
  // What is stored goes by way of the first operand's slots.
  static constexpr int bytes = bytes_per_operand * (operands > 0 ? operands : 1);
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// One block's tiles of a program with one scan and no reductions. The tiles of all rows follow each
// other; block b takes tile b of each round. While the tile of one round is finished, what those of
// the next rounds combine to is on its way to the other blocks, and the elements of more come into
// shared memory. Two warps tell the other blocks, and hear from them; those that compute wait for
// these alone, and not for each other.
template <class Program, class C, class Arguments>
struct split_scan : scan_worker<Program, C::vector_width, C::items, Arguments,
                                team_of_warps<C::threads_per_block, split_threads_of<C>>> {
  static constexpr int v = C::vector_width, items = C::items, threads = split_threads_of<C>;
  using base =
      scan_worker<Program, v, items, Arguments, team_of_warps<C::threads_per_block, threads>>;
  using base::a;
  using base::base;
  using typename base::traits;
  static constexpr int scan = next_scan<Program, 1, true, 0>;
  using instruction = typename traits::template at<scan>;
  using op = typename instruction::op;
  using number = arithmetic_t<instruction::type>;
  using part_states = typename base::template part_states<scan>;
  using stage = split_scan_stage<Program, C>;
  using loads = typename stage::loads;

  __device__ __forceinline__ void run() {
    long long const size = a.columns.size, tile = base::tile_size();
    tiles_ = static_cast<int>(divide_up(size, tile));
    whole_tiles_ = a.is_packed ? static_cast<int>(size / tile) : 0;
    if constexpr (!has_row_values)
      if (static_cast<int>(threadIdx.x) < static_cast<int>(a.rows.size)) {
        this->begin_row(threadIdx.x);
        row_place(static_cast<int>(threadIdx.x)) = this->where;
      }
    rounds_.begin({tiles_, tiles_ * static_cast<int>(a.rows.size)}, a.workspace);
    if (threadIdx.x < threads)
      compute();
    else if (threadIdx.x < threads + 32)
      rounds_.tell_blocks();
    else
      rounds_.hear_blocks(a.workspace);
  }

 private:
  static constexpr bool has_row_values = [] {
    bool result = false;
    for (instruction_facts const& i : traits::all)
      result = result || (i.where == place::row && (i.is_read || i.is_computed));
    return result;
  }();
  using rounds_type = scan_rounds<op, number, threads / 32, stage::rounds>;
  rounds_type rounds_;
  int tiles_, whole_tiles_;  // of a row; the latter come first
  int row_ = -1;             // whose values the worker has, if rows have any
  unsigned slots_;           // this thread's first

  __device__ __forceinline__ bool exists(tile_place const& at) const {
    return static_cast<unsigned>(at.row) < static_cast<unsigned>(a.rows.size);
  }
  // Where a row lies, found once for all rounds: the code of a round is to be short.
  static __device__ __forceinline__ operand_offsets<Program>& row_place(int row) {
    __shared__ operand_offsets<Program> all[most_split_rows];
    return all[row];
  }
  // The first column; the worker has the row's values then.
  __device__ __forceinline__ long long begin_tile(tile_place const& at) {
    if constexpr (!has_row_values)
      this->where = row_place(at.row);
    else if (at.row != row_)
      this->begin_row(row_ = at.row);
    return at.tile * base::tile_size();
  }

  __device__ __forceinline__ void compute() {
    constexpr int held = stage::rounds, ahead = (held + 1) / 2;
    slots_ = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared())) + threadIdx.x * 16;
    // nvcc 13.0 would find the address again for every access.
    asm volatile("" : "+r"(slots_));
    part_states told[ahead + 1];
    // Of the rounds whose tiles are finished, told and asked for.
    auto const place_ago = [&](int rounds) {
      return tile_place(static_cast<int>(blockIdx.x) - rounds * tiles_per_round, tiles_);
    };
    tile_place finished = place_ago(held - 1), next_told = place_ago(held - 1 - ahead),
               asked = place_ago(0);
    tile_place const a_round(tiles_per_round, tiles_);
    int turn = 1, here = 1;  // the place of the finished round among those that are held
#pragma unroll 1
    while (finished.row < static_cast<int>(a.rows.size)) {
      if (exists(asked)) bring(here == 0 ? held - 1 : here - 1, begin_tile(asked), asked.tile);
      end_of_copies();
      if (exists(next_told)) {
        wait_for_copies<held - 1 - ahead>();
        tell(here < held - ahead ? here + ahead : here + ahead - held, next_told, told[ahead]);
      }
      if (exists(finished)) finish(here, turn, finished, told[0]);
#pragma unroll
      for (int k = 0; k < ahead; ++k) told[k] = told[k + 1];
      if (++here == held) here = 0, turn ^= 1;
      asked.go_on(a_round, tiles_);
      next_told.go_on(a_round, tiles_);
      finished.go_on(a_round, tiles_);
    }
    wait_for_sent();
  }

  // This thread's slot of operand K, or of the first one; its warp's is that of lane 0.
  template <int K> __device__ __forceinline__ unsigned slot(int round, int u) const {
    constexpr int rank = rank_among<Program, loads>(K);
    return slots_ + round * (items * stage::bytes_per_item) + rank * stage::bytes_per_operand +
           u * stage::bytes_per_item;
  }
  static __device__ __forceinline__ unsigned of_warp(unsigned slot) {
    return slot - threadIdx.x % 32 * 16;
  }

  // Asks for the elements of a tile.
  __device__ __forceinline__ void bring(int round, long long first, int tile) {
    if (tile < whole_tiles_) {
      for_each_selected<Program, loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename traits::template at<k>;
        using T = storage_t<I::type>;
        T const* from = load_address<Program, k>(a, this->where.loads[I::bits] + base::own(first));
#pragma unroll
        for (int u = 0; u < items; ++u) {
          if constexpr (travels_alone<T, v>) {
            send_to_shared<T, v>(slot<k>(round, u), from + u * base::item_step());
          } else {
            packed<T, v> one;
            load_packed<reuse::expected>(one, from + u * base::item_step());
            store_shared(slot<k>(round, u), one);
          }
        }
      });
      return;
    }
    auto const runs = this->runs_of(first);
    __syncwarp();  // lanes bring what others use, who have read what was there
    for_each_selected<Program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename traits::template at<k>;
      using T = storage_t<I::type>;
      using vectors = staged_vectors<T, v>;
#pragma unroll 1
      for (int u = 0; u < items; ++u) {
        if constexpr (vectors::bytes == 16 && !vectors::has_parts)
          if (a.load_access[I::bits] <= access::elements) {
            int const begin = runs.template begin<v>(u);
            vectors::bring(of_warp(slot<k>(round, u)),
                           load_address<Program, k>(a, this->where.loads[I::bits] + first + begin),
                           (runs.size - begin) * vectors::size, runs);
            continue;
          }
        store_shared(slot<k>(round, u),
                     load_vector<Program, k, v, any_columns>(a, this->where, first / v + runs.at(u),
                                                             runs.template count<v>(u)));
      }
    });
  }
  // Calls use(elements) with a tile's elements up to the scan. @pre they are there
  template <class Use>
  __device__ __forceinline__ void with_tile(int round, tile_place const& at, Use const& use) {
    long long const first = begin_tile(at);
    selected_registers<Program, loads> raw;
    for_each_selected<Program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < items; ++u) load_shared(read_register<k>(raw).at[u], slot<k>(round, u));
    });
    if constexpr (base::has_ends)
      if (at.tile >= whole_tiles_) return with_elements<false>(first, raw, use);
    with_elements<true>(first, raw, use);
  }
  template <bool IsWhole, class Raw, class Use>
  __device__ __forceinline__ void with_elements(long long first, Raw const& raw, Use const& use) {
    typename base::template tile<1, true, IsWhole> elements(*this, first, raw);
    elements.template evaluate_between<0, scan>();
    use(elements);
  }

  // Tells what this warp's columns of a tile combine to, and keeps its parts.
  __device__ __forceinline__ void tell(int round, tile_place const& at, part_states& parts) {
    __syncwarp();  // what other lanes asked for is there, too
    with_tile(round, at, [&](auto& elements) {
      using tile = std::remove_reference_t<decltype(elements)>;
      parts = typename tile::template part<scan>(elements);
    });
    rounds_.tell(round, parts.all);
  }
  __device__ __forceinline__ void finish(int round, int turn, tile_place const& at,
                                         part_states const& parts) {
    auto const before = rounds_.hear(round, turn);
    with_tile(round, at, [&](auto& elements) {
      using tile = std::remove_reference_t<decltype(elements)>;
      typename tile::template part<scan>(parts).finish(elements, before);
      elements.template evaluate_between<scan + 1, traits::size>();
      store_tile<Program, false>(elements, at.tile < whole_tiles_,
                                 [&](auto&, int u) { return of_warp(slot<0>(round, u)); });
    });
  }
};
#endif

}  // namespace detail

// Owners: block b has tile b of each round, thread t of it vectors as in scan_worker, but for its
// last two warps, which have none. Registers: items vectors of each operand, and one element of
// every value, as many times; the states of as many vectors of each round that is told ahead.
// Shared memory: the elements of the rounds that are held, and as often a state per warp. Global
// memory: each operand is read once, each element store written once; of each round every block
// reads a state of every tile.
// @pre there are tiles_per_round blocks, all resident: they wait for each other, which is why the
// launch is cooperative; the ticket and the slots are 0
// @post every store is written once per position; the bits depend on the shape alone; the ticket
// and the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    split_scan_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace detail;
  split_scan<Program, C, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.begin_launch();
  worker.run();
#endif
}

}  // namespace tenon
