// SPDX-License-Identifier: Apache-2.0
#pragma once
// One tile of columns through the program: elements are evaluated, reductions take them in, element
// stores are written.

#include "tenon/backend/cuda/reduce.cuh"

namespace tenon::detail {

// A selection of no loads.
struct no_loads {
  template <int K> static constexpr bool holds = false;
  template <int K> using type = void;
};

// Positions of a thread's items in a tile: first, first + step, ... below `end`.
template <class Index> struct item_positions {
  Index first, step, end;
  __device__ __forceinline__ Index at(int u) const { return first + static_cast<Index>(u) * step; }
  __device__ __forceinline__ bool is_live(int u) const { return at(u) < end; }
};

template <class Program, class Selected, int V, int Items, int Dims, bool IsStreamed, class Tile,
          class Arguments, class Index>
__device__ __forceinline__ void load_tile(Tile& tile, Arguments const& a,
                                          operand_offsets<Program> const& row,
                                          item_positions<Index> const& positions,
                                          bool is_row_inside) {
#pragma unroll
  for (int u = 0; u < Items; ++u)
    load_item<Program, Selected, V, Dims, IsStreamed>(tile, u, a, row, positions.at(u),
                                                      positions.is_live(u), is_row_inside);
  settle_items<Program, Selected, V, Items, Dims>(tile, a);
}

// Evaluates a loaded tile for the reductions of phase Phase and, if Stores, writes the element
// stores. Loads in Late are made here, item by item.
// @pre the registers around the elements are valid up to phase Phase - 1
// @post states of dead vectors are unchanged; nothing is written for them, or outside the rows
template <int Phase, bool Stores, int V, int Items, int Dims, class Tile_loads, class Late,
          class Program, class Tile, class States, class Arguments, class Index>
__device__ __forceinline__ void process_tile(Tile const& tile, States& states,
                                             frame<Program> const& around, Arguments const& a,
                                             operand_offsets<Program> const& row,
                                             item_positions<Index> const& positions,
                                             bool is_row_inside) {
  using running = running_states<Program, V, Items, Phase>;
  using collected = collected_values<Program, V, Items, Phase>;
  using stored = element_stores<Program, V>;
  selected_registers<Program, collected> values;
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    selected_registers<Program, Late> late;
    load_item<Program, Late, V, Dims, false>(late, 0, a, row, positions.at(u), positions.is_live(u),
                                             is_row_inside);
    settle_items<Program, Late, V, 1, Dims>(late, a);
    selected_registers<Program, stored> results;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> f{around.launch, around.row, element, around.total};
      take_element<Program, Tile_loads>(element, tile, u, i);
      take_element<Program, Late>(element, late, 0, i);
      evaluate_element<Phase, Stores>(f);
      for_each_selected<Program, collected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        read_register<k>(values).at[running::template is_batch<k> ? u * V + i : i] =
            static_cast<typename facts::number>(value_of<facts::instruction::first_operand>(f));
      });
      if constexpr (Stores)
        for_each_selected<Program, stored>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          read_register<k>(results).at[i] =
              value_of<program_traits<Program>::template at<k>::first_operand>(f);
        });
    }
    accumulate_item<Program, V, Items, Phase>(states, values, u, positions.is_live(u));
    if constexpr (Stores)
      if (positions.is_live(u) && is_row_inside)
        store_item<Program, V, Dims>(results, a, row, positions.at(u));
  }
  int live_items = 0;
#pragma unroll
  for (int u = 0; u < Items; ++u) live_items += positions.is_live(u);
  accumulate_tile<Program, V, Items, Phase>(states, values, live_items * V);
}

// A thread's results over many tiles, in three levels: chains take in 16 tiles, a middle state 16
// of those, an outer state the rest. The rounding error of a sum then grows with 16 + 16 + tiles /
// 256 additions rather than with the number of tiles.
template <class Program, class Running> class cascade {
  struct one_each : Running {
    template <int K> using type = typename reduction_facts<Program, K>::state;
  };
  selected_registers<Program, one_each> middle_, outer_;
  unsigned tiles_ = 0;

  __device__ __forceinline__ static void clear(selected_registers<Program, one_each>& level) {
    for_each_selected<Program, Running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(level) = reduction_facts<Program, k>::identity();
    });
  }

 public:
  __device__ __forceinline__ cascade() { clear(middle_), clear(outer_); }

  template <class States> __device__ __forceinline__ void after_tile(States& states) {
    if (++tiles_ % 16 != 0) return;
    for_each_selected<Program, Running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      read_register<k>(middle_) =
          op::combine(read_register<k>(middle_), fold<op>(read_register<k>(states).at));
    });
    reset<Program, Running>(states);
    if (tiles_ % 256 != 0) return;
    for_each_selected<Program, Running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      read_register<k>(outer_) =
          op::combine(read_register<k>(outer_), read_register<k>(middle_));
    });
    clear(middle_);
  }

  // All levels and the chains, into the thread's row registers.
  template <class States>
  __device__ __forceinline__ void finish(registers<Program, place::row>& row,
                                         States const& states) const {
    for_each_selected<Program, Running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      read_register<k>(row) =
          op::combine(op::combine(read_register<k>(outer_), read_register<k>(middle_)),
                      fold<op>(read_register<k>(states).at));
    });
  }
};

// Combines a thread's chains into its row registers.
template <class Program, class Running, class States>
__device__ __forceinline__ void join_chains(registers<Program, place::row>& row,
                                            States const& states) {
  for_each_selected<Program, Running>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(row) =
        fold<typename reduction_facts<Program, k>::op>(read_register<k>(states).at);
  });
}

}  // namespace tenon::detail
