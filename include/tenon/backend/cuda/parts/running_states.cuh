// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's own states of the reductions over the columns, and how they take in its elements.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/chosen_vectors.cuh"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

// Whether a state is several numbers, as the moments are.
template <class Program>
inline constexpr bool has_large_states = [] {
  bool result = false;
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    result = result || std::is_class_v<typename I::value_type>;
  });
  return result;
}();

// A thread's running states. Several, because one chain of dependent additions would wait for
// itself; an operator that reduces many elements better than one after the other gets all of a tile
// at once.
template <class Op, class Operand, int Count>
inline constexpr bool takes_many = requires(Operand const (&x)[Count], int valid) {
  Op::lift_many(x, valid);
};

#if defined(__CUDA_ARCH__)
// Whether reduction K is the sum of a product of each element. It takes in the factors: of two
// products the second is rounded with their sum. H200, sums of squares of 4096 rows of 8192 bf16:
// 18.3 us instead of 19.1. Where columns are reduced as well there are no registers for factors.
template <class Program, int K>
inline constexpr bool sums_products = [] {
  using I = typename program_traits<Program>::template at<K>;
  using element = typename program_traits<Program>::template at<I::first_operand>;
  return std::is_same_v<typename I::op, ops::sum> && I::where == place::row &&
         std::is_same_v<typename element::op, ops::mul> && element::where == place::element &&
         std::is_floating_point_v<typename I::value_type> &&
         !program_traits<Program>::all.has_place(place::column) &&
         std::is_same_v<typename element::value_type, typename I::value_type>;
}();
template <class T> struct factors { T x, y; };
template <class T> inline constexpr bool is_factors = false;
template <class T> inline constexpr bool is_factors<factors<T>> = true;
// What reduction K takes in of an element.
template <class Program, int K>
using taken = std::conditional_t<sums_products<Program, K>,
                                 factors<typename reduction_facts<Program, K>::number>,
                                 typename reduction_facts<Program, K>::operand>;
template <int K, class Program>
__device__ __forceinline__ taken<Program, K> take_of(frame<Program> const& f) {
  using traits = program_traits<Program>;
  constexpr int operand = traits::template at<K>::first_operand;
  if constexpr (sums_products<Program, K>) {
    using product = typename traits::template at<operand>;
    return {value_of<product::first_operand>(f), value_of<product::second_operand>(f)};
  } else {
    return static_cast<taken<Program, K>>(value_of<operand>(f));
  }
}
// What an operator gathers elements in that tells their deviations (ops/moments.hpp), or a state.
template <class Facts> struct gathered_in { using type = typename Facts::state; };
template <class Facts>
requires requires { typename Facts::op::template gathered<typename Facts::number>; }
struct gathered_in<Facts> {
  using type = typename Facts::op::template gathered<typename Facts::number>;
};
template <class Facts> using gathered_state = typename gathered_in<Facts>::type;
template <class State> inline constexpr bool gathers = requires(State const& all) { all.result(); };

template <class Program, int V, int Items, int Phase>
struct running_states : reductions_of<Program, place::row, Phase> {
  static constexpr int width = V;
  static constexpr int chains = Items < 4 ? Items : 4;
  static constexpr int steps_per_tile = (Items + chains - 1) / chains;  // of each chain
  // Items that such an operator gets at once: not more than 32 elements, which are registers; all
  // 64 of half types that a kernel keeps for much arithmetic.
  static constexpr bool is_whole =
      V * Items <= 32 || (V == 8 && Items == 8 && element_operands<Program>::has_much_arithmetic);
  static constexpr int batch_items = is_whole ? Items : V < 32 ? 32 / V : 1;
  template <int K> using facts = reduction_facts<Program, K>;
  template <int K>
  static constexpr bool is_batch =
      takes_many<typename facts<K>::op, typename facts<K>::operand, V * batch_items>;
  template <int K> static constexpr int place = chosen_place<Program, K>;
  template <int K> using type = value_list<typename facts<K>::state, is_batch<K> ? 1 : chains>;
};
// The elements of a batch, or of one vector, that a reduction is to take in.
template <class Program, int V, int Items, int Phase>
struct collected_values : reductions_of<Program, place::row, Phase> {
  using running = running_states<Program, V, Items, Phase>;
  template <int K>
  using type =
      value_list<taken<Program, K>, running::template is_batch<K> ? V * running::batch_items : V>;
};

