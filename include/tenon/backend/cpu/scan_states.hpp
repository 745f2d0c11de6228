// SPDX-License-Identifier: Apache-2.0
#pragma once
// The scans of one sweep → what each has taken in so far, carried from element to element.

#include "tenon/backend/cpu/call.hpp"
#include "tenon/backend/cpu/reduction_states.hpp"
#include "tenon/backend/cpu/row_state.hpp"

namespace tenon::cpu_backend {

// A sort takes part as what it has ordered, element by element.
template <class Program, int Phase, bool Stores> struct scanned {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return (i.is_scan || i.is_sort) && element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
};
template <class Program, int Phase, bool Stores, int K>
inline constexpr bool is_scanned = scanned<Program, Phase, Stores>::holds(K);

template <class I> struct scan_state_of {
  using type = typename I::op::template state<arithmetic_t<I::type>>;
};
template <class I>
requires I::is_sort struct scan_state_of<I> {
  using type = typename I::value_type const*;  // the next element
};
template <class I> using scan_state = typename scan_state_of<I>::type;

template <int K, class State> struct carried { State state; };
template <class Program, class Sequence> struct carried_file;
template <class Program, int... K>
struct carried_file<Program, std::integer_sequence<int, K...>>
    : carried<K, scan_state<typename program_traits<Program>::template at<K>>>... {
  static constexpr bool is_empty = sizeof...(K) == 0;
};
template <class Program, int Phase, bool Stores>
struct scan_states
    : carried_file<Program,
                   tenon::detail::held_sequence<Program, scanned<Program, Phase, Stores>>> {};

template <int K, class State> State& state_in(carried<K, State>& c) { return c.state; }

template <class Program, int Phase, bool Stores>
void begin_scans(row_state<Program> const& row, scan_states<Program, Phase, Stores>& states) {
  visit_selected<Program, scanned<Program, Phase, Stores>>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_sort)
      state_in<k>(states) = order_in<k>(row.orders).data();
    else
      state_in<k>(states) = I::op::template identity<arithmetic_t<I::type>>();
  });
}

// Scan K takes in an element.
template <int K, class Program, class State>
void scan_element(frame<Program> const& f, State& state) {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (I::is_sort) {
    value_of<K>(f) = *state++;
  } else {
    using number = arithmetic_t<I::type>;
    auto const next =
        I::op::combine(state, I::op::lift(as_element<number>(value_of<I::first_operand>(f))));
    value_of<K>(f) = I::op::template finish<number>(I::bits & ops::scan_excludes ? state : next);
    state = next;
  }
}

// As evaluate_rest, in a program with scans: elements come in the order of the axis.
template <int Phase, bool Stores, class Given, class Program>
void evaluate_in_order(frame<Program> const& f, scan_states<Program, Phase, Stores>& states) {
  visit_instructions<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    constexpr bool needed = element_needs<Program>::template at<Phase, Stores>.needed[k];
    if constexpr (is_scanned<Program, Phase, Stores, k>) {
      scan_element<k>(f, state_in<k>(states));
    } else if constexpr (needed && I::where == place::element && !tenon::detail::is_held<Program, Given>(k) &&
                         (I::kind == op_kind::pointwise || I::kind == op_kind::projection)) {
      step<k>(f, typename I::operands{});
    }
  });
}

}  // namespace tenon::cpu_backend
