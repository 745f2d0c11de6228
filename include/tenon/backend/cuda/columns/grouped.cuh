// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the columns skeleton whose rows are groups of neighbouring columns: a cluster keeps
// a tile of whole groups in shared memory, all of which is under way at once.

#include "tenon/backend/cuda/columns/brought.cuh"
#include "tenon/backend/cuda/columns/chains.cuh"
#include "tenon/backend/cuda/columns/grouped_states.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct grouped_columns : brought_columns<Program, C> {
  using base = columns_worker<Program, C>;
  using brought = brought_columns<Program, C>;
  using base::v, base::items, base::phases, base::a, base::rows, base::part, base::joined;
  using brought::steps, brought::height, brought::position;
  using typename base::side;
  using typename base::stored;
  static constexpr int states_held = v / joined;
  // Slots of a thread's, whose place depends on how many threads there are.
  using kept = kept_vectors<Program, v, 1>;
  // A sweep is one of the phases, or that which stores elements.
  template <int Sweep, int Items = items>
  using needed = needed_loads<Program, v, Items, Sweep, (Sweep > phases)>;
  template <int Sweep, int Items = 1>
  using others = selected_by_keeping<Program, v, needed<Sweep, Items>, false>;

  grouped_share const& share;
  grouped_states<Program, states_held> states;

  // Asks for all that is kept.
  __device__ __forceinline__ void bring() {
    brought::bring_to(*this);
    if (a.slices > 1) wait_for_cluster();
  }
  template <int K, class T> __device__ __forceinline__ void bring(int step, T const* from) const {
    send_to_shared<T, v>(slot<K>(step), from);
  }
  template <int K, class Vector>
  __device__ __forceinline__ void put(int step, Vector const& all) const {
    *slot<K>(step) = all;
  }

  // All sweeps.
  __device__ __forceinline__ void finish() {
    selected_registers<Program, others<1>> fixed;
    bring_fixed<1>(fixed);
    finish_from<1>(fixed);
  }

 private:
  template <int K> __device__ __forceinline__ auto* slot(int step) const {
    using vector = typename kept::template vector<K>;
    int const threads = static_cast<int>(blockDim.x) * height(),
              thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
    return reinterpret_cast<vector*>(
               dynamic_shared() +
               threads * (step * kept::bytes_per_step + kept::template bytes_before<K>)) +
           thread;
  }

  // What sweep `Sweep` has of what is not kept where that stays the same.
  template <int Sweep, class Fixed> __device__ __forceinline__ void bring_fixed(Fixed& to) const {
    if constexpr (has_selected<Program, others<Sweep>>)
      if (share.others_stay) load_others<others<Sweep>, 1>(to, 0);
  }
  template <int Sweep, class Fixed>
  __device__ __forceinline__ void finish_from(Fixed const& fixed) {
    if constexpr (Sweep > phases) {
      if constexpr (has_element_stores<Program>) store_elements<Sweep>(fixed);
    } else {
      sweep<Sweep>(fixed);
      // Asked for before the threads wait for each other, where there are registers.
      selected_registers<Program, others<Sweep + 1>> next;
      if (states_held == 1) bring_fixed<Sweep + 1>(next);
      states.template combine<Sweep>(rows);
      this->template evaluate_rows<Sweep>();
      if (states_held > 1) bring_fixed<Sweep + 1>(next);
      finish_from<Sweep + 1>(next);
    }
  }

  template <int Phase, class Fixed> __device__ __forceinline__ void sweep(Fixed const& fixed) {
    using chains_type =
        column_chains<Program, states_held, C::threads_per_block, Phase, states_held == 1 ? 4 : 2>;
    chains_type chains;
    chains.begin();
    int turn = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step += items) {
      selected_registers<Program, needed<Phase>> loaded;
      int const left = steps - step;
      if (left >= items) {
        load_for<Phase, true>(loaded, fixed, step);
        take<Phase>(chains.recent, loaded, true, items);
      } else {
        load_for<Phase, false>(loaded, fixed, step);
        take<Phase>(chains.recent, loaded, false, left);
      }
      if (++turn == chains_type::turns_of_part) chains.carry(), turn = 0;
    }
    chains.finish(rows);
  }
  template <int Phase, bool IsFull, class Tile, class Fixed>
  __device__ __forceinline__ void load_for(Tile& loaded, Fixed const& fixed, int step) const {
    if (share.others_stay)
      load<Phase, items, IsFull, true>(loaded, fixed, step);
    else
      load<Phase, items, IsFull, false>(loaded, fixed, step);
  }
  // The loaded positions: all of them, or the first `live`.
  template <int Phase, class Recent, class Tile>
  __device__ __forceinline__ void take(Recent& recent, Tile const& loaded, bool is_all, int live) {
    constexpr int count = items * joined;
    using collected =
        typename side::template collected_for<typename side::template states<Phase>, count>;
#pragma unroll
    for (int first = 0; first < v; first += joined) {
      selected_registers<Program, collected> values;
#pragma unroll
      for (int u = 0; u < items; ++u)
#pragma unroll
        for (int j = 0; j < joined; ++j) {
          registers<Program, place::element> element;
          frame<Program> f = this->frame_of(first, element);
          take_element<Program, needed<Phase>>(element, loaded, u, first + j);
          evaluate_element<Phase, false>(f);
          for_each_selected<Program, collected>([&](auto selected) {
            constexpr int k = decltype(selected)::value;
            read_register<k>(values).at[u * joined + j] = take_of<k>(f);
          });
        }
      side::template accumulate<collected, count>(recent[first / joined], values, is_all,
                                                  live * joined);
    }
  }

  // `Items` positions of sweep `Sweep`; what is not inside is anything. IsFull: all of them are.
  // Stays: so does what is not kept.
  template <int Sweep, int Items, bool IsFull, bool Stays, class Tile, class Fixed>
  __device__ __forceinline__ void load(Tile& loaded, Fixed const& fixed, int step) const {
    for_each_selected<Program, selected_by_keeping<Program, v, needed<Sweep, Items>, true>>(
        [&](auto selected) {
          constexpr int k = decltype(selected)::value;
#pragma unroll
          for (int u = 0; u < Items; ++u)
            load_whole(read_register<k>(loaded).at[u],
                       *slot<k>(IsFull || step + u < steps ? step + u : step));
        });
    using besides = others<Sweep, Items>;
    if constexpr (has_selected<Program, besides> && Stays)
      for_each_selected<Program, besides>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
#pragma unroll
        for (int u = 0; u < Items; ++u)
          read_register<k>(loaded).at[u] = read_register<k>(fixed).at[0];
      });
    else if constexpr (has_selected<Program, besides>)
      load_others<besides, Items>(loaded, step);
  }
  template <class Others, int Items, class Tile>
  __device__ __forceinline__ void load_others(Tile& to, int step) const {
    if (a.is_even && part.is_whole())
      base::template load_plain<Others, Items, false>(to, position(step), base::end_position());
    else
      base::template load<Others, Items, false>(to, position(step), base::end_position());
  }

  template <int Sweep, class Fixed>
  __device__ __forceinline__ void store_elements(Fixed const& fixed) {
    using loads = needed<Sweep, 1>;
    if (a.is_even && part.is_whole()) {
      if (share.others_stay || !has_selected<Program, others<Sweep>>)
        return store_whole<Sweep, true>(fixed);
      return store_whole<Sweep, false>(fixed);
    }
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      selected_registers<Program, loads> loaded;
      load<Sweep, 1, true, false>(loaded, fixed, step);
      this->template store_loaded<loads, 1, false>(loaded, position(step), base::end_position());
    }
  }
  template <int Sweep, bool Stays, class Fixed>
  __device__ __forceinline__ void store_whole(Fixed const& fixed) {
    using loads = needed<Sweep, 1>;
    operand_offsets<Program> where;
    this->template find_position<stored>(where, position(0));
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      selected_registers<Program, loads> loaded;
      load<Sweep, 1, true, Stays>(loaded, fixed, step);
      selected_registers<Program, stored> results;
      this->template compute_stored<loads>(results, loaded, 0);
      store_computed<true>(*this, results, where);
    }
  }
};

}  // namespace tenon::detail
#endif
