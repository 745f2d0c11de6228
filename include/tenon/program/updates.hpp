// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is computed of one update of a scatter: where it goes, and what it brings.

#include "tenon/program/evaluate.hpp"

namespace tenon {

enum class update_part : unsigned char { target, value };

namespace detail {

// The comparison of an update's target with a position.
template <class Program>
inline constexpr int gate_of_updates = []<int... K>(std::integer_sequence<int, K...>) {
  int found = -1;
  ((found = std::is_same_v<typename program_traits<Program>::template at<K>::op, ops::is_target>
                ? K
                : found),
   ...);
  return found;
}
(typename program_traits<Program>::sequence{});

// Whether instruction K is needed, outside of the launch and before the reductions end. The
// comparison is not computed: whoever asks for the value of an update knows that it is for them.
template <class Program, update_part Part> struct update_needs;
template <class... Instructions, update_part Part>
struct update_needs<program<Instructions...>, Part> {
  using traits = program_traits<program<Instructions...>>;
  static constexpr int size = sizeof...(Instructions);
  struct table {
    bool needed[size] = {};
  };
  template <int... Operands>
  static constexpr void mark(table& t, std::integer_sequence<int, Operands...>) {
    ((t.needed[Operands] = true), ...);
  }
  template <class I> static constexpr void visit(table& t, int k) {
    bool is_root = I::is_reduction;
    if constexpr (Part == update_part::target) {
      is_root = false;
      if (std::is_same_v<typename I::op, ops::is_target>) t.needed[I::first_operand] = true;
    }
    bool const is_inner =
        t.needed[k] && !I::is_reduction && !std::is_same_v<typename I::op, ops::is_target>;
    if (is_root || is_inner) mark(t, typename I::operands{});
  }
  static constexpr table compute() {
    table t;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (visit<typename traits::template at<size - 1 - K>>(t, size - 1 - K), ...);
    }
    (std::make_integer_sequence<int, size>{});
    return t;
  }
  static constexpr table all = compute();
};

// What is read for it at one place, and what is computed.
template <class Program, update_part Part, place Where> struct update_reads {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_read && i.where == Where && update_needs<Program, Part>::all.needed[k];
  }
};
template <class Program, update_part Part, place Where> struct update_steps {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_computed && i.where == Where && k != gate_of_updates<Program> &&
           update_needs<Program, Part>::all.needed[k];
  }
};

template <class Operands> struct gate_operands;
template <int Target, int Position>
struct gate_operands<std::integer_sequence<int, Target, Position>> {
  static constexpr int target = Target, position = Position;
};
template <class Program>
using gate = gate_operands<
    typename program_traits<Program>::template at<gate_of_updates<Program>>::operands>;

// Whether the target depends on where in the result it is asked for.
template <class Program>
inline constexpr bool target_varies_over_rows =
    program_traits<Program>::template at<gate<Program>::target>::varies_over_rows;

}  // namespace detail

// Reads what one part of an update is computed from. `read(integral_constant<int, K>)` gives what
// instruction K reads.
template <update_part Part, class Program, class Read>
TENON_HD void read_update(frame<Program> const& f, Read const& read) {
  using namespace detail;
  auto reading = [&](auto index) { value_of<decltype(index)::value>(f) = read(index); };
  visit_each(reading, held_sequence<Program, update_reads<Program, Part, place::row>>{});
  visit_each(reading, held_sequence<Program, update_reads<Program, Part, place::element>>{});
}
// @pre it was read
template <update_part Part, class Program> TENON_HD void compute_update(frame<Program> const& f) {
  using namespace detail;
  if constexpr (Part == update_part::value) value_of<gate_of_updates<Program>>(f) = true;
  compute(f, held_sequence<Program, update_steps<Program, Part, place::row>>{});
  compute(f, held_sequence<Program, update_steps<Program, Part, place::element>>{});
}
template <update_part Part, class Program, class Read>
TENON_HD void evaluate_update(frame<Program> const& f, Read const& read) {
  read_update<Part>(f, read);
  compute_update<Part>(f);
}

}  // namespace tenon
