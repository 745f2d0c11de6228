// SPDX-License-Identifier: Apache-2.0
#pragma once
// Few long rows, scanned in one sweep by all blocks together: each round they take neighbouring
// tiles, tell each other what these combine to, and go on from that.

#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/backend/cuda/scan/worker.cuh"

namespace tenon {
namespace detail {

// Tiles of a round, which is how the states are combined: a constant, so that the bits are those of
// the shape. Two blocks on each of 132 multiprocessors.
inline constexpr int tiles_per_round = 264;
// Rounds whose elements a block has: of one they are finished, of one told, of one asked for.
inline constexpr int rounds_held = 3;

template <class Program, class C>
using split_scan_stage =
    thread_stage<Program, needed_loads<Program, C::vector_width, C::items, 1, true>,
                 rounds_held * C::items, C::threads_per_block>;

#if defined(__CUDA_ARCH__)
// A word of what a tile combines to, and the number of its round in one access: whoever sees the
// number has the word.
__device__ __forceinline__ void leave_word(unsigned long long* slot, unsigned word,
                                           unsigned round) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slot),
               "l"(static_cast<unsigned long long>(round) << 32 | word)
               : "memory");
}

// One block's tiles of a program with one scan and no reductions. The tiles of all rows follow each
// other; block b takes tile b of each round. While the tile of one round is finished, what the next
// one combines to is on its way to the other blocks, and the elements of the one after that come
// into shared memory.
template <class Program, class C, class Arguments>
struct split_scan
    : scan_worker<Program, C::vector_width, C::items, C::threads_per_block, Arguments> {
  static constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block;
  static constexpr int readers = (tiles_per_round + 31) / 32;  // warps
  static_assert(32 * readers <= threads);
  using base = scan_worker<Program, v, items, threads, Arguments>;
  using base::a;
  using base::base;
  using typename base::traits;
  static constexpr int scan = next_scan<Program, 1, true, 0>;
  using instruction = typename traits::template at<scan>;
  using op = typename instruction::op;
  using number = arithmetic_t<instruction::type>;
  using part_states = typename base::template part_states<scan>;
  using state = typename part_states::state;
  using words = state_words<state>;
  using loads = needed_loads<Program, v, items, 1, true>;
  using stage = split_scan_stage<Program, C>;
  // A block may be two rounds ahead of another in what it tells, and the other one behind in what
  // it has heard: the words of a round are in the place of those of four rounds before.
  static constexpr int rounds_told = 4;
  static constexpr int slots_per_round = words::count * tiles_per_round;
  static_assert(rounds_told * slots_per_round <= slot_count);

  __device__ __forceinline__ void run() {
    tiles_ = static_cast<int>(divide_up(a.columns.size, base::tile_size()));
    total_ = tiles_ * static_cast<int>(a.rows.size);
    so_far_ = op::template identity<number>();
    bring(0), bring(1);
    part_states mine;
    if (exists(0)) tell(0, mine);
      // A block that finds no tile is in the last round, and nobody waits for it.
#pragma unroll 1
    for (int round = 0; exists(round); ++round) {
      bring(round + 2);
      part_states next;
      if (exists(round + 1)) tell(round + 1, next);
      combine_round(round, mine.before);
      finish(round, mine);
      mine = next;
    }
    wait_for_sent();
    if (!draws_last_ticket(a.workspace, gridDim.x)) return;
    for (int k = static_cast<int>(threadIdx.x); k < rounds_told * slots_per_round; k += threads)
      slots()[k] = 0;
  }

 private:
  // No memory holds 2^31 tiles.
  int tiles_;     // of a row
  int total_;     // of all rows
  int row_ = -1;  // whose values the worker has
  state so_far_;  // of the row that a round begins in, if it began before

  static __device__ __forceinline__ int rank() { return static_cast<int>(blockIdx.x); }
  __device__ __forceinline__ unsigned long long* slots() const {
    return reinterpret_cast<unsigned long long*>(a.workspace + first_slot);
  }
  // Which of all tiles is the block's in a round, or the round's first one.
  static __device__ __forceinline__ int tile_number(int round, int of_block) {
    return round * tiles_per_round + of_block;
  }
  // Most scans of this kind have one row, and a division takes as long as some elements.
  __device__ __forceinline__ int row_of(int of_all) const {
    return a.rows.size == 1 ? 0 : of_all / tiles_;
  }
  __device__ __forceinline__ int place_in_row(int of_all) const {
    return of_all - row_of(of_all) * tiles_;
  }
  __device__ __forceinline__ bool exists(int round) const {
    return tile_number(round, rank()) < total_;
  }
  // Which of its row's tiles it is; the worker has the row's values then.
  __device__ __forceinline__ long long begin_tile(int round) {
    int const of_all = tile_number(round, rank()), row = row_of(of_all);
    if (row != row_) this->begin_row(row_ = row);
    return (of_all - row * tiles_) * base::tile_size();
  }

  // Asks for the elements of a round's tile.
  __device__ __forceinline__ void bring(int round) {
    if (exists(round)) {
      int const place = round % rounds_held * items;
      long long const first = begin_tile(round);
      if (base::is_whole(first)) {
        for_each_selected<Program, loads>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          using I = typename traits::template at<k>;
          using T = storage_t<I::type>;
          T const* from =
              load_address<Program, k>(a, this->where.loads[I::bits] + base::own(first));
#pragma unroll
          for (int u = 0; u < items; ++u) {
            auto* to = stage::template slot<k>(place + u);
            if constexpr (travels_alone<T, v>) {
              send_to_shared<T, v>(to, from + u * base::item_step);
            } else {
              packed<T, v> one;
              load_packed<reuse::expected>(one, from + u * base::item_step);
              *reinterpret_cast<packed<T, v>*>(to) = one;
            }
          }
        });
      } else {
        selected_registers<Program, loads> raw;
        this->template load<loads>(raw, first);
        for_each_selected<Program, loads>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          using T = storage_t<traits::template at<k>::type>;
#pragma unroll
          for (int u = 0; u < items; ++u)
            *reinterpret_cast<packed<T, v>*>(stage::template slot<k>(place + u)) =
                read_register<k>(raw).at[u];
        });
      }
    }
    end_of_copies();
  }
  template <bool IsWhole, class Use>
  __device__ __forceinline__ void with_tile(int round, long long first, Use const& use) {
    selected_registers<Program, loads> raw;
    int const place = round % rounds_held * items;
    for_each_selected<Program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < items; ++u)
        stage::template take<k>(read_register<k>(raw).at[u], place + u);
    });
    using tile = typename base::template tile<1, true, IsWhole>;
    tile elements(*this, first, raw);
    elements.template evaluate_between<0, scan>();
    use(elements);
  }

  // Leaves what a round's tile combines to, and keeps its parts.
  // @pre of what was asked for, the latest round alone may be under way
  __device__ __forceinline__ void tell(int round, part_states& parts) {
    wait_for_copies<1>();
    long long const first = begin_tile(round);
    auto use = [&](auto& elements) {
      using tile = std::remove_reference_t<decltype(elements)>;
      int buffer = round & 1;
      parts = typename tile::template part<scan>(elements, buffer);
    };
    if (base::is_whole(first))
      with_tile<true>(round, first, use);
    else
      with_tile<false>(round, first, use);
    if (threadIdx.x == 0) {
      words sent(parts.all);
#pragma unroll
      for (int w = 0; w < words::count; ++w)
        leave_word(told(round) + w * tiles_per_round + rank(), sent.words[w], mark_of(round));
    }
  }
  __device__ __forceinline__ unsigned long long* told(int round) const {
    return slots() + round % rounds_told * slots_per_round;
  }
  static __device__ __forceinline__ unsigned mark_of(int round) {
    return static_cast<unsigned>(round) + 1;
  }
  // @pre parts.before is what comes before this warp's columns in the row
  __device__ __forceinline__ void finish(int round, part_states const& parts) {
    long long const first = begin_tile(round);
    auto use = [&](auto& elements) {
      using tile = std::remove_reference_t<decltype(elements)>;
      typename tile::template part<scan>(parts).finish(elements, parts.before);
      elements.template evaluate_between<scan + 1, traits::size>();
      elements.store();
    };
    if (base::is_whole(first))
      with_tile<true>(round, first, use);
    else
      with_tile<false>(round, first, use);
  }

  // @post what comes before the block's tile in its row is put before `before`; so_far_ is what the
  // next round starts from
  __device__ __forceinline__ void combine_round(int round, state& before) {
    // Which tiles of their rows this one and the next round's first one are, and how many are left.
    int const tile = place_in_row(tile_number(round, rank())),
              next_head = place_in_row(tile_number(round + 1, 0)),
              left = total_ - tile_number(round, 0);
    __shared__ unsigned of_readers[2][readers][2][words::count];
    state const identity = op::template identity<number>();
    int const slot = static_cast<int>(threadIdx.x), warp = slot / 32;
    auto& held = of_readers[round & 1];
    if (warp < readers) {
      state own = identity, through = identity;
      if (slot < tiles_per_round && slot < left) {
        state const theirs = wait_for(told(round) + slot, mark_of(round));
        // Of this tile's row, and of the row that the next round begins with or goes on with.
        if (slot < rank() && rank() - slot <= tile) own = theirs;
        if (tiles_per_round - slot <= next_head) through = theirs;
      }
      words const of_own(combine_lanes<op, 32>(own)), of_all(combine_lanes<op, 32>(through));
      if (slot % 32 == 0) {
#pragma unroll
        for (int w = 0; w < words::count; ++w)
          held[warp][0][w] = of_own.words[w], held[warp][1][w] = of_all.words[w];
      }
    }
    __syncthreads();
    state own = tile > rank() ? so_far_ : identity;
    state through = next_head > tiles_per_round ? so_far_ : identity;
#pragma unroll
    for (int r = 0; r < readers; ++r) {
      words of_own, of_all;
#pragma unroll
      for (int w = 0; w < words::count; ++w)
        of_own.words[w] = held[r][0][w], of_all.words[w] = held[r][1][w];
      own = op::combine(own, of_own.state());
      through = op::combine(through, of_all.state());
    }
    before = op::combine(own, before);
    so_far_ = through;
  }
  __device__ __forceinline__ state wait_for(unsigned long long const* slot, unsigned mark) const {
    words received;
    bool is_waiting;
    do {
      is_waiting = false;
#pragma unroll
      for (int w = 0; w < words::count; ++w) {
        unsigned long long const found = look_at_slot(slot + w * tiles_per_round);
        is_waiting = is_waiting || found >> 32 != mark;
        received.words[w] = static_cast<unsigned>(found);
      }
    } while (is_waiting);
    return received.state();
  }
};
#endif

}  // namespace detail

// Owners: block b has tile b of each round, thread t of it vectors as in scan_worker. Registers:
// items vectors of each operand, and of the next tile's; one element of every value, as many times.
// Shared memory: a state per warp and two per 32 tiles of a round, twice. Global memory: each
// operand is read once, each element store written once; of each round every block reads a state of
// every tile.
// @pre there are tiles_per_round blocks, all resident; the ticket and the slots are 0
// @post every store is written once per position; the bits depend on the shape alone; the ticket
// and the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    split_scan_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  split_scan<Program, C, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.begin_launch();
  worker.run();
#endif
}

}  // namespace tenon
