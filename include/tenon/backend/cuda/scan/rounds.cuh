// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the blocks of a split scan tell each other, round by round: what each one's tile combines to
// → what comes before it in its row.

#include "tenon/backend/cuda/parts/arrivals.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/backend/cuda/scan/block.cuh"

namespace tenon::detail {

// Tiles of a round, which is how the states are combined: a constant, so that the bits are those of
// the shape. One block on each of 132 multiprocessors.
inline constexpr int tiles_per_round = 132;
// As many rows or more leave no half of the multiprocessors without work if each has a block.
inline constexpr int most_split_rows = tiles_per_round / 2 - 1;
// Rounds whose elements a block has, of that many operands: shared memory has not room for five of
// four.
template <int Operands> inline constexpr int rounds_held = Operands > 3 ? 4 : 5;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// The tiles of all rows, one after the other: block b has tile b of each round.
struct tile_rounds {
  // No memory holds 2^31 tiles.
  int tiles = 0;  // of a row
  int total = 0;  // of all rows

  static __device__ __forceinline__ int rank() { return static_cast<int>(blockIdx.x); }
  // Which of all tiles is the block's in a round, or the round's first one.
  static __device__ __forceinline__ int number(int round, int of_block) {
    return round * tiles_per_round + of_block;
  }
  __device__ __forceinline__ bool exists(int round) const { return number(round, rank()) < total; }
  __device__ __forceinline__ int rounds() const {
    return (total + tiles_per_round - 1) / tiles_per_round;
  }
};

// A tile's row, and which of that row's it is. Before the first tile of all are those of row -1.
struct tile_place {
  int row, tile;

  __device__ __forceinline__ tile_place(int number, int tiles)
      : row(number >= 0 ? number / tiles : -((tiles - 1 - number) / tiles)),
        tile(number - row * tiles) {}
  // On by as many tiles as the place `by` has before it.
  __device__ __forceinline__ void go_on(tile_place const& by, int tiles) {
    row += by.row, tile += by.tile;
    if (tile >= tiles) tile -= tiles, ++row;
  }
};

// Words with the number of their round, each in one access: whoever sees the number has the word.
template <int Count> struct marked_words {
  unsigned long long all[Count];

  static __device__ __forceinline__ marked_words of(unsigned const (&words)[Count],
                                                    unsigned round) {
    marked_words result;
#pragma unroll
    for (int w = 0; w < Count; ++w)
      result.all[w] = static_cast<unsigned long long>(round) << 32 | words[w];
    return result;
  }
  __device__ __forceinline__ bool are_of(unsigned round) const {
    bool result = true;
#pragma unroll
    for (int w = 0; w < Count; ++w) result = result && all[w] >> 32 == round;
    return result;
  }
  // Two in one access where they are so many.
  __device__ __forceinline__ void leave(unsigned long long* slot) const {
    if constexpr (Count % 2 == 0)
#pragma unroll
      for (int w = 0; w < Count; w += 2)
        asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(slot + w), "l"(all[w]),
                     "l"(all[w + 1])
                     : "memory");
    else
#pragma unroll
      for (int w = 0; w < Count; ++w)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slot + w), "l"(all[w]) : "memory");
  }
  __device__ __forceinline__ void look(unsigned long long const* slot) {
    if constexpr (Count % 2 == 0)
#pragma unroll
      for (int w = 0; w < Count; w += 2)
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(all[w]), "=l"(all[w + 1])
                     : "l"(slot + w)
                     : "memory");
    else
#pragma unroll
      for (int w = 0; w < Count; ++w) all[w] = look_at_slot(slot + w);
  }
};

