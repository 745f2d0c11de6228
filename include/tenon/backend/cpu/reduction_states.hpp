// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reductions of one place and phase → their running states, and what is done with them.

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

template <int K, class State> struct state_slot { State state; };
template <class Program, class Sequence> struct states_file;
template <class Program, int... K>
struct states_file<Program, std::integer_sequence<int, K...>>
    : state_slot<K, typename program_traits<Program>::template at<K>::value_type>... {
  static constexpr bool is_empty = sizeof...(K) == 0;
};

// A state of each reduction.
template <class Program, place Where, int Phase>
struct reduction_states
    : states_file<Program,
                  tenon::detail::held_sequence<Program, ending_here<Program, Where, Phase>>> {};

template <int K, class State> State& state_of(state_slot<K, State>& s) { return s.state; }
template <int K, class State> State const& state_of(state_slot<K, State> const& s) {
  return s.state;
}

template <class Program, place Where, int Phase>
void set_identity(reduction_states<Program, Where, Phase>& states) {
  for_each_reduction<Program, Where, Phase>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    state_of<k>(states) = I::op::template identity<arithmetic_t<I::type>>();
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

// Adds the values of a frame to the state of every reduction that Selector holds.
template <class Selector, class Program, place Where, int Phase>
void accumulate_selected(frame<Program> const& f, reduction_states<Program, Where, Phase>& states) {
  visit_selected<Program, Selector>([&](auto index) {
    constexpr int k = decltype(index)::value;
    accumulate_operands<k>(f, state_of<k>(states),
                           typename program_traits<Program>::template at<k>::operands{});
  });
}
// To that of every one.
template <class Program, place Where, int Phase>
void accumulate(frame<Program> const& f, reduction_states<Program, Where, Phase>& states) {
  accumulate_selected<ending_here<Program, Where, Phase>>(f, states);
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
      state_of<k>(earlier) = op::combine(state_of<k>(earlier), state_of<k>(later));
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
    tenon::detail::read_register<k>(target) = state_of<k>(states);
  });
}

}  // namespace tenon::cpu_backend
