// SPDX-License-Identifier: Apache-2.0
#pragma once
// Few long rows, scanned in one sweep by all blocks together: each round they take neighbouring
// tiles, tell each other what these combine to, and go on from that.

#include "tenon/backend/cuda/scan_worker.cuh"
#include "tenon/backend/cuda/ticket.cuh"

namespace tenon {
namespace detail {

// Tiles of a round, which is how the states are combined: a constant, so that the bits are those of
// the shape. Two blocks on each of 132 multiprocessors.
inline constexpr int tiles_per_round = 264;

// A word of what a tile combines to, and the number of its round in one access: whoever sees the
// number has the word.
__device__ __forceinline__ void leave_word(unsigned long long* slot, unsigned word,
                                           unsigned round) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slot),
               "l"(static_cast<unsigned long long>(round) << 32 | word)
               : "memory");
}

// One block's tiles of a program with one scan and no reductions. The tiles of all rows follow each
// other; block b takes tile b of each round.
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
  using state = typename op::template state<number>;
  using words = state_words<state>;
  using loads = needed_loads<Program, v, items, 1, true>;
  static constexpr int slots_per_round = words::count * tiles_per_round;
  static_assert(2 * slots_per_round <= slot_count);

  __device__ __forceinline__ void run() {
    tiles_ = static_cast<int>(divide_up(a.columns.size, base::tile_size()));
    so_far_ = op::template identity<number>();
    position mine = moved({0, rank()}, 0);
    selected_registers<Program, loads> raw, next;
    if (mine.row < a.rows.size) begin(next, mine, true);
    left_ = tiles_ * static_cast<int>(a.rows.size);
    // A block that finds no tile is in the last round, and nobody waits for it.
#pragma unroll 1
    for (; mine.row < a.rows.size; ++round_, left_ -= tiles_per_round) {
      raw = next;
      position const following = moved(mine, tiles_per_round);
      int const next_head = moved({0, head_}, tiles_per_round).tile;
      if (base::is_whole(mine.tile * base::tile_size()))
        finish_round<true>(raw, next, mine, following, next_head);
      else
        finish_round<false>(raw, next, mine, following, next_head);
      mine = following, head_ = next_head;
    }
    if (!draws_last_ticket(a.workspace, gridDim.x)) return;
    for (int k = static_cast<int>(threadIdx.x); k < 2 * slots_per_round; k += threads)
      slots()[k] = 0;
  }

 private:
  struct position {
    int row, tile;
  };  // a row, and a tile of it

  // No memory holds 2^31 tiles.
  int tiles_;  // of a row
  int left_;   // to be scanned, of all rows
  unsigned round_ = 1;
  int head_ = 0;  // which tile of its row the round's first one is
  state so_far_;  // of that row, if it began before

  __device__ __forceinline__ position moved(position from, int by) const {
    from.tile += by;
    if (from.tile >= tiles_) {
      int const further = from.tile / tiles_;
      from.row += further, from.tile -= further * tiles_;
    }
    return from;
  }
  static __device__ __forceinline__ int rank() { return static_cast<int>(blockIdx.x); }
  __device__ __forceinline__ unsigned long long* slots() const {
    return reinterpret_cast<unsigned long long*>(a.workspace + first_slot);
  }
  template <class Raw>
  __device__ __forceinline__ void begin(Raw& raw, position const& at, bool is_other_row) {
    if (is_other_row) this->begin_row(at.row);
    this->template load<loads>(raw, at.tile * base::tile_size());
  }

  template <bool IsWhole, class Raw>
  __device__ __forceinline__ void finish_round(Raw const& raw, Raw& next, position const& mine,
                                               position const& following, int next_head) {
    using tile = typename base::template tile<1, true, IsWhole>;
    tile elements(*this, mine.tile * base::tile_size(), raw);
    elements.template evaluate_between<0, scan>();
    int buffer = static_cast<int>(round_ & 1);
    typename tile::template part<scan> part(elements, buffer);
    unsigned long long* const left = slots() + (round_ & 1) * slots_per_round;
    if (threadIdx.x == 0) {
      words sent(part.all);
#pragma unroll
      for (int w = 0; w < words::count; ++w)
        leave_word(left + w * tiles_per_round + rank(), sent.words[w], round_);
    }
    // The next tile is under way while this one waits for the others.
    operand_offsets<Program> const place = this->where;
    registers<Program, place::row> const values = this->row;
    if (following.row < a.rows.size) begin(next, following, following.row != mine.row);
    state before = part.before;
    combine_round(left, mine.tile, next_head, before);
    operand_offsets<Program> const next_place = this->where;
    registers<Program, place::row> const next_values = this->row;
    this->where = place, this->row = values;
    part.finish(elements, before);
    elements.template evaluate_between<scan + 1, traits::size>();
    elements.store();
    this->where = next_place, this->row = next_values;
  }

  // @pre `left` is what the tiles of the round combine to, as far as they are done; `tile` is which
  // one of its row this block's is
  // @post what comes before that tile in its row is put before `before`; so_far_ is what the next
  // round starts from
  __device__ __forceinline__ void combine_round(unsigned long long const* left, int tile,
                                                int next_head, state& before) {
    __shared__ unsigned of_readers[2][readers][2][words::count];
    state const identity = op::template identity<number>();
    int const slot = static_cast<int>(threadIdx.x), warp = slot / 32;
    auto& held = of_readers[round_ & 1];
    if (warp < readers) {
      state own = identity, through = identity;
      if (slot < tiles_per_round && slot < left_) {
        state const theirs = wait_for(left + slot);
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
  __device__ __forceinline__ state wait_for(unsigned long long const* slot) const {
    words received;
    bool is_waiting;
    do {
      is_waiting = false;
#pragma unroll
      for (int w = 0; w < words::count; ++w) {
        unsigned long long const found = look_at_slot(slot + w * tiles_per_round);
        is_waiting = is_waiting || found >> 32 != round_;
        received.words[w] = static_cast<unsigned>(found);
      }
    } while (is_waiting);
    return received.state();
  }
};

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
  using namespace detail;
  split_scan<Program, C, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.begin_launch();
  worker.run();
}

}  // namespace tenon
