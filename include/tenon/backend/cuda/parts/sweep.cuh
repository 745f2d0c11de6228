// SPDX-License-Identifier: Apache-2.0
#pragma once
// One tile of columns through the program: elements are evaluated, reductions take them in, element
// stores are written.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/drawn_vectors.cuh"
#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/running_states.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// A selection of no loads.
struct no_loads {
  static consteval bool holds(int) { return false; }
  template <int K> using type = void;
};

// Whether reductions over the columns end phase Phase.
template <class Program, int Phase>
inline constexpr bool reductions_in =
    has_selected<Program, reductions_of<Program, place::row, Phase>>;

// How element i of item u of a tile is evaluated that has all that it loads.
struct plain_evaluation {
  template <int Phase, bool Stores, class Numbers, class Program>
  __device__ __forceinline__ void operator()(Numbers const& numbers, frame<Program> const& f, int,
                                             int i) const {
    numbers.evaluate(f, i);
  }
};

// Evaluates the item in place u of a tile, which is item `position` of it. `late` holds its loads
// in Late.
template <int Phase, bool Stores, int V, int Items, int Dims, class Tile_loads, class Fixed,
          class Late, class Program, class Tile, class Fixed_tile, class Late_tile, class Values,
          class States, class Arguments, class Positions, class Evaluation = plain_evaluation>
__device__ __forceinline__ void process_item(int u, Tile const& tile, Fixed_tile const& fixed,
                                             Late_tile const& late, Values& values, States& states,
                                             frame<Program> const& around, Arguments const& a,
                                             operand_offsets<Program> const& row,
                                             Positions const& positions, int position,
                                             bool is_row_inside,
                                             Evaluation const& evaluation = {}) {
  using running = running_states<Program, V, Items, Phase>;
  using collected = collected_values<Program, V, Items, Phase>;
  using stored = element_stores<Program, V>;
  selected_registers<Program, stored> results;
  int const count = positions.template count<V>(position);
  long long const column = static_cast<long long>(positions.at(position)) * V;
  using where = needed_positions<Program, Phase, Stores>;
  vector_positions<Program, where, V, Dims> here;
  drawn_vector<Program, Phase, Stores, V> numbers;
  // Most programs have no positions, and then nothing is compiled for them.
  if constexpr (has_selected<Program, where>) {
    here.find(a, row, count > 0 ? column : 0);
    numbers.draw(
        around, [&](auto k) { return here.template is_run<decltype(k)::value>(a); },
        [&](auto k, int i) {
          return here.template at<decltype(k)::value>(a, row, column, i < count ? i : 0);
        });
  }
#pragma unroll
  for (int i = 0; i < V; ++i) {
    registers<Program, place::element> element;
    frame<Program> f{around.launch, around.row, element, around.total};
    if constexpr (has_selected<Program, Tile_loads>)
      take_element<Program, Tile_loads>(element, tile, u, i);
    if constexpr (has_selected<Program, Fixed>) take_element<Program, Fixed>(element, fixed, u, i);
    if constexpr (has_selected<Program, Late>) take_element<Program, Late>(element, late, 0, i);
    if constexpr (has_selected<Program, where>)
      here.take(element, a, row, column, i, is_row_inside && i < count);
    evaluation.template operator()<Phase, Stores>(numbers, f, u, i);
    for_each_selected<Program, collected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      constexpr bool is_batch = running::template is_batch<k>;
      read_register<k>(values).at[is_batch ? u % running::batch_items * V + i : i] =
          static_cast<typename facts::operand>(value_of<facts::instruction::first_operand>(f));
    });
    if constexpr (Stores)
      for_each_selected<Program, stored>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(results).at[i] =
            value_of<program_traits<Program>::template at<k>::first_operand>(f);
      });
  }
  if constexpr (reductions_in<Program, Phase>)
    accumulate_item<Program, V, Items, Phase, (Dims > 1)>(states, values, u, count);
  if constexpr (Stores)
    store_item<Program, V, Dims>(results, around, a, row, positions, position,
                                 is_row_inside ? count : 0);
}

// The positions of a batch of items, the first of which is item `first_item`, in columns of one
// dimension: they ascend with the ordinal of an element.
template <class Program, int V, class Arguments, class Positions> struct ordered_batch {
  Arguments const& a;
  operand_offsets<Program> const& row;
  Positions const& positions;
  int first_item;

  template <int K> __device__ __forceinline__ long long at(int ordinal) const {
    using I = typename program_traits<Program>::template at<K>;
    long long const column =
        static_cast<long long>(positions.at(first_item + ordinal / V)) * V + ordinal % V;
    long long const from_row = I::varies_over_rows ? row.loads[I::bits] : 0;
    return position_of<Program, K>(a, from_row + column * a.load_columns[I::bits][0], true);
  }
};

// Evaluates a loaded tile for the reductions of phase Phase and, if Stores, writes the element
// stores. Loads in Fixed were made before the first row, those in Late are made here, item by item.
// @pre the registers around the elements are valid up to phase Phase - 1
// @post states of dead elements are unchanged; nothing is written for them, or outside the rows
template <int Phase, bool Stores, int V, int Items, int Dims, class Tile_loads, class Fixed,
          class Late, class Program, class Tile, class Fixed_tile, class States, class Arguments,
          class Positions, class Evaluation = plain_evaluation>
