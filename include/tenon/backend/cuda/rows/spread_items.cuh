// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of rows that the lanes of a warp take in turn, in registers: alike wherever a row
// begins. Rows of which some operand is strided pass through shared memory, element by element.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"
#include "tenon/backend/cuda/parts/spread_access.cuh"
#include "tenon/backend/cuda/rows/kept_value.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {

template <class Program> struct spread_loads {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::element;
  }
};

// Shared memory of a warp, where rows pass through it: a run of each operand, of which a lane uses
// the places of its own elements alone. What is stored comes after what was loaded: in its place,
// unless elements of another width have a lane's places elsewhere.
template <class Program, class C> struct spread_memory {
  using loads = spread_loads<Program>;
  using stores = element_stores<Program, 1>;
  static constexpr bool are_alike = [] {
    bool result = true;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.moves_elements)
        result = result && size_of(i.type) == program_traits<Program>::widest_element;
    return result;
  }();
  static constexpr int loaded = rank_among<Program, loads>(program_traits<Program>::size),
                       stored = rank_among<Program, stores>(program_traits<Program>::size),
                       first_stored = are_alike ? 0 : loaded,
                       runs = loaded > first_stored + stored ? loaded : first_stored + stored,
                       bytes_of_run = 32 * C::items * program_traits<Program>::widest_element,
                       bytes_of_warp = runs * bytes_of_run;
#if defined(__CUDA_ARCH__)
  // Where this lane's first element of operand K is.
  template <int K> static __device__ __forceinline__ unsigned slot() {
    using I = typename program_traits<Program>::template at<K>;
    constexpr int rank =
        I::is_load ? rank_among<Program, loads>(K) : first_stored + rank_among<Program, stores>(K);
    unsigned const thread = threadIdx.x + threadIdx.y * blockDim.x;
    return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared())) +
           thread / 32 * bytes_of_warp + rank * bytes_of_run +
           thread % 32 * static_cast<unsigned>(sizeof(storage_t<I::type>));
  }
#endif
};

#if defined(__CUDA_ARCH__)
// What element stores are to write of a lane's elements.
template <class Program, int Items> struct spread_results : element_stores<Program, 1> {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> using type = vector_list<storage_t<at<K>::type>, 1, Items>;
};
// Positions of which that is kept.
template <class Program, int Items> struct keeping_positions : spread_positions {
  static constexpr bool finds_parts = true;
  selected_registers<Program, spread_results<Program, Items>>& results;

  template <int K, class T>
  __device__ __forceinline__ void keep(packed<T, 1> const& element, int u) const {
    read_register<K>(results).at[u] = element;
  }
};

