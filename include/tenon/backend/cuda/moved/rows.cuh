// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of a warp or less through a program that finds where their elements lie: each thread has one
// vector of its row, or one of either half, and the lanes of a row combine what they have of its
// reductions.

#include "tenon/backend/cuda/moved/worker.cuh"
#include "tenon/backend/cuda/parts/sweep.cuh"

namespace tenon::detail {

// The sums that the ordered skeleton makes: four neighbours one after the other, and a tree of
// neighbours above them. The bits are the same whether vectors are whole or not.
inline constexpr int moved_chain = 4;

#if defined(__CUDA_ARCH__)
// What is computed of a row in one phase; its numbers are found with the places of its elements.
template <class Program, int Phase> struct moved_row_steps {
  static consteval bool holds(int k) {
    return computed_at<Program, place::row, Phase, Phase>::holds(k) &&
           moved_values<Program>::all.kinds[k] != moved_kind::number;
  }
};
template <class Program> struct moved_row_numbers {
  template <int K>
  static constexpr bool holds =
      program_traits<Program>::template at<K>::where ==
      place::row&& moved_values<Program>::template kind<K> == moved_kind::number;
};

// A thread's own states, of V elements of each half.
template <class Program, int Phase, int V>
struct moved_row_states : reductions_of<Program, place::row, Phase> {
  template <int K> struct chains {
    typename reduction_facts<Program, K>::state at[half_values<Program>::parts][V / moved_chain];
  };
  template <int K> using type = chains<K>;
};

// The state of each lane → that of `lanes` neighbours in all of them, or of those of which `from`
// have theirs already.
template <class Op, class State>
__device__ __forceinline__ State combine_neighbours(State state, int lanes, int from = 1) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    state_words<State> other(state);
#pragma unroll
    for (int w = 0; w < state_words<State>::count; ++w)
      other.words[w] = __shfl_xor_sync(~0u, other.words[w], distance);
    bool const is_later = (threadIdx.x & static_cast<unsigned>(distance)) != 0;
    State const theirs = other.state(),
                both = is_later ? Op::combine(theirs, state) : Op::combine(state, theirs);
    if (distance >= from && distance < lanes) state = both;
  }
  return state;
}

