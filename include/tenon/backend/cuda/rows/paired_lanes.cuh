// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two lanes of a row in one thread, for the bits of a kernel in which each has a thread: they lie
// half of the row's lanes apart, so that the thread's vectors are neighbours of the next thread's.

#include "tenon/backend/cuda/parts/reduce.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {

// Vectors of a thread that is two lanes, each of which may have `alone` in one of its own. With
// twice as many, for rows that fill these, most are slower. H200, layer norm of bf16, us, before
// and with eight: x 1024 34.2 and 35.2, x 2304 39.9 and 43.1, x 8192 35.7 and 36.3, but x 1664 38.2
// and 35.7, x 11008 40.5 and 37.1.
constexpr int paired_items(int alone) { return alone + alone / 2; }
// Lanes of a row that a thread is. Nobody else holds rows by a multiple of three.
template <class C> inline constexpr int lanes_of_thread = C::items % 3 == 0 ? 2 : 1;

// Whether reductions know what two lanes of a group come to in one of a group of half as many.
template <class Program>
inline constexpr bool has_paired_order = [] {
  bool result = true;
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    using facts = reduction_facts<Program, decltype(selected)::value>;
    if constexpr (!requires { facts::op::combines_pairs; })
      result = result && !std::is_class_v<typename facts::state>;
  });
  return result;
}();

#if defined(__CUDA_ARCH__)
// Positions of a thread's items, of which all but the last are some thread's of the row.
template <int Items> struct paired_positions : item_positions<int> {
  static constexpr bool has_gaps = true;
  bool has_last;

  __device__ __forceinline__ bool is_live(int u) const { return u + 1 < Items || has_last; }
};

// Lanes that are two each of a group of twice as many.
template <int Most> struct lanes_of_two : lanes_up_to<Most, lane_steps::straight> {
  using lanes_up_to<Most, lane_steps::straight>::sum;
  template <class T> TENON_HD T sum(T const (&both)[2]) const { return sum(both[0] + both[1]); }
};

template <class Program, class C, int Phase> struct paired_lanes {
  // Vectors of a lane that has a thread of its own.
  static constexpr int v = C::vector_width, alone = C::items - C::items / 3;
  static_assert(C::items == paired_items(alone));
  using running = running_states<Program, v, alone, Phase>;
  using states = selected_registers<Program, running>;

  // A row's vectors → its registers. lanes: threads of the row.
  template <class Arguments, class Tile>
  __device__ __forceinline__ static void reduce(frame<Program> const& f, Arguments const& a,
                                                operand_offsets<Program> const& row,
                                                item_positions<int> const& where, Tile& tile,
                                                int lanes) {
    keep_packed(tile);
    states first, second;
    reset<Program, running>(first);
    reset<Program, running>(second);
    take<0>(first, tile, f, a, row, where);
    take<1>(second, tile, f, a, row, where);
    for_each_selected<Program, running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = op_of<k>;
      read_register<k>(f.row) = combined<op>(
          {fold_apart<op>(read_register<k>(first).at), fold_apart<op>(read_register<k>(second).at)},
          lanes);
    });
  }

 private:
  template <int K> using op_of = typename reduction_facts<Program, K>::op;

  // Takes in the vectors of the thread's first or second lane, which are every other one.
  template <int Which, class Tile, class Arguments>
  __device__ __forceinline__ static void take(states& to, Tile const& tile, frame<Program> const& f,
                                              Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              item_positions<int> const& where) {
    constexpr int count = (C::items + 1 - Which) / 2;
    using late = late_loads<Program, C, Phase, false>;
    using own = own_items<Program, C, count>;
    selected_registers<Program, own> mine;
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < count; ++u)
        read_register<k>(mine).at[u] = read_register<k>(tile).at[2 * u + Which];
    });
    selected_registers<Program, collected_values<Program, v, alone, Phase>> values = {};
    selected_registers<Program, no_loads> none;
    common_divisors<Program, Phase, false> const divisors(f);
    int live = 0;
#pragma unroll
    for (int u = 0; u < count; ++u) {
      int const item = 2 * u + Which;
      selected_registers<Program, late> others;
      load_tile<Program, late, v, 1, packed_columns, false>(others, a, row, where.from(item), true);
      process_item<Phase, false, v, alone, packed_columns, own, no_loads, late>(
          u, mine, none, others, values, to, f, divisors, a, row, where, item, true,
          element_by_element{});
      live += where.template count<v>(item);
    }
    for_each_selected<Program, running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (running::template is_batch<k>)
        take_some<count, op_of<k>>(read_register<k>(to).at[0], read_register<k>(values).at, live);
    });
  }
  // A batch's part of which `Vectors` at most are there.
  template <int Vectors, class Op, class State, class Taken, int Count>
  __device__ __forceinline__ static void take_some(State& state, Taken const (&all)[Count],
                                                   int live) {
    __builtin_assume(live <= v * Vectors);
    if constexpr (requires { Op::lift_all(all); })
      take_elements<Op, v>(state, all,
                           Vectors == alone && __all_sync(__activemask(), live >= Count), live);
    else
      state = Op::combine(state, Op::lift_many(all, live));
  }

  // In the order of lanes that have a thread each: over those of a warp, then over warps.
  template <class Op, class State>
  __device__ __forceinline__ static State combined(State const (&both)[2], int lanes) {
    if (lanes < 32) return paired<Op, 16>(both, lanes);
    State const warps[2] = {combine_lanes<Op, 32, lane_steps::straight>(both[0]),
                            combine_lanes<Op, 32, lane_steps::straight>(both[1])};
    return paired<Op, 1>(warps, 1);
  }
  template <class Op, int Most, class State>
  __device__ __forceinline__ static State paired(State const (&both)[2], int lanes) {
    if constexpr (requires { Op::combines_pairs; })
      return Op::combine_all(both, lanes_of_two<Most>{{lanes}});
    else if constexpr (Most == 1)
      return Op::combine(both[0], both[1]);
    else
      return combine_lanes<Op, Most, lane_steps::straight>(Op::combine(both[0], both[1]), lanes);
  }
};
#endif

}  // namespace tenon::detail