template <class Program, class C> struct spread_items {
  static constexpr int items = C::items;
  // Elements that are asked for, computed and written together.
  static constexpr int together = (items + 1) / 2;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  using own = own_loads<Program, C>;
  using stores = element_stores<Program, 1>;
  using memory = spread_memory<Program, C>;

  template <class Requested, class Arguments>
  __device__ __forceinline__ static void load(Requested& to, Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              spread_positions const& where) {
    if constexpr (may_be_strided)
      if (!a.is_contiguous) bring(a, row, where);
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      load_some<k, 0, items, (has_element_stores<Program> ? reuse::near : reuse::expected)>(
          read_register<k>(to.tile).at, a, row.loads[at<k>::bits], where);
    });
    load_shared_operands<early_loads<Program, C>, 0, together>(to.early, a, row, where);
  }

  // As process_tile.
  template <int Phase, bool Stores, class Requested, class States, class Arguments>
  __device__ __forceinline__ static void process(Requested& given, States& states,
                                                 frame<Program> const& around, Arguments const& a,
                                                 operand_offsets<Program> const& row,
                                                 spread_positions const& where) {
    using running = running_states<Program, 1, items, Phase>;
    constexpr bool is_early = Stores && is_asked_early<Program, C>;
    using shared = std::conditional_t<is_early, early_loads<Program, C>, late_list<Phase, Stores>>;
    selected_registers<Program, collected_values<Program, 1, items, Phase>> values = {};
    selected_registers<Program, shared> fixed;
    // A batch has all elements in any case.
    bool const has_rest = has_batches<Program, running> || __any_sync(~0u, where.is_live(together));
    keep_packed(given.tile);
    if constexpr (is_early) {
      fixed = given.early;
      if (has_rest) load_shared_operands<shared, together, items>(fixed, a, row, where);
    } else {
      load_shared_operands<shared, 0, together>(fixed, a, row, where);
    }
    process_some<Phase, Stores, 0, together, shared>(given.tile, fixed, values, states, around, a,
                                                     row, where);
    if (has_rest) {
      if constexpr (!is_early) load_shared_operands<shared, together, items>(fixed, a, row, where);
      process_some<Phase, Stores, together, items, shared>(given.tile, fixed, values, states,
                                                           around, a, row, where);
    }
    for_each_selected<Program, running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (running::template is_batch<k>)
        take_live<typename reduction_facts<Program, k>::op>(
            read_register<k>(states).at[0], read_register<k>(values).at, where.live(items));
    });
    if constexpr (Stores && may_be_strided)
      if (!a.is_contiguous) send(a, row, where);
  }

 private:
  template <int Phase, bool Stores> struct late_list : late_loads<Program, C, Phase, Stores> {
    template <int K> using type = vector_list<storage_t<at<K>::type>, 1, items>;
  };
  // Elements Begin, ..., End - 1 of a lane, of what is not kept of the row.
  template <class Loads, int Begin, int End, class Fixed, class Arguments>
  __device__ __forceinline__ static void load_shared_operands(Fixed& to, Arguments const& a,
                                                              operand_offsets<Program> const& row,
                                                              spread_positions const& where) {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      load_some<k, Begin, End, reuse::expected>(read_register<k>(to).at, a, row.loads[at<k>::bits],
                                                where);
    });
  }
  template <int Phase, bool Stores, int Begin, int End, class Shared, class Tile, class Fixed,
            class Values, class States, class Arguments>
  __device__ __forceinline__ static void process_some(
      Tile& tile, Fixed const& fixed, Values& values, States& states, frame<Program> const& around,
      Arguments const& a, operand_offsets<Program> const& row, spread_positions const& where) {
    selected_registers<Program, no_loads> none;
    selected_registers<Program, spread_results<Program, items>> results;
    common_divisors<Program, Phase, Stores> const divisors(around);
#pragma unroll
    for (int u = Begin; u < End; ++u)
      process_item<Phase, Stores, 1, items, packed_columns, own, Shared, no_loads>(
          u, tile, fixed, none, values, states, around, divisors, a, row,
          keeping_positions<Program, items>{where, results}, u, true,
          keeping_evaluation<Program, Tile, true>{tile});
    if constexpr (Stores)
      for_each_selected<Program, stores>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        store_some<k, Begin, End>(read_register<k>(results).at, a, row.stores[at<k>::bits], where);
      });
  }

  // Takes in a batch; where all of it is there, the same way.
  template <class Op, class State, class Values>
  __device__ __forceinline__ static void take_live(State& state, Values const& all, int live) {
    if constexpr (requires { Op::lift_all(all); }) {
      // Most lanes have all, or all but the last: the same way, with one question.
      constexpr int sure = items - 1;
      if constexpr (program_traits<Program>::widest_element <= 2)
        if (__all_sync(~0u, live >= sure)) return take_elements<Op, sure>(state, all, false, live);
      take_elements<Op, 1>(state, all, false, live);
    } else {
      state = Op::combine(state, Op::lift_many(all, live));
    }
  }

  // Whether elements may be other than neighbours in memory.
  static constexpr bool may_be_strided = C::group_dims != spread_columns;
  template <int K, int Begin, int End, reuse Reuse, class List, class Arguments>
  __device__ __forceinline__ static void load_some(List& to, Arguments const& a, long long offset,
                                                   spread_positions const& where) {
    using T = storage_t<at<K>::type>;
    // Fours may leave anything in the others.
    constexpr int cleared = leaves_anything<Reuse, T> ? End - (End - Begin) % 4 : Begin;
#pragma unroll
    for (int u = cleared; u < End; ++u) to[u] = {};
    if constexpr (may_be_strided)
      if (!a.is_contiguous)
        return load_spread<Reuse, Begin, End>(to, memory::template slot<K>(), where.left);
    load_spread<Reuse, Begin, End>(to, load_address<Program, K>(a, offset) + where.first,
                                   where.left);
  }
  template <int K, int Begin, int End, class List, class Arguments>
  __device__ __forceinline__ static void store_some(List const& from, Arguments const& a,
                                                    long long offset,
                                                    spread_positions const& where) {
    if constexpr (may_be_strided)
      if (!a.is_contiguous)
        return store_spread<Begin, End>(memory::template slot<K>(), from, where.left, a.stored);
    store_spread<Begin, End>(store_address<Program, K>(a, offset) + where.first, from, where.left,
                             a.stored);
  }

  // Operands that are strided → shared memory.
  template <class Arguments>
  __device__ __forceinline__ static void bring(Arguments const& a,
                                               operand_offsets<Program> const& row,
                                               spread_positions const& where) {
    for_each_place<spread_loads<Program>>(a, where, [&](auto k, auto const& column, unsigned at) {
      using I = typename program_traits<Program>::template at<decltype(k)::value>;
      long long const begin = I::varies_over_rows ? row.loads[I::bits] : 0;
      packed<storage_t<I::type>, 1> one;
      load_packed<reuse::expected>(
          one, load_address<Program, decltype(k)::value>(a, begin + column.loads[I::bits]));
      store_shared(at, one);
    });
  }
  // What waits in shared memory → results.
  template <class Arguments>
  __device__ __forceinline__ static void send(Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              spread_positions const& where) {
    for_each_place<stores>(a, where, [&](auto k, auto const& column, unsigned at) {
      using I = typename program_traits<Program>::template at<decltype(k)::value>;
      packed<storage_t<I::type>, 1> one;
      load_shared(one, at);
      store_packed(store_address<Program, decltype(k)::value>(
                       a, row.stores[I::bits] + column.stores[I::bits]),
                   one);
    });
  }
  // visit(operand, offsets of an element, its place in shared memory) of this lane's elements.
  template <class Selected, class Arguments, class Visit>
  __device__ __forceinline__ static void for_each_place(Arguments const& a,
                                                        spread_positions const& where,
                                                        Visit const& visit) {
#pragma unroll 1
    for (int u = 0; where.is_live(u); ++u) {
      operand_offsets<Program> column;
      find_column<Program, Selected>(column, a, where.at(u));
      for_each_selected<Program, Selected>([&](auto k) {
        using T = storage_t<at<decltype(k)::value>::type>;
        visit(k, column,
              memory::template slot<decltype(k)::value>() + u * 32 * static_cast<int>(sizeof(T)));
      });
    }
  }
};
#endif

}  // namespace tenon::detail