template <class T, int N, class State>
__device__ __forceinline__ void fill(T (&list)[N], State const& value) {
  for (T& element : list)
    if constexpr (std::is_same_v<T, State>)
      element = value;
    else
      element = {};  // another state on the way, as it is made
}
// Here and in the sweeps the registers of a file are a fold: a function of their own for each, and
// the one that calls them, were 850 of the 2,116 that five expressions have on the device.
template <class Program, class Running, int... K>
__device__ __forceinline__ void reset(
    register_file<Running, std::integer_sequence<int, K...>>& states) {
  (fill(read_register<K>(states).at, reduction_facts<Program, K>::identity()), ...);
}

// Combines neighbours pairwise.
template <class Op, class State, int N>
__device__ __forceinline__ State fold(State const (&states)[N]) {
  if constexpr (N == 1) {
    return states[0];
  } else {
    State half_as_many[(N + 1) / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) half_as_many[i] = Op::combine(states[2 * i], states[2 * i + 1]);
    if constexpr (N % 2 == 1) half_as_many[N / 2] = states[N - 1];
    return fold<Op>(half_as_many);
  }
}

// Combines those that lie half of the list apart, then the halves' results in the same way. With
// the states of vectors so many lanes apart, and of lanes by falling distances after them, it is
// the same tree for any number of lanes.
template <class Op, class State, int N>
__device__ __forceinline__ State fold_apart(State const (&states)[N]) {
  if constexpr (N == 1) {
    return states[0];
  } else {
    static_assert(N % 2 == 0, "chains are a power of two");
    State half_as_many[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) half_as_many[i] = Op::combine(states[i], states[i + N / 2]);
    return fold_apart<Op>(half_as_many);
  }
}

// The state of some elements, of which the first `live` are inside, and the first `sure` certainly.
template <class Op, class State, class Taken, int N>
__device__ __forceinline__ State fold_live(Taken const (&elements)[N], bool is_all, int live,
                                           int sure, State const& identity) {
  if constexpr (is_factors<Taken>) {
    Taken all[N];
#pragma unroll
    for (int i = 0; i < N; ++i) all[i] = elements[i];
    if (!is_all) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (i >= sure && i >= live) all[i] = {};
    }
    State pairs[(N + 1) / 2];
#pragma unroll
    for (int i = 0; i < N; i += 2) {
      pairs[i / 2] = math::rounded_product(all[i].x, all[i].y);
      if (i + 1 < N) pairs[i / 2] = math::product_plus(all[i + 1].x, all[i + 1].y, pairs[i / 2]);
    }
    return fold<Op>(pairs);
  } else {
    State all[N];
#pragma unroll
    for (int i = 0; i < N; ++i) all[i] = Op::lift(elements[i]);
    if (!is_all) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (i >= sure && i >= live) all[i] = identity;
    }
    return fold<Op>(all);
  }
}

// Takes the operands of element i of item u, which lie where its reductions find them.
template <class Program, class Running, class Collected, int... K>
__device__ __forceinline__ void collect_element(
    register_file<Collected, std::integer_sequence<int, K...>>& values, frame<Program> const& f,
    int u, int i) {
  ((read_register<K>(values)
        .at[Running::template is_batch<K> ? u % Running::batch_items * Running::width + i : i] =
        take_of<K>(f)),
   ...);
}

// Takes in the first `count` elements of a vector, but for an operator that wants batches;
// IsRagged: they may be fewer than V, but not none.
template <class Op, bool IsBatch, bool IsRagged, class Running, class Operand, int V, class State>
__device__ __forceinline__ void take_vector(Running& state, Operand const (&values)[V], int count,
                                            State const& identity) {
  if constexpr (!IsBatch) {
    bool const is_whole = !IsRagged || count >= V || count <= 0;
    State next = Op::combine(state, fold_live<Op, State>(values, is_whole, count, 1, identity));
    if (count > 0) state = next;
  }
}
// The same of the vector just collected.
template <class Program, bool IsRagged, class Running, class Values, int... K>
__device__ __forceinline__ void accumulate_item(
    register_file<Running, std::integer_sequence<int, K...>>& states, Values const& values, int u,
    int count) {
  (take_vector<typename reduction_facts<Program, K>::op, Running::template is_batch<K>, IsRagged>(
       read_register<K>(states).at[Running::template is_batch<K> ? 0 : u % Running::chains],
       read_register<K>(values).at, count, reduction_facts<Program, K>::identity()),
   ...);
}
// Where the elements of a batch are: not known to be in any order.
struct unordered_batch {};

