// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tile of columns through the program item by item, in a loop: what kernels for all layouts do,
// whose accesses are long and whose rows are few.

#include "tenon/backend/cuda/parts/sweep.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The vectors of one item.
template <class Program, int V, int Phase, bool Stores>
using item_loads = needed_loads<Program, V, 1, Phase, Stores>;

// The elements of a list move `By` places towards the first, which become the last.
template <int By, class T, int N> __device__ __forceinline__ void rotate_list(T (&list)[N]) {
  T all[N];
#pragma unroll
  for (int i = 0; i < N; ++i) all[i] = list[i];
#pragma unroll
  for (int i = 0; i < N; ++i) list[i] = all[(i + By) % N];
}
template <class Program, int By, class Running, int... K>
__device__ __forceinline__ void rotate_chains(
    register_file<Running, std::integer_sequence<int, K...>>& states) {
  (rotate_list<By>(read_register<K>(states).at), ...);
}

// The elements that a sweep has taken up by items, `Together` a turn, on their way to the states.
template <class Program, int V, int Items, int Phase, bool Stores, int Dims, int Together>
class turns {
  using running = running_states<Program, V, Items, Phase>;
  using collected = collected_values<Program, V, Items, Phase>;
  static constexpr int batch = running::batch_items;
  selected_registers<Program, collected> values_ = {};
  int live_elements_ = 0;

  static constexpr bool has_batch = has_batches<Program, running>;

  // The values of a batch move towards the first, which become the last.
  __device__ __forceinline__ void rotate_values() {
    for_each_selected<Program, collected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (running::template is_batch<k>)
        rotate_list<V * Together>(read_register<k>(values_).at);
    });
  }
  template <class States> __device__ __forceinline__ void take_batch(States& states) {
    accumulate_batch<Program, V, Items, Phase>(states, values_, live_elements_, unordered_batch{});
    live_elements_ = 0;
  }

 public:
  using loads = needed_loads<Program, V, Together, Phase, Stores>;

  // Those that `positions` begins with, of which the first is number `turn` of its tile, with the
  // bits that process_tile gives. @post every chain of the states has the items that it would have
  // there when a tile is over
  template <class Tile, class States, class Arguments, class Positions>
  __device__ __forceinline__ void process(Tile const& tile, States& states,
                                          frame<Program> const& around, Arguments const& a,
                                          operand_offsets<Program> const& row,
                                          Positions const& positions, int turn,
                                          bool is_row_inside) {
    selected_registers<Program, no_loads> none;
    common_divisors<Program, Phase, Stores> const divisors(around);
#pragma unroll
    for (int w = 0; w < Together; ++w) {
      if (Dims == packed_columns || Together > 1 || positions.is_live(w)) {
        process_item<Phase, Stores, V, Items, Dims, loads, no_loads, no_loads>(
            w, tile, none, none, values_, states, around, divisors, a, row, positions, w,
            is_row_inside);
        live_elements_ += positions.template count<V>(w);
      }
      if constexpr (has_batch)
        if (Together >= batch && (w + 1) % batch == 0) take_batch(states);
    }
    if constexpr (reductions_in<Program, Phase>)
      rotate_chains<Program, Together % running::chains>(states);
    if constexpr (has_batch && Together < batch) {
      rotate_values();
      if ((turn + Together) % batch == 0) take_batch(states);
    }
  }
};

// Evaluates what comes item by item.
template <class Program, class Item> struct item_evaluation {
  Item& item;

  template <int Phase, bool Stores, int From, int To, class Numbers>
  __device__ __forceinline__ void evaluate(Numbers const& numbers, frame<Program> const& f, int,
                                           int i) const {
    keeping_evaluation<Program, Item>{item}.template evaluate<Phase, Stores, From, To>(numbers, f,
                                                                                       0, i);
  }
};

// As process_tile, with the same bits. take(item, u) loads the vectors of item u, and put(item, u)
// has them when they are computed. Items are a loop,
// Pair of them at a time: none is computed by itself, so that they do not wait for each other.
// @pre the items of a pair may be taken if the first one is live
// @post every chain of the states has the items that it would have there
template <int Phase, bool Stores, int V, int Items, int Dims, int Pair, class Program, class Take,
          class Put, class States, class Arguments, class Positions>
__device__ __forceinline__ void process_in_turns(Take const& take, Put const& put, States& states,
                                                 frame<Program> const& around, Arguments const& a,
                                                 operand_offsets<Program> const& row,
                                                 Positions const& positions, bool is_row_inside) {
  using running = running_states<Program, V, Items, Phase>;
  using loads = item_loads<Program, V, Phase, Stores>;
  constexpr bool has_batch = has_batches<Program, running>;
  constexpr int batch = running::batch_items, chains = running::chains,
                pair = has_batch && batch < Pair ? batch : Pair,
                whole = reductions_in<Program, Phase> ? chains : 1;
  // The values of a batch are an array of registers: its items are not a loop.
  constexpr int together = !has_batch ? pair : batch < chains ? chains : batch;
  selected_registers<Program, collected_values<Program, V, Items, Phase>> values = {};
  selected_registers<Program, no_loads> none;
  common_divisors<Program, Phase, Stores> const divisors(around);
#pragma unroll 1
  for (int first = 0; first < Items && (first % whole != 0 || positions.is_live(first));
       first += together) {
    int live_elements = 0;
#pragma unroll
    for (int w = 0; w < together; w += pair) {
      if (positions.is_live(first + w)) {
        selected_registers<Program, loads> items[pair];
#pragma unroll
        for (int i = 0; i < pair; ++i) take(items[i], first + w + i);
#pragma unroll
        for (int i = 0; i < pair; ++i) {
          int const u = first + w + i;
          process_item<Phase, Stores, V, Items, Dims, no_loads, no_loads, loads>(
              w + i, none, none, items[i], values, states, around, divisors, a, row, positions, u,
              is_row_inside,
              item_evaluation<Program, selected_registers<Program, loads>>{items[i]});
          put(items[i], u);
          live_elements += positions.template count<V>(u);
        }
      }
      if (!has_batch || (w + pair) % batch != 0) continue;
      accumulate_batch<Program, V, Items, Phase>(states, values, live_elements, unordered_batch{});
      live_elements = 0;
    }
    if constexpr (reductions_in<Program, Phase>) rotate_chains<Program, together % chains>(states);
  }
}

}  // namespace tenon::detail
#endif