template <class Program, int V> struct moved_row_worker : moved_worker<Program, V> {
  using traits = program_traits<Program>;
  using row_values = moved_row_values<Program>;
  using halves = half_values<Program>;
  template <int K> using at = typename traits::template at<K>;
  using moved_worker<Program, V>::moved_worker;
  using moved_worker<Program, V>::a;
  using moved_worker<Program, V>::around;
  using moved_worker<Program, V>::positions;
  using moved_worker<Program, V>::cursors;

  // @pre all lanes of a warp call it
  __device__ __forceinline__ void finish() {
    this->find();
    await_operands<Program>();
    moved_item<Program, V> reads;
    this->fill_all(reads);
#pragma unroll 1
    for (int item = 0; item < a.items; ++item) {
      this->read_all(reads, item == 0);
      this->template advance<true>();
      if (item + 1 < a.items) this->ask();
      begin_row();
      reduce_all(reads, std::make_integer_sequence<int, traits::row_phases>{});
      this->store_all_of(reads);
      store_row();
      this->template advance<false>();
    }
  }

 private:
  __device__ __forceinline__ void begin_row() const {
    for_each_selected<Program, row_values>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = at<k>;
      if constexpr (I::is_load) {
        packed<storage_t<I::type>, 1> one;
        load_packed<reuse::expected>(
            one, reinterpret_cast<storage_t<I::type> const*>(read_register<k>(cursors).at));
        read_register<k>(around.row) = static_cast<typename I::value_type>(element_of(one, 0));
      }
    });
    for_each_selected<Program, moved_row_numbers<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(around.row) =
          static_cast<typename at<k>::value_type>(read_register<k>(positions));
    });
    compute_row<0>();
  }
  template <int Phase> __device__ __forceinline__ void compute_row() const {
    compute(around, held_sequence<Program, moved_row_steps<Program, Phase>>{});
  }
  template <class Reads, int... Phase>
  __device__ __forceinline__ void reduce_all(Reads const& reads,
                                             std::integer_sequence<int, Phase...>) const {
    (reduce<Phase + 1>(reads), ...);
  }
  template <int Phase>
  using own_states = selected_registers<Program, moved_row_states<Program, Phase, V>>;
  template <int Phase, class Reads>
  __device__ __forceinline__ void reduce(Reads const& reads) const {
    if constexpr (traits::stores_parts)
      reduce_neighbours<Phase>(reads);
    else
      reduce_apart<Phase>(reads);
    compute_row<Phase>();
  }
  // In the order of the ordered skeleton.
  template <int Phase, class Reads>
  __device__ __forceinline__ void reduce_neighbours(Reads const& reads) const {
    using reductions = reductions_of<Program, place::row, Phase>;
    own_states<Phase> states;
    this->for_each_part([&](auto part) { take_in<decltype(part)::value>(states, reads); });
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      read_register<k>(around.row) = combine_row<op>(read_register<k>(states).at);
    });
  }
  // In the order of the rows skeleton, whose thread would have the same two vectors.
  template <int Phase, class Reads>
  __device__ __forceinline__ void reduce_apart(Reads const& reads) const {
    using running = running_states<Program, V, halves::parts, Phase>;
    selected_registers<Program, running> states;
    selected_registers<Program, collected_values<Program, V, halves::parts, Phase>> values;
    reset<Program, running>(states);
    this->for_each_part([&](auto part) {
      constexpr int u = static_cast<int>(decltype(part)::value);
#pragma unroll
      for (int i = 0; i < V; ++i) {
        registers<Program, place::element> element;
        frame<Program> const f{around.launch, around.row, element, around.total};
        this->template evaluate_at<decltype(part)::value, Phase, false>(f, reads, i);
        collect_element<Program, running>(values, f, u, i);
      }
      accumulate_item<Program, false>(states, values, u, V);
    });
    join_chains<Program, running>(around.row, states);
    for_each_selected<Program, reductions_of<Program, place::row, Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& state = read_register<k>(around.row);
      state = combine_lanes<typename reduction_facts<Program, k>::op, 32>(state, a.lanes);
    });
  }
  template <moved_part Part, int Phase>
  __device__ __forceinline__ void take_in(own_states<Phase>& states,
                                          moved_item<Program, V> const& reads) const {
    constexpr int part = static_cast<int>(Part);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> const f{around.launch, around.row, element, around.total};
      this->template evaluate_at<Part, Phase, false>(f, reads, i);
      for_each_selected<Program, reductions_of<Program, place::row, Phase>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        auto& state = read_register<k>(states).at[part][i / moved_chain];
        if (i % moved_chain == 0) state = facts::identity();
        state = facts::op::combine(state, facts::op::lift(static_cast<typename facts::operand>(
                                              value_of<facts::instruction::first_operand>(f))));
      });
    }
  }
  // The lanes of either half have neighbouring elements; so has, of the first half and the second,
  // every row that is longer than the halved axis.
  template <class Op, class State, int Parts, int Chains>
  __device__ __forceinline__ State combine_row(State const (&states)[Parts][Chains]) const {
    if constexpr (Parts == 1) {
      return combine_neighbours<Op>(joined<Op>(states[0]), a.lanes);
    } else {
      State const first = combine_neighbours<Op>(joined<Op>(states[0]), a.half_lanes),
                  second = combine_neighbours<Op>(joined<Op>(states[1]), a.half_lanes),
                  both = Op::combine(first, second);
      if (a.half_lanes == a.lanes) return both;
      return combine_neighbours<Op>(both, a.lanes, a.half_lanes);
    }
  }
  template <class Op, class State, int Chains>
  static __device__ __forceinline__ State joined(State const (&chains)[Chains]) {
    if constexpr (Chains == 1)
      return chains[0];
    else
      return Op::combine(chains[0], chains[1]);
  }
  // One lane writes what a row has.
  __device__ __forceinline__ void store_row() const {
    for_each_selected<Program, row_values>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = at<k>;
      if constexpr (I::is_store) {
        using T = storage_t<I::type>;
        moved_cursor const& to = read_register<k>(cursors);
        bool const is_writer = (threadIdx.x & static_cast<unsigned>(a.lanes - 1)) == 0;
        if (to.is_wanted && is_writer)
          *reinterpret_cast<T*>(to.at) = to_storage<T>(value_of<I::first_operand>(around));
      }
    });
  }
};
#endif

}  // namespace tenon::detail

namespace tenon {

// Owners: `lanes` neighbouring threads share a row, of which each has one vector, or one of either
// half of an axis between whose halves elements are exchanged; or as many rows as `items`,
// neighbours along their outermost axis. Registers: one vector of each operand, as it lies in
// memory. Global memory: what is fetched is read by aligned vectors, once; what another thread of
// the row reads too comes from the cache; every store is one access.
// @pre vector_facts has found the vectors to be whole; lanes is a power of two, at most 32
// @post every store is written once per position; the bits are those of the ordered skeleton where
// parts are stored, else those of the rows skeleton
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    moved_rows_kernel(const __grid_constant__ detail::moved_arguments<Program> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> none;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, none, total};
  start_early(f, a);
  unsigned const thread = blockIdx.x * static_cast<unsigned>(C::threads_per_block) + threadIdx.x;
  // The rest of the last warp has shuffles to take part in.
  bool const is_inside = thread < a.threads;
  moved_row_worker<Program, C::vector_width>(a, f, is_inside ? thread : 0, is_inside).finish();
  if constexpr (has_selected<Program, stored_at<Program, place::launch>>)
    if (thread == 0) await_operands<Program>(), store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
