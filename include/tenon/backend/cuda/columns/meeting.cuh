// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the columns skeleton whose blocks meet between the sweeps: a tile of columns is a
// group's, each block has slices of its positions.
//
// What several sweeps need comes through shared memory, where the first turns of a block stay; the
// others are under way a few turns ahead. The sweeps run forwards and backwards in turn: each
// begins with what the one before it had last, which is still there, goes on with what the
// second-level cache has, and the turns of a slice are taken in the same order however much is
// kept.

#include "tenon/backend/cuda/columns/chains.cuh"
#include "tenon/backend/cuda/columns/meeting_states.cuh"
#include "tenon/backend/cuda/columns/worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct meeting_columns : columns_worker<Program, C> {
  using base = columns_worker<Program, C>;
  using base::offsets;
  using base::v, base::threads, base::items, base::phases, base::a, base::rows, base::part;
  using typename base::side;
  using kept = kept_vectors<Program, v, threads>;
  static constexpr int under_way = turns_under_way<Program, v, items, threads>;
  // A sweep is one of the phases, or that which stores elements.
  template <int Sweep, int Items = items>
  using needed = needed_loads<Program, v, Items, Sweep, (Sweep > phases)>;

  meeting_share const& share;
  meeting_states<Program, C> states;
  int first_turn = 0, turns = 0;  // of the tile's, those that the block has
  int last_live = 0;              // positions of the thread's in the last of them
  bool is_brought = false;        // by way of shared memory, to this thread

  __device__ __forceinline__ void begin_tile() {
    find_share();
    if constexpr (phases > 0) ask_first<1>();
    base::bring_rows();
  }
  template <int... Phase>
  __device__ __forceinline__ void reduce_all(std::integer_sequence<int, Phase...>) {
    (run<Phase + 1>(), ...);
  }
  __device__ __forceinline__ void store_elements() {
    constexpr int sweep = phases + 1, together = items * v > 16 ? 16 / v : items;
    static_assert(items % together == 0, "a turn is stored in equal parts");
    operand_offsets<Program> next;
    bool const goes_on = has_planes<C> && find_next(next);
    find_share();
    if (part.is_empty()) return;
    ask_first<sweep>();
#pragma unroll 1
    for (int n = 0; n < turns; ++n) {
      int const turn = turn_of<sweep>(n);
      if (!has_planes<C> || turn >= share.kept_turns) wait_for_copies<under_way - 1>();
#pragma unroll 1
      for (int u = 0; u < items; u += together) {
        selected_registers<Program, needed<sweep, together>> loaded;
        long long const first = position(turn) + u * height();
        if (u >= live_of(turn)) break;
        load<sweep, together>(loaded, turn, u);
        if (a.is_even && this->template is_full<together>(first, end_of_block()))
          this->template store_loaded<needed<sweep, together>, together, true>(loaded, first,
                                                                               end_of_block());
        else
          this->template store_loaded<needed<sweep, together>, together, false>(loaded, first,
                                                                                end_of_block());
      }
      if constexpr (has_planes<C>)
        if (goes_on && turn < share.kept_turns) ask_ahead(next, turn);
      ask_next<sweep>(turn);
    }
  }

  __device__ __forceinline__ void end_tile() {
    base::tile = states.tile();
    base::end();
  }
  // Stores what belongs to the tile's plane. By one thread
  __device__ __forceinline__ void end_plane() const {
    if (!states.is_first_of_plane()) return;
    registers<Program, place::element> none;
    auto const& planes = static_cast<plane_columns_arguments<Program> const&>(a);
    long long const first = planes.first(states.tile());
    for_each_selected<Program, stored_at<Program, place::total>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      constexpr int number = program_traits<Program>::template at<k>::bits;
      long long offset = 0;
      for_each_digit(a.rows, first, [&](int d, long long position) {
        offset +=
            position * (d == a.rows.dims - 1 ? v * a.store_along[number] : a.store_rows[number][d]);
      });
      store_one<k>(base::frame_of(0, none), a, offset);
    });
  }

 private:
  // Where the operands of the next plane are, if there is one.
  __device__ __forceinline__ bool find_next(operand_offsets<Program>& next) {
    if (states.next_tile() >= a.tiles || !is_any_kept<Program, v>) return false;
    base::tile = states.next_tile();
    offsets = {}, part = {0};
    base::find_vector();
    next = offsets;
    return true;
  }
  // Asks for a turn of the next plane, which takes the place of what was stored last. @pre it stays
  __device__ __forceinline__ void ask_ahead(operand_offsets<Program> const& next, int turn) const {
    if constexpr (is_any_kept<Program, v>)
      if (is_brought)
        for_each_selected<Program, selected_by_keeping<Program, v, needed<1>, true>>(
            [&](auto selected) { bring<decltype(selected)::value>(next, turn); });
  }
  // The thread's vectors of a turn, to their places.
  template <int K>
  __device__ __forceinline__ void bring(operand_offsets<Program> const& from_where,
                                        int turn) const {
    using I = typename program_traits<Program>::template at<K>;
    long long const stride = a.load_steps[I::bits], first = position(turn);
    auto const* from = load_address<Program, K>(a, from_where.loads[I::bits] + first * stride);
    int const live = live_of(turn);
#pragma unroll
    for (int u = 0; u < items; ++u, from += height() * stride)
      if (u < live) kept::template bring<K>(step_of(turn) + u, from);
  }

  // Which positions of which vector are the thread's: again before each sweep, so that registers do
  // not hold it where the blocks meet.
  __device__ __forceinline__ void find_share() {
    base::tile = states.tile();
    offsets = {};
    part = {0};
    base::find_vector();
    first_turn = states.rank() * share.turns_of_block;
    turns = share.turns - first_turn;
    if (turns > share.turns_of_block) turns = share.turns_of_block;
    last_live = 0;
#pragma unroll
    for (int u = 0; u < items; ++u)
      last_live += position(turns - 1) + u * height() < a.columns.size;
    is_brought = a.is_kept && a.is_even && part.is_whole();
  }
  static __device__ __forceinline__ int height() { return static_cast<int>(blockDim.y); }
  // The first of the thread's positions of a turn, which are height() apart.
  __device__ __forceinline__ long long position(int turn) const {
    return static_cast<long long>(first_turn + turn) * (height() * items) + threadIdx.y;
  }
  __device__ __forceinline__ long long end_of_block() const {
    long long const end =
        static_cast<long long>(first_turn + share.turns_of_block) * (height() * items);
    return end < a.columns.size ? end : a.columns.size;
  }
  // How many of the thread's positions of a turn are inside.
  __device__ __forceinline__ int live_of(int turn) const {
    return turn + 1 < turns ? items : last_live;
  }
  template <int Sweep> static constexpr bool goes_forwards = Sweep % 2 == 1;
  // Turn number n of a sweep.
  template <int Sweep> __device__ __forceinline__ int turn_of(int n) const {
    return goes_forwards<Sweep> ? n : turns - 1 - n;
  }

  template <int Phase> __device__ __forceinline__ void run() {
    if constexpr (!has_planes<C> || has_selected<Program, typename side::template states<Phase>>)
      reduce<Phase>();
    if constexpr (has_planes<C>) finish_planes<Phase>();
    this->template evaluate_rows<Phase>();
  }
  template <int Phase> __device__ __forceinline__ void finish_planes() {
    using totals = reductions_ending<Program, place::total, Phase>;
    if constexpr (has_selected<Program, totals>) {
      find_share();
      if (states.rank() == 0) {
        int buffer = 0;
        base::template begin_totals<totals>();
        if (threadIdx.y == 0) base::template take_in_rows<totals>();
        combine_block<Program, totals, threads>(base::total, buffer);
      }
      states.template meet_as_plane<Phase>(base::total);
    }
    registers<Program, place::element> none;
    evaluate<place::total, Phase, Phase>(base::frame_of(0, none));
  }
  template <int Phase> __device__ __forceinline__ void reduce() {
    if (Phase > 1) {
      find_share();
      ask_first<Phase>();
    }
    constexpr int step = goes_forwards<Phase> ? 1 : -1;
#pragma unroll 1
    for (int slice = goes_forwards<Phase> ? 0 : (turns - 1) / share.turns_of_slice;
         slice >= 0 && slice * share.turns_of_slice < turns; slice += step) {
      int turn = slice * share.turns_of_slice, left = turns - turn;
      if (left > share.turns_of_slice) left = share.turns_of_slice;
      if (!goes_forwards<Phase>) turn += left - 1;
      column_chains<Program, v, threads, Phase> chains;
      chains.begin();
      if (!part.is_empty())
#pragma unroll 1
        for (; left > 0; --left, turn += step) {
          selected_registers<Program, needed<Phase>> loaded;
          wait_for_copies<under_way - 1>();
          load<Phase, items>(loaded, turn, 0);
          ask_next<Phase>(turn);
          int const live = live_of(turn);
          this->template take_loaded<Phase, needed<Phase>, items>(chains.recent, loaded,
                                                                  live == items, live);
          if (left % chains.turns_of_part == 1) chains.carry();
        }
      chains.finish(rows);
      side::template combine_block<Phase, false>(rows);
      states.template leave<Phase>(rows, slice);
    }
    states.template meet<Phase>(rows);
  }

  // Loads `Items` positions of a turn from the thread's number u on; what is not inside is
  // anything.
  template <int Sweep, int Items, class Tile>
  __device__ __forceinline__ void load(Tile& loaded, int turn, int u) const {
    using all = needed<Sweep, Items>;
    long long const first = position(turn) + u * height();
    if constexpr (is_any_kept<Program, v>)
      if (is_brought) {
        for_each_selected<Program, selected_by_keeping<Program, v, all, true>>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
#pragma unroll
          for (int i = 0; i < Items; ++i)
            kept::template take<k>(read_register<k>(loaded).at[i], step_of(turn) + u + i);
        });
        using others = selected_by_keeping<Program, v, all, false>;
        if constexpr (has_selected<Program, others>)
          base::template load_plain<others, Items, false>(loaded, first, end_of_block());
        return;
      }
    base::template load<all, Items, false>(loaded, first, end_of_block());
  }

  // Where the vectors of a turn are in shared memory.
  __device__ __forceinline__ int step_of(int turn) const {
    int const beyond = turn - share.kept_turns;
    return items * (beyond < 0 ? turn : share.kept_turns + beyond % under_way);
  }
  // Whether a turn is in shared memory when the sweep begins, of what the one before it needed.
  template <int Sweep> __device__ __forceinline__ bool is_there(int turn) const {
    return turn < share.kept_turns ||
           (goes_forwards<Sweep> ? turn < share.kept_turns + under_way : turn >= turns - under_way);
  }
  template <int Sweep, int... Before>
  static consteval bool is_needed_before(int k, std::integer_sequence<int, Before...>) {
    return (false || ... || needed<Before + 1>::holds(k));
  }
  template <int Sweep> __device__ __forceinline__ void ask_first() const {
    if constexpr (is_any_kept<Program, v>)
#pragma unroll 1
      for (int n = 0; n < under_way; ++n) ask<Sweep>(turn_of<Sweep>(n));
  }
  // @pre the thread has what it wants of the turn
  template <int Sweep> __device__ __forceinline__ void ask_next(int turn) const {
    if constexpr (is_any_kept<Program, v>)
      ask<Sweep>(goes_forwards<Sweep> ? turn + under_way : turn - under_way);
  }
  // Asks for what the sweep needs of a turn and is not there; one more group of copies is under
  // way.
  template <int Sweep> __device__ __forceinline__ void ask(int turn) const {
    if (is_brought && turn >= 0 && turn < turns)
      for_each_selected<Program, selected_by_keeping<Program, v, needed<Sweep>, true>>(
          [&](auto selected) {
            constexpr int k = decltype(selected)::value;
            constexpr bool is_old =
                is_needed_before<Sweep>(k, std::make_integer_sequence<int, Sweep - 1>{});
            constexpr bool is_recent = is_old && needed<(Sweep > 1 ? Sweep - 1 : 1)>::holds(k);
            if (is_recent ? is_there<Sweep>(turn) : is_old && turn < share.kept_turns) return;
            // The sweep that stored the plane before has asked for it.
            if (has_planes<C> && Sweep == 1 && states.round > 0 && turn < share.kept_turns &&
                has_element_stores<Program>)
              return;
            bring<k>(offsets, turn);
          });
    end_of_copies();
  }
};

}  // namespace tenon::detail
#endif