// The states of a block's warps, in shared memory; and the words of all tiles of some rounds, in
// the slots of the workspace.
template <class Op, class Number, int Warps, int Held> class scan_rounds {
 public:
  using State = typename Op::template state<Number>;
  // A block tells of at most four rounds more than all have told of, and has heard of all but the
  // last four that it has told of: the words of a round are in the place of those of eight before.
  static constexpr int rounds_told = 8;
  using words = state_words<State>;
  using marked = marked_words<words::count>;
  static constexpr int slots_per_round = words::count * tiles_per_round;
  static_assert(rounds_told * slots_per_round <= slot_count && Warps <= 32);

  tile_rounds where;

  // @pre all threads of the block call it, and the slots are 0
  __device__ __forceinline__ void begin(tile_rounds const& all, unsigned* workspace) {
    where = all;
    slots_ = reinterpret_cast<unsigned long long*>(workspace + first_slot);
    if (threadIdx.x < Held) {
      warps_of(static_cast<int>(threadIdx.x)).told.init(Warps);
      warps_of(static_cast<int>(threadIdx.x)).heard.init(2 * Warps);
    }
    __syncthreads();
  }
  // The warp's columns of the tile of the round that is held at `place` combine to `all`. @pre it
  // has heard of the one that was held there before
  __device__ __forceinline__ void tell(int place, State const& all) {
    if (threadIdx.x % 32 != 0) return;
    warps_of(place).all.put(static_cast<int>(threadIdx.x) / 32, all);
    warps_of(place).told.arrive();
  }
  // What comes before the warp's columns in their row. @pre `turn` is the number of rounds that
  // were held at `place` before, modulo 2
  __device__ __forceinline__ State hear(int place, unsigned turn) {
    warps_of(place).heard.wait(turn);
    State before;
    if (threadIdx.x % 32 == 0)
      before = warps_of(place).before.get(static_cast<int>(threadIdx.x) / 32);
    return shuffled_from(before, 0);
  }

  // The parts of the two warps that have no columns. One tells the other blocks what the block's
  // tiles combine to, as soon as it is known; a block that finds no tile is in the last round, and
  // nobody waits for it.
  __device__ __forceinline__ void tell_blocks() {
#pragma unroll 1
    for (int round = 0; where.exists(round); ++round) {
      State in_front;
      State const all = scan_told(round, in_front);
      if (threadIdx.x % 32 == 0)
        marked::of(words(all).words, mark_of(round)).leave(slot_of(round, where.rank()));
      if (threadIdx.x % 32 < Warps) warps_of(round % Held).heard.arrive();
    }
  }
  // The other one hears what the tiles of all blocks combine to, and tells the warps what comes
  // before their columns.
  __device__ __forceinline__ void hear_blocks(unsigned* ticket) {
    int const lane = static_cast<int>(threadIdx.x) % 32, rank = where.rank();
    State const identity = Op::template identity<Number>();
    State so_far = identity;  // of the row that a round begins in, if it began before
    tile_place const a_round(tiles_per_round, where.tiles);
    // Which tiles of their rows this one and the next round's first one are.
    tile_place mine(rank, where.tiles), next = a_round;
#pragma unroll 1
    for (int round = 0; where.exists(round); ++round) {
      int const tile = mine.tile, next_head = next.tile;
      State own = identity, through = identity, in_front, ignored;
      hear_lane(round, in_front, [&](int slot, State const& theirs) {
        // Of this tile's row, and of the row that the next round begins with or goes on with.
        if (slot < rank && rank - slot <= tile) own = Op::combine(own, theirs);
        if (tiles_per_round - slot <= next_head) through = Op::combine(through, theirs);
      });
      // In the order of the tiles, which not every state leaves open.
      own = scan_warp<Op>(own, identity, ignored);
      through = scan_warp<Op>(through, identity, ignored);
      if (tile > rank) own = Op::combine(so_far, own);
      so_far = next_head > tiles_per_round ? Op::combine(so_far, through) : through;
      if (lane < Warps) {
        warps_of(round % Held).before.put(lane, Op::combine(own, in_front));
        warps_of(round % Held).heard.arrive();
      }
      mine.go_on(a_round, where.tiles);
      next.go_on(a_round, where.tiles);
    }
    leave(ticket);
  }

 private:
  struct states_of_warps {
    unsigned of_warps[Warps][words::count];

    __device__ __forceinline__ void put(int warp, State const& given) {
      words const sent(given);
#pragma unroll
      for (int w = 0; w < words::count; ++w) of_warps[warp][w] = sent.words[w];
    }
    __device__ __forceinline__ State get(int warp) const {
      words found;
#pragma unroll
      for (int w = 0; w < words::count; ++w) found.words[w] = of_warps[warp][w];
      return found.state();
    }
  };
  // What each warp's columns of a round combine to, and what comes before them in their row. Who
  // reads the former arrives when the latter is there, too: then both may be overwritten.
  struct round_of_warps {
    arrivals told, heard;
    states_of_warps all, before;
  };
  unsigned long long* slots_;

  static __device__ __forceinline__ round_of_warps& warps_of(int place) {
    __shared__ round_of_warps all[Held];
    return all[place];
  }
  static __device__ __forceinline__ unsigned mark_of(int round) {
    return static_cast<unsigned>(round) + 1;
  }
  __device__ __forceinline__ unsigned long long* slot_of(int round, int of_block) const {
    return slots_ + (round % rounds_told * tiles_per_round + of_block) * words::count;
  }

  // @post `in_front` is what the warps before number `lane` combine to, the result what all do
  __device__ __forceinline__ State scan_told(int round, State& in_front) const {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    State const identity = Op::template identity<Number>();
    in_front = identity;
    round_of_warps& mine = warps_of(round % Held);
    mine.told.wait(round / Held & 1);
    return scan_warp<Op>(lane < Warps ? mine.all.get(lane) : identity, identity, in_front);
  }
  // The last block that needs no word any more clears all for the next launch, while warps still
  // write. @pre the counter was 0, which it is then again
  __device__ __forceinline__ void leave(unsigned* ticket) const {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    bool is_last = false;
    if (lane == 0) {
      __threadfence();  // what the block heard before its ticket
      is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
      __threadfence();  // the ticket before the words of the others
    }
    if (!__any_sync(~0u, is_last)) return;
    int const rounds = where.rounds(),
              used = (rounds < rounds_told ? rounds : rounds_told) * slots_per_round;
#pragma unroll 1
    for (int k = lane; k < used; k += 32) slots_[k] = 0;
  }
  // Calls take(slot, state) for this lane's tiles of a round: neighbours, in their order. What the
  // block's own warps told is scanned while those come.
  template <class Take>
  __device__ __forceinline__ void hear_lane(int round, State& in_front, Take const& take) const {
    constexpr int of_lane = (tiles_per_round + 31) / 32, at_once = words::count <= 2   ? of_lane
                                                                   : words::count <= 4 ? 3
                                                                                       : 1;
    int const begin = static_cast<int>(threadIdx.x) % 32 * of_lane,
              left = where.total - where.number(round, 0),
              end = left < tiles_per_round ? left : tiles_per_round;
#pragma unroll 1
    for (int first = 0; first < of_lane; first += at_once) {
      // All are asked for before the first is needed; the block's own stands for what is not there.
      marked found[at_once];
      auto const look = [&] {
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          int const slot = begin + first + k;
          found[k].look(slot_of(round, slot < end ? slot : where.rank()));
        }
      };
      auto const are_there = [&] {
        bool result = true;
#pragma unroll
        for (int k = 0; k < at_once; ++k) result = result && found[k].are_of(mark_of(round));
        return result;
      };
      look();
      if (first == 0) scan_told(round, in_front);
      while (!are_there()) look();
      __syncwarp();
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        words theirs;
#pragma unroll
        for (int w = 0; w < words::count; ++w)
          theirs.words[w] = static_cast<unsigned>(found[k].all[w]);
        if (first + k < of_lane && begin + first + k < end) take(begin + first + k, theirs.state());
      }
    }
  }
};

#endif

}  // namespace tenon::detail