// Whether some reduction takes in many elements at once.
template <class Program, class Running>
inline constexpr bool has_batches = []<int... K>(std::integer_sequence<int, K...>) {
  return (false || ... || Running::template is_batch<K>);
}
(held_sequence<Program, Running>{});

// Takes in all elements, or the first `valid`, which are a multiple of Step.
template <class Op, int Step, class State, class Operand, int Count>
__device__ __forceinline__ void take_elements(State& state, Operand const (&x)[Count], bool is_all,
                                              int valid) {
  if constexpr (!requires { Op::template take_many<Step>(state, x, valid); })
    state = Op::combine(state, is_all ? Op::lift_all(x) : Op::template lift_some<Step>(x, valid));
  else if (is_all)
    Op::template take_many<0>(state, x, valid);
  else
    Op::template take_many<Step>(state, x, valid);
}
// A batch's part in the state of reduction K. @pre the first `valid` elements are live
template <class Program, int K, int Count, class State, class Operand>
__device__ __forceinline__ void take_batch(State& state, Operand const (&all)[Count], int valid,
                                           unordered_batch) {
  using op = typename reduction_facts<Program, K>::op;
  if constexpr (requires { op::lift_all(all); })
    take_elements<op, 1>(state, all, valid >= Count, valid);
  else
    state = op::combine(state, op::lift_many(all, valid));
}
// The same of vectors that are live or not. The lanes of a warp go the same way, or it would go
// both. H200, layer norm of 1000 x 1000 f32 4.20 us (4.37), bf16 3.25 (3.46), of 264 x 3000 bf16
// 3.38 (3.50).
template <class Program, int K, class Order, int Count, class State, class Operand>
__device__ __forceinline__ void take_vectors(State& state, Operand const (&all)[Count], int valid) {
  using op = typename reduction_facts<Program, K>::op;
  if constexpr (requires { op::lift_all(all); })
    take_elements<op, Order::width>(
        state, all, Order::is_whole || __all_sync(__activemask(), valid >= Count), valid);
  else
    take_batch<Program, K>(state, all, valid, unordered_batch{});
}
template <class Program, int K, int Count, class State, class Operand, class Order>
requires(State::takes_numbers) __device__ __forceinline__
    void take_batch(State& state, Operand const (&all)[Count], int valid, Order const& order) {
  if (valid == 0) return;
  typename State::number numbers[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) numbers[i] = all[i].number;
  state.take(numbers, valid, order);
}
template <class Program, int K, int Count, class State, class Operand, class Order>
__device__ __forceinline__ void take_batch(State& state, Operand const (&all)[Count], int valid,
                                           Order const& order) {
  if constexpr (chosen_place<Program, K> >= 0) {
    using op = typename reduction_facts<Program, K>::op;
    ops::chosen_vector<op, typename reduction_facts<Program, K>::number, Order::width,
                       decltype(order(0))>
        best;
    best.best = state.number;
    take_batch<Program, K>(best, all, valid, order);
    if (best.at == best.nowhere) return;
    state = op::combine(state, best.state([&](auto vector, int i) {
      return order.places.template of<K>(vector, i);
    }));
  } else {
    take_vectors<Program, K, Order>(state, all, valid);
  }
}
// Takes in a batch for the operators that want it so. @pre the first `valid` elements are live
// Selected: some of these.
template <class Program, int V, int Items, int Phase,
          class Selected = running_states<Program, V, Items, Phase>, class States, class Values,
          class Order>
__device__ __forceinline__ void accumulate_batch(States& states, Values const& values, int valid,
                                                 Order const& order) {
  using running = running_states<Program, V, Items, Phase>;
  if constexpr (has_batches<Program, running>)
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (running::template is_batch<k>)
        take_batch<Program, k>(read_register<k>(states).at[0], read_register<k>(values).at, valid,
                               order);
    });
}
#endif

}  // namespace tenon::detail
