// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the columns skeleton whose cluster keeps a tile of rows in shared memory: all
// positions of the operands that several sweeps need are brought at once, and read from memory
// once.
//
// H200, softmax of 4096 x 32768 f32 over axis 0: 345 us, of 2048 x 65536 332 us, of 8192 x 16384
// 470 us; with a barrier of the cluster behind every phase, and threads above each other combined
// in a tree, 418, 401 and 573 us. A copy in the same pieces of 128 bytes takes 335 us, one in order
// 256.

#include "tenon/backend/cuda/columns/brought.cuh"
#include "tenon/backend/cuda/columns/chains.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct kept_columns : brought_columns<Program, C> {
  using base = columns_worker<Program, C>;
  using brought = brought_columns<Program, C>;
  using base::v, base::threads, base::items, base::phases, base::a, base::rows, base::part;
  using brought::steps, brought::height, brought::position;
  using typename base::side;
  using kept = kept_vectors<Program, v, threads>;

  cluster_mailboxes boxes = {};

  __device__ __forceinline__ void bring() { brought::bring_to(kept()); }

  template <int... Phase>
  __device__ __forceinline__ void reduce_all(std::integer_sequence<int, Phase...>) {
    (reduce<Phase + 1>(), ...);
  }

  __device__ __forceinline__ void store_elements() {
    constexpr int together = items * v > 16 ? 16 / v : items;
    int step = 0;
    if (a.is_even && part.is_whole())
      for (; step + together <= steps; step += together) store_steps<together, true>(step);
#pragma unroll 1
    for (; step < steps; ++step) store_steps<1, false>(step);
  }

 private:
  // Whether an operator gathers elements (ops/moments.hpp). H200, layer norm over axis 1 of 64 x 96
  // x 3136 bf16 46 us so, 58 where states of two positions each are merged.
  template <int Phase>
  static constexpr bool gathers_elements = []<int... K>(std::integer_sequence<int, K...>) {
    using states = typename side::template states<Phase>;
    return (false || ... || [] {
      if constexpr (states::holds(K))
        return gathers<gathered_state<reduction_facts<Program, K>>>;
      else
        return false;
    }());
  }
  (typename program_traits<Program>::sequence{});

  // The thread's positions; after_batch() comes after each batch.
  template <int Phase, class Running, class After>
  __device__ __forceinline__ void take_steps(Running& running, After after_batch) {
    using loads = needed_loads<Program, v, items, Phase, false>;
    for (int step = 0; step < steps; step += items) {
      selected_registers<Program, loads> loaded;
      int const left = steps - step;
      if (left >= items) {
        load<loads, items, true>(loaded, step);
        this->template take_loaded<Phase, loads, items>(running, loaded, true, items);
      } else {
        load<loads, items, false>(loaded, step);
        this->template take_loaded<Phase, loads, items>(running, loaded, false, left);
      }
      after_batch();
    }
  }
  // To the rows' registers.
  template <int Phase> __device__ __forceinline__ void take_all() {
    using states = typename side::template states<Phase>;
    if constexpr (gathers_elements<Phase>) {
      column_chains<Program, v, threads, Phase> chains;
      chains.begin();
      int batches = 0;
      take_steps<Phase>(chains.recent, [&] {
        if (++batches % chains.turns_of_part == 0) chains.carry();
      });
      chains.finish(rows);
    } else {
      selected_registers<Program, states> running[v];
      cascade<Program, states> levels[v];
#pragma unroll
      for (int i = 0; i < v; ++i) reset<Program, states>(running[i]);
      take_steps<Phase>(running, [&] { cascade<Program, states>::after_tiles(levels, running); });
#pragma unroll
      for (int i = 0; i < v; ++i) levels[i].finish(rows[i], running[i]);
    }
  }
  template <int Phase> __device__ __forceinline__ void reduce() {
    take_all<Phase>();
    side::template combine_block<Phase, true>(rows);
    if (a.slices > 1) {
      if (Phase == 1) wait_for_cluster();
      side::template combine_cluster<Phase>(rows, a.slices, boxes);
    }
    this->template evaluate_rows<Phase>();
  }

  // Loads `Items` positions of the selected operands; what is not inside is anything. IsFull: all
  // of them are.
  template <class Selected, int Items, bool IsFull, class Tile>
  __device__ __forceinline__ void load(Tile& loaded, int step) const {
    for_each_selected<Program, selected_by_keeping<Program, v, Selected, true>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < Items; ++u)
        kept::template take<k>(read_register<k>(loaded).at[u],
                               IsFull || step + u < steps ? step + u : step);
    });
    using others = selected_by_keeping<Program, v, Selected, false>;
    if constexpr (has_selected<Program, others>) {
      if (a.is_even && part.is_whole())
        base::template load_plain<others, Items, false>(loaded, position(step),
                                                        base::end_position());
      else
        base::template load<others, Items, false>(loaded, position(step), base::end_position());
    }
  }

  template <int Items, bool IsPlain> __device__ __forceinline__ void store_steps(int step) {
    using loads = needed_loads<Program, v, Items, phases + 1, true>;
    selected_registers<Program, loads> loaded;
    load<loads, Items, true>(loaded, step);
    this->template store_loaded<loads, Items, IsPlain>(loaded, position(step),
                                                       base::end_position());
  }
};

}  // namespace tenon::detail
#endif
