// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reductions of one place and phase → their running states, in one or several lanes, and what
// is done with them.

#include "tenon/program/visit.hpp"

namespace tenon::cpu_backend {

// For the reductions of all phases.
inline constexpr int any_phase = -1;

// The reductions that end in phase Phase.
template <class Program, place Where, int Phase> struct ending_here {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_reduction && i.where == Where && (Phase == any_phase || i.phase == Phase);
  }
};

// Calls visit(integral_constant<int, K>) for these reductions.
template <class Program, place Where, int Phase, class Visit>
void for_each_reduction(Visit const& visit) {
  visit_selected<Program, ending_here<Program, Where, Phase>>(visit);
}

template <int K, class State, int Lanes> struct lanes_of { State lanes[Lanes]; };
template <class Program, int Lanes, class Sequence> struct states_file;
template <class Program, int Lanes, int... K>
struct states_file<Program, Lanes, std::integer_sequence<int, K...>>
    : lanes_of<K, typename program_traits<Program>::template at<K>::value_type, Lanes>... {
  static constexpr bool is_empty = sizeof...(K) == 0;
};

// Lanes independent states of each reduction. Lanes are arrays, one per reduction: what a
// vectoriser understands.
template <class Program, place Where, int Phase, int Lanes = 1>
struct reduction_states
    : states_file<Program, Lanes,
                  tenon::detail::held_sequence<Program, ending_here<Program, Where, Phase>>> {};

template <int K, class State, int Lanes> State* lanes(lanes_of<K, State, Lanes>& s) {
  return s.lanes;
}
template <int K, class State, int Lanes> State const* lanes(lanes_of<K, State, Lanes> const& s) {
  return s.lanes;
}

template <class Program, place Where, int Phase, int Lanes>
void set_identity(reduction_states<Program, Where, Phase, Lanes>& states) {
  for_each_reduction<Program, Where, Phase>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    for (int lane = 0; lane < Lanes; ++lane)
      lanes<k>(states)[lane] = I::op::template identity<arithmetic_t<I::type>>();
  });
}

template <class I, class State, class... Values>
State accumulated(State const& state, Values... values) {
  if constexpr (requires { I::op::accumulate(state, values...); })
    return I::op::accumulate(state, values...);
  else
    return I::op::combine(state, I::op::lift(values...));
}
// A state is reduced as it is.
template <class T, class Value> auto as_element(Value const& value) {
  if constexpr (std::is_arithmetic_v<Value>)
    return static_cast<T>(value);
  else
    return value;
}
template <int K, class Program, class State, int... Operands>
void accumulate_operands(frame<Program> const& f, State& state,
                         std::integer_sequence<int, Operands...>) {
  using I = typename program_traits<Program>::template at<K>;
  state = accumulated<I>(state, as_element<arithmetic_t<I::type>>(value_of<Operands>(f))...);
}

// Adds the values of a frame to one lane of every reduction.
template <class Program, place Where, int Phase, int Lanes>
void accumulate(frame<Program> const& f, reduction_states<Program, Where, Phase, Lanes>& states,
                int lane) {
  for_each_reduction<Program, Where, Phase>([&](auto index) {
    constexpr int k = decltype(index)::value;
    accumulate_operands<k>(f, lanes<k>(states)[lane],
                           typename program_traits<Program>::template at<k>::operands{});
  });
}

// Calls visit(index, lanes, identity) for the reductions that round with every term.
template <class Program, place Where, int Phase, int Lanes, class Visit>
void for_each_rounded_sum(reduction_states<Program, Where, Phase, Lanes>& states,
                          Visit const& visit) {
  for_each_reduction<Program, Where, Phase>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (ops::rounded_reduction<typename I::op, typename I::value_type>)
      visit(index, lanes<k>(states), I::op::template identity<arithmetic_t<I::type>>());
  });
}

// What has taken in several terms goes up a level, lane by lane, where rounding adds up.
template <class Program, place Where, int Phase, int Lanes>
void raise_sums(reduction_states<Program, Where, Phase, Lanes>& terms,
                reduction_states<Program, Where, Phase, Lanes>& sums) {
  for_each_rounded_sum(sums, [&](auto index, auto* above, auto const& identity) {
    using op = typename program_traits<Program>::template at<decltype(index)::value>::op;
    auto* here = lanes<decltype(index)::value>(terms);
    for (int lane = 0; lane < Lanes; ++lane) {
      above[lane] = op::combine(above[lane], here[lane]);
      here[lane] = identity;
    }
  });
}
// @post the terms have everything
template <class Program, place Where, int Phase, int Lanes>
void finish_sums(reduction_states<Program, Where, Phase, Lanes>& terms,
                 reduction_states<Program, Where, Phase, Lanes>& sums) {
  for_each_rounded_sum(sums, [&](auto index, auto* above, auto const&) {
    using op = typename program_traits<Program>::template at<decltype(index)::value>::op;
    auto* here = lanes<decltype(index)::value>(terms);
    for (int lane = 0; lane < Lanes; ++lane) here[lane] = op::combine(above[lane], here[lane]);
  });
}

// Combines the first `used` lanes in a tree that depends on `used` alone: an unused lane costs
// nothing.
template <class Program, place Where, int Phase, int Lanes>
void combine_lanes(reduction_states<Program, Where, Phase, Lanes>& states, int used,
                   reduction_states<Program, Where, Phase>& result) {
  for_each_reduction<Program, Where, Phase>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using op = typename program_traits<Program>::template at<k>::op;
    auto* state = lanes<k>(states);
    for (int step = 1; step < used; step *= 2)
      for (int lane = 0; lane + step < used; lane += 2 * step)
        state[lane] = op::combine(state[lane], state[lane + step]);
    lanes<k>(result)[0] = state[0];
  });
}

// Combines two neighbours, every reduction by its own operator.
struct combine_states {
  template <class Program, place Where, int Phase>
  reduction_states<Program, Where, Phase> operator()(
      reduction_states<Program, Where, Phase> earlier,
      reduction_states<Program, Where, Phase> const& later) const {
    for_each_reduction<Program, Where, Phase>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using op = typename program_traits<Program>::template at<k>::op;
      lanes<k>(earlier)[0] = op::combine(lanes<k>(earlier)[0], lanes<k>(later)[0]);
    });
    return earlier;
  }
};

// Moves the results into the registers in which later instructions read them.
template <class Program, place Where, int Phase>
void finish(reduction_states<Program, Where, Phase> const& states,
            registers<Program, Where>& target) {
  for_each_reduction<Program, Where, Phase>([&](auto index) {
    constexpr int k = decltype(index)::value;
    tenon::detail::read_register<k>(target) = lanes<k>(states)[0];
  });
}

}  // namespace tenon::cpu_backend
