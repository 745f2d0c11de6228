// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's results over many tiles: the chains of its running states → the state of all tiles.

#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/running_states.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The levels of one reduction above its chains. The chains of a sum are carried over every few
// tiles: its rounding error is that of most_chained additions. What is chosen by value and
// place has no error. Other reductions have three levels: chains take in 16 tiles, a middle state
// 16 of those, an outer state the rest.
enum class chain_levels { none, carried, three };
template <class Op, class State>
inline constexpr chain_levels levels_above =
    ops::rounded_reduction<Op, State>            ? chain_levels::carried
    : std::is_base_of_v<ops::indexed_choice, Op> ? chain_levels::none
                                                 : chain_levels::three;
template <class Op, class State, chain_levels = levels_above<Op, State>> struct levels_of;
template <class Op, class State> struct levels_of<Op, State, chain_levels::none> {
  __device__ __forceinline__ void clear(State const&) {}
  template <class Chains> __device__ __forceinline__ void carry(Chains&, State const&) {}
  template <class Chains> __device__ __forceinline__ void join(Chains&, State const&, unsigned) {}
  template <int N> __device__ __forceinline__ State all(State const (&chains)[N]) const {
    return fold<Op>(chains);
  }
};
template <class Op, class State> struct levels_of<Op, State, chain_levels::carried> {
  State outer;

  __device__ __forceinline__ void clear(State const& identity) { outer = identity; }
  template <int N>
  __device__ __forceinline__ void carry(State (&chains)[N], State const& identity) {
    State recent = fold<Op>(chains);
    carry_over<Op>(outer, recent);
    fill(chains, identity);
    chains[0] = recent;
  }
  template <int N> __device__ __forceinline__ void join(State (&)[N], State const&, unsigned) {}
  template <int N> __device__ __forceinline__ State all(State const (&chains)[N]) const {
    return Op::combine(outer, fold<Op>(chains));
  }
};
template <class Op, class State> struct levels_of<Op, State, chain_levels::three> {
  State outer, middle;

  __device__ __forceinline__ void clear(State const& identity) { outer = middle = identity; }
  template <int N> __device__ __forceinline__ void carry(State (&)[N], State const&) {}
  // After 16 tiles. @pre tiles is a multiple of 16
  template <int N>
  __device__ __forceinline__ void join(State (&chains)[N], State const& identity, unsigned tiles) {
    middle = Op::combine(middle, fold<Op>(chains));
    fill(chains, identity);
    if (tiles % 256 != 0) return;
    outer = Op::combine(outer, middle);
    middle = identity;
  }
  template <int N> __device__ __forceinline__ State all(State const (&chains)[N]) const {
    return Op::combine(Op::combine(outer, middle), fold<Op>(chains));
  }
};

template <class Program, class Running> class cascade {
  template <int K> using facts = reduction_facts<Program, K>;
  struct leveled : Running {
    template <int K> using type = levels_of<typename facts<K>::op, typename facts<K>::state>;
  };
  using sequence = held_sequence<Program, Running>;
  static constexpr int carried_tiles =
      Running::steps_per_tile < most_chained ? most_chained / Running::steps_per_tile : 1;
  register_file<leveled, sequence> levels_;
  unsigned tiles_ = 0;

  template <int... K> __device__ __forceinline__ void clear(std::integer_sequence<int, K...>) {
    (read_register<K>(levels_).clear(facts<K>::identity()), ...);
  }
  template <class States, int... K>
  __device__ __forceinline__ void after_tile(States& states, std::integer_sequence<int, K...>) {
    if (tiles_ % carried_tiles == 0)
      (read_register<K>(levels_).carry(read_register<K>(states).at, facts<K>::identity()), ...);
    if (tiles_ % 16 == 0)
      (read_register<K>(levels_).join(read_register<K>(states).at, facts<K>::identity(), tiles_),
       ...);
  }
  template <class States, int... K>
  __device__ __forceinline__ void finish(registers<Program, place::row>& row, States const& states,
                                         std::integer_sequence<int, K...>) const {
    ((read_register<K>(row) = read_register<K>(levels_).all(read_register<K>(states).at)), ...);
  }

 public:
  __device__ __forceinline__ cascade() { clear(sequence{}); }

  template <class States> __device__ __forceinline__ void after_tile(States& states) {
    ++tiles_;
    after_tile(states, sequence{});
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
    finish(row, states, sequence{});
  }
};

}  // namespace tenon::detail
#endif