__device__ __forceinline__ void process_tile(Tile& tile, Fixed_tile& fixed, States& states,
                                             frame<Program> const& around, Arguments const& a,
                                             operand_offsets<Program> const& row,
                                             Positions const& positions, bool is_row_inside,
                                             Evaluation const& evaluation = {}) {
  selected_registers<Program, collected_values<Program, V, Items, Phase>> values = {};
  auto request = [&](auto& late, int u) {
    // What is stored of dead elements is nothing. Where little is computed ptxas 13.0 asks for all
    // items at once as soon as it may, for which there are no registers.
    constexpr bool clears =
        !Stores || reductions_in<Program, Phase> || !element_operands<Program>::has_much_arithmetic;
    load_tile<Program, Late, V, 1, Dims, false, clears>(late, a, row, positions.from(u),
                                                        is_row_inside);
  };
  auto process = [&](int u, int position, auto const& late) {
    process_item<Phase, Stores, V, Items, Dims, Tile_loads, Fixed, Late>(
        u, tile, fixed, late, values, states, around, a, row, positions, position, is_row_inside,
        evaluation);
  };
  // General loads and stores are long: one loop over the items instead of all of them at once.
  if constexpr (Stores && !reductions_in<Program, Phase> && Dims > packed_columns) {
    // Of many items a few at a time, or finding the first ones would take more than they do;
    // positions leave no registers for that.
    constexpr int together = Items <= 4 || program_traits<Program>::has_positions ? 1 : 4;
    selected_registers<Program, Late> late;
#pragma unroll 1
    for (int u = 0; u < Items && positions.is_live(u); u += together) {
#pragma unroll
      for (int w = 0; w < together; ++w) {
        if (w > 0 && !positions.is_live(u + w)) break;
        request(late, u + w);
        process(w, u + w, late);
      }
      rotate<Program, Tile_loads, together>(tile);
    }
  } else {
    // The loads of the next item are under way while the present one is computed.
    selected_registers<Program, Late> late[2];
    request(late[0], 0);
    constexpr int batch_items = running_states<Program, V, Items, Phase>::batch_items;
    int live_elements = 0;
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      if (u + 1 < Items) request(late[(u + 1) % 2], u + 1);
      // A kernel of any length has items that no thread of a warp has elements of.
      if (Dims == packed_columns || positions.is_live(u)) process(u, u, late[u % 2]);
      live_elements += positions.template count<V>(u);
      if ((u + 1) % batch_items != 0) continue;
      if constexpr (Dims == 1)
        accumulate_batch<Program, V, Items, Phase>(states, values, live_elements,
                                                   ordered_batch<Program, V, Arguments, Positions>{
                                                       a, row, positions, u + 1 - batch_items});
      else
        accumulate_batch<Program, V, Items, Phase>(states, values, live_elements,
                                                   unordered_batch{});
      live_elements = 0;
    }
  }
}

// A thread's results over many tiles. The chains of a sum are carried over every few tiles: its
// rounding error is that of most_chained additions. Other reductions have three levels: chains take
// in 16 tiles, a middle state 16 of those, an outer state the rest.
template <class Program, class Running> class cascade {
  struct carried : Running {
    static consteval bool holds(int k) { return carried_reductions<Program, Running>::holds(k); }
  };
  struct others : Running {
    static consteval bool holds(int k) { return Running::holds(k) && !carried::holds(k); }
  };
  struct outer : Running {
    template <int K> using type = typename reduction_facts<Program, K>::state;
  };
  struct middle : others {
    template <int K> using type = typename reduction_facts<Program, K>::state;
  };
  static constexpr int carried_tiles =
      Running::steps_per_tile < most_chained ? most_chained / Running::steps_per_tile : 1;
  selected_registers<Program, outer> outer_;
  selected_registers<Program, middle> middle_;
  unsigned tiles_ = 0;

  template <class Level, class States> __device__ __forceinline__ static void clear(States& level) {
    for_each_selected<Program, Level>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(level) = reduction_facts<Program, k>::identity();
    });
  }

 public:
  __device__ __forceinline__ cascade() { clear<outer>(outer_), clear<middle>(middle_); }

  template <class States> __device__ __forceinline__ void after_tile(States& states) {
    ++tiles_;
    if (tiles_ % carried_tiles == 0)
      for_each_selected<Program, carried>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        auto& chains = read_register<k>(states).at;
        auto recent = fold<typename facts::op>(chains);
        carry_over<typename facts::op>(read_register<k>(outer_), recent);
        for (auto& chain : chains) chain = facts::identity();
        chains[0] = recent;
      });
    if (tiles_ % 16 != 0) return;
    for_each_selected<Program, others>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      read_register<k>(middle_) =
          op::combine(read_register<k>(middle_), fold<op>(read_register<k>(states).at));
    });
    reset<Program, others>(states);
    if (tiles_ % 256 != 0) return;
    for_each_selected<Program, others>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      read_register<k>(outer_) = op::combine(read_register<k>(outer_), read_register<k>(middle_));
    });
    clear<middle>(middle_);
  }

  // The same for several that take in their tiles together: most times one branch for all.
  template <int N, class States>
  static __device__ __forceinline__ void after_tiles(cascade (&all)[N], States (&states)[N]) {
    unsigned const before = all[0].tiles_, tiles = before + 1;
    all[0].tiles_ = tiles;
    if (tiles % carried_tiles != 0 && tiles % 16 != 0) return;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      all[i].tiles_ = before;
      all[i].after_tile(states[i]);
    }
  }

  // All levels and the chains, into the thread's row registers.
  template <class States>
  __device__ __forceinline__ void finish(registers<Program, place::row>& row,
                                         States const& states) const {
    for_each_selected<Program, Running>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      auto whole = read_register<k>(outer_);
      if constexpr (others::holds(k)) whole = op::combine(whole, read_register<k>(middle_));
      read_register<k>(row) = op::combine(whole, fold<op>(read_register<k>(states).at));
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
#endif
