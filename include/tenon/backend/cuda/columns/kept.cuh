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
#include "tenon/backend/cuda/columns/followed.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct kept_columns : brought_columns<Program, C> {
  using base = columns_worker<Program, C>;
  using brought = brought_columns<Program, C>;
  using base::offsets;
  using base::v, base::threads, base::items, base::phases, base::a, base::rows, base::part;
  using brought::steps, brought::height, brought::position;
  using typename base::side;
  using typename base::stored;
  using kept = kept_vectors<Program, v, threads, brought::puts>;
  // A sweep is one of the phases, or that which stores elements.
  template <int Sweep, int Items>
  using needed = needed_loads<Program, v, Items, Sweep, (Sweep > phases)>;
  template <int Sweep>
  using others = selected_by_keeping<Program, v, needed<Sweep, 1>, false, brought::puts>;
  template <int Sweep> using followed = followed_loads<Program, others<Sweep>, v>;

  cluster_mailboxes boxes = {};

  __device__ __forceinline__ void bring() { brought::bring_to(kept()); }

  template <int... Phase>
  __device__ __forceinline__ void reduce_all(std::integer_sequence<int, Phase...>) {
    (reduce<Phase + 1>(), ...);
  }

  __device__ __forceinline__ void store_elements() {
    constexpr int sweep = phases + 1, together = element_operands<Program>::loads <= 3
                                                     ? (v > 4 ? 2 : 4)
                                                 : items * v > 16 ? 16 / v
                                                                  : items;
    if (is_plain()) {
      followed<sweep> beside(a, offsets, position(0));
      operand_offsets<Program> where;
      this->template find_position<stored>(where, position(0));
      if (has_some_of_rows<others<sweep>> && beside.are_ones())
        return store_plain<together, has_some_of_rows<others<sweep>>>(beside, where);
      return store_plain<together, false>(beside, where);
    }
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      using loads = needed<sweep, 1>;
      selected_registers<Program, loads> loaded;
      take_kept<sweep, 1, true>(loaded, step);
      load_others<sweep, 1>(loaded, step);
      this->template store_loaded<loads, 1, false>(loaded, position(step), base::end_position());
    }
  }

 private:
  // Whether nothing is to be looked for.
  __device__ __forceinline__ bool is_plain() const { return a.is_even && part.is_whole(); }

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
    bool const follows = is_plain();
    followed<Phase> beside(a, offsets, position(0));
#pragma unroll 1
    for (int step = 0; step < steps; step += items) {
      if (steps - step >= items)
        take_batch<Phase, true>(running, beside, follows, step);
      else
        take_batch<Phase, false>(running, beside, follows, step);
      after_batch();
    }
  }
  // IsFull: of `items` positions, all are the thread's.
  template <int Phase, bool IsFull, class Running>
  __device__ __forceinline__ void take_batch(Running& running, followed<Phase>& beside,
                                             [[maybe_unused]] bool follows, int step) {
    using loads = needed<Phase, items>;
    selected_registers<Program, loads> loaded;
    int const left = steps - step;
    take_kept<Phase, items, IsFull>(loaded, step);
    if constexpr (has_selected<Program, others<Phase>>) {
      if (follows)
        beside.template take<items, IsFull, false>(loaded, left);
      else
        load_others<Phase, items>(loaded, step);
    }
    this->template take_loaded<Phase, loads, items>(running, loaded, IsFull, IsFull ? items : left);
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
        chains.share_counts();
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

  // What sweep `Sweep` has of `Items` positions: what is kept; what is not inside is anything.
  // IsFull: all of them are.
  template <int Sweep, int Items, bool IsFull, class Tile>
  __device__ __forceinline__ void take_kept(Tile& loaded, int step) const {
    for_each_selected<Program,
                      selected_by_keeping<Program, v, needed<Sweep, Items>, true, brought::puts>>(
        [&](auto selected) {
          constexpr int k = decltype(selected)::value;
#pragma unroll
          for (int u = 0; u < Items; ++u)
            kept::template take<k>(read_register<k>(loaded).at[u],
                                   IsFull || step + u < steps ? step + u : step);
        });
  }
  // And what is not, of any layout.
  template <int Sweep, int Items, class Tile>
  __device__ __forceinline__ void load_others(Tile& loaded, int step) const {
    if constexpr (has_selected<Program, others<Sweep>>)
      base::template read<others<Sweep>, Items>(loaded, position(step), base::end_position());
  }

  template <class Selected>
  static constexpr bool has_some_of_rows = has_selected<Program, of_some_rows<Program, Selected>>;
  // AreOnes: of what some rows share all of a vector's rows have one element.
  template <int Items, bool AreOnes>
  __device__ __forceinline__ void store_plain(followed<phases + 1>& beside,
                                              operand_offsets<Program>& where) {
    int step = 0;
#pragma unroll 1
    for (; step + Items <= steps; step += Items) store_steps<Items, AreOnes>(beside, where, step);
#pragma unroll 1
    for (; step < steps; ++step) store_steps<1, AreOnes>(beside, where, step);
  }
  // @post `beside` and `where` are at the thread's next position
  template <int Items, bool AreOnes>
  __device__ __forceinline__ void store_steps(followed<phases + 1>& beside,
                                              operand_offsets<Program>& where, int step) {
    using loads = needed<phases + 1, Items>;
    selected_registers<Program, loads> loaded;
    take_kept<phases + 1, Items, true>(loaded, step);
    beside.template take<Items, true, AreOnes>(loaded, Items);
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      selected_registers<Program, stored> results;
      this->template compute_stored<loads>(results, loaded, u);
      store_computed<true>(*this, results, where);
    }
  }
};

}  // namespace tenon::detail
#endif
