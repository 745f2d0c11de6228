// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a program is computed, shared by all backends: typed registers per place, and steps over the
// instructions.
//
// A kernel keeps one `registers<P, place::row>` per row and makes one `registers<P,
// place::element>` per element and phase; an element's values are computed again in the next phase
// unless the compiler keeps them.

#include <utility>

#include "tenon/program/often_zero.hpp"
#include "tenon/program/traits.hpp"

namespace tenon {
namespace detail {

template <int Size> struct instruction_numbers {
  int at[Size + 1] = {};
  int count = 0;
  bool has[Size + 1] = {};

  constexpr void add(int k) { at[count++] = k, has[k] = true; }
};
// The numbers k below Size for which Selector::holds(k), as a sequence. Computed once per selector,
// so that nothing is instantiated for the instructions that a step leaves out. A selector that asks
// more than instruction_facts has a variable template holds<K> instead.
template <class Selector, int Size> struct held {
  static consteval instruction_numbers<Size> compute() {
    instruction_numbers<Size> result;
    if constexpr (requires { Selector::holds(0); })
      for (int k = 0; k < Size; ++k) {
        if (Selector::holds(k)) result.add(k);
      }
    else
      [&]<int... K>(std::integer_sequence<int, K...>) {
        ((Selector::template holds<K> ? result.add(K) : void()), ...);
      }
    (std::make_integer_sequence<int, Size>{});
    return result;
  }
  static constexpr instruction_numbers<Size> all = compute();
  template <int... I>
  static auto pick(std::integer_sequence<int, I...>) -> std::integer_sequence<int, all.at[I]...>;
  using type = decltype(pick(std::make_integer_sequence<int, all.count>{}));
};
template <class Program, class Selector>
using held_sequence = typename held<Selector, program_traits<Program>::size>::type;
template <class Program, class Selector> consteval bool is_held(int k) {
  return held<Selector, program_traits<Program>::size>::all.has[k];
}
// How many of the instructions before k are selected.
template <class Program, class Selected> consteval int rank_among(int k) {
  int rank = 0;
  for (int earlier = 0; earlier < k; ++earlier) rank += is_held<Program, Selected>(earlier);
  return rank;
}

template <int K, class T> struct value_register { T value; };
// A register for each instruction that Selector holds, of the type that it gives, found by the
// instruction's number.
template <class Selector, class Sequence> struct register_file;
template <class Selector, int... K>
struct register_file<Selector, std::integer_sequence<int, K...>>
    : value_register<K, typename Selector::template type<K>>... {};

// What is known when the rows are done is kept together: a value per column or plane beside the
// totals.
constexpr bool is_kept_at(instruction_facts const& i, place where) {
  return !i.is_store && (i.where == where || (where == place::total && (i.where == place::column ||
                                                                        i.where == place::plane)));
}

// What has its value at one place.
template <class Program, place Where> struct values_at {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) { return is_kept_at(program_traits<Program>::all[k], Where); }
  template <int K> using type = typename at<K>::value_type;
};

template <int K, class T> TENON_HD T& read_register(value_register<K, T>& r) { return r.value; }
template <int K, class T> TENON_HD T const& read_register(value_register<K, T> const& r) {
  return r.value;
}

}  // namespace detail

// The values of all instructions of one place.
template <class Program, place Where>
struct registers
    : detail::register_file<detail::values_at<Program, Where>,
                            detail::held_sequence<Program, detail::values_at<Program, Where>>> {};

// The registers that a step may read: those of its own place and of the places around it.
template <class Program> struct frame {
  registers<Program, place::launch>& launch;
  registers<Program, place::row>& row;
  registers<Program, place::element>& element;
  registers<Program, place::total>& total;
};

// The value of instruction K, wherever it lives.
template <int K, class Program> TENON_HD auto& value_of(frame<Program> const& f) {
  constexpr place where = program_traits<Program>::template at<K>::where;
  if constexpr (where == place::launch)
    return detail::read_register<K>(f.launch);
  else if constexpr (where == place::row)
    return detail::read_register<K>(f.row);
  else if constexpr (where == place::element)
    return detail::read_register<K>(f.element);
  else
    return detail::read_register<K>(f.total);
}

namespace detail {
template <class Visit, int... K>
TENON_HD constexpr void visit_each(Visit& visit, std::integer_sequence<int, K...>) {
  (visit(std::integral_constant<int, K>{}), ...);
}
}  // namespace detail

// Calls visit(integral_constant<int, K>) for every instruction K in order.
template <class Program, class Visit> TENON_HD constexpr void for_each_instruction(Visit&& visit) {
  detail::visit_each(visit, typename program_traits<Program>::sequence{});
}

// The result of a pointwise or projection instruction from its operands.
template <class I, class... Values> TENON_HD typename I::value_type apply(Values const&... values) {
  return static_cast<typename I::value_type>(eval_in<typename I::op, I::type>(values...));
}

namespace detail {
// Which term of sum or difference K of an element is a product of its own, 0 or 1; -1: none. Of a
// product and itself none: their difference is 0.
template <class Program> consteval int product_among_terms(int k) {
  instruction_facts const& sum = program_traits<Program>::all[k];
  if (!sum.is_sum || sum.where != place::element || !is_floating(sum.type)) return -1;
  if (sum.operands[0] == sum.operands[1]) return -1;
  for (int n = 0; n < 2; ++n) {
    instruction_facts const& term = program_traits<Program>::all[sum.operands[n]];
    if (term.is_product && term.where == sum.where && term.type == sum.type) return n;
  }
  return -1;
}
}  // namespace detail

// On a device a product and a sum are rounded once together, which is a matter of the program: the
// compiler would decide anew in every kernel of it (math::rounded_sum).
template <int K, class Program, int... Operands>
TENON_HD void step(frame<Program> const& f, std::integer_sequence<int, Operands...>) {
  using traits = program_traits<Program>;
  using I = typename traits::template at<K>;
#if defined(__CUDA_ARCH__)
  constexpr int term = detail::product_among_terms<Program>(K);
  if constexpr (term >= 0) {
    using product =
        typename traits::template at<term == 0 ? I::first_operand : I::second_operand>;
    auto x = value_of<product::first_operand>(f);
    auto z = value_of<term == 0 ? I::second_operand : I::first_operand>(f);
    if constexpr (std::is_same_v<typename I::op, ops::sub>) {
      if constexpr (term == 0)
        z = -z;
      else
        x = -x;
    }
    value_of<K>(f) = math::product_plus(x, value_of<product::second_operand>(f), z);
    return;
  }
  if constexpr (detail::often_zero<Program>::template is_divided<K>()) {
    value_of<K>(f) = detail::quotient_of_often_zero(value_of<I::first_operand>(f),
                                                    value_of<I::second_operand>(f));
    return;
  }
#endif
  value_of<K>(f) = apply<I>(value_of<Operands>(f)...);
}

// The number of the sweep, in the place of a phase's, that computes what sort K is to order.
template <int K> inline constexpr int sweep_before_sort = -1 - K;

// Whether instruction K, at place element, is needed to finish the reductions of phase Phase (or,
// for Phase equal to row_phases + 1, the stores and the reductions over the rows; or for a sweep
// before a sort). What a sort has ordered is read from memory. Constant arrays would not do: device
// code may not index them.
template <class Program> struct element_needs {
  using traits = program_traits<Program>;
  struct table {
    bool needed[traits::size > 0 ? traits::size : 1] = {};
  };
  static consteval table compute(int phase, bool stores) {
    table t;
    // Backwards: users come after their operands.
    for (int k = traits::size - 1; k >= 0; --k) {
      instruction_facts const& i = traits::all[k];
      bool is_root = (i.is_reduction && i.where == place::row && i.phase == phase) ||
                     (stores && ((i.is_store && i.where == place::element) ||
                                 (i.is_reduction && i.where == place::column))) ||
                     phase == -1 - k;
      bool is_inner = t.needed[k] && i.where == place::element && !i.is_reduction && !i.is_sort;
      if (is_root || is_inner)
        for (int n = 0; n < i.operand_count; ++n) t.needed[i.operands[n]] = true;
    }
    return t;
  }
  template <int Phase, bool Stores> static constexpr table at = compute(Phase, Stores);
};

namespace detail {

// What is computed at one place in the phases [First, Last]; loads, reductions and stores are the
// kernel's.
template <class Program, place Where, int First, int Last> struct computed_at {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_computed && i.where == Where && i.phase >= First && i.phase <= Last;
  }
};
// What is computed of one element for the reductions of phase Phase, and for the element stores if
// Stores.
template <class Program, int Phase, bool Stores> struct computed_of_element {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_computed && i.where == place::element &&
           element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
};
// The same from instruction From on, in front of To, but for what Given holds.
template <class Program, int Phase, bool Stores, class Given, int From = 0, int To = max_nodes>
struct computed_beside {
  static consteval bool holds(int k) {
    return k >= From && k < To && computed_of_element<Program, Phase, Stores>::holds(k) &&
           !is_held<Program, Given>(k);
  }
};

template <class Program, int... K>
TENON_HD void compute(frame<Program> const& f, std::integer_sequence<int, K...>) {
  (step<K>(f, typename program_traits<Program>::template at<K>::operands{}), ...);
}

}  // namespace detail

// Computes the instructions of one place whose phase is in [First, Last].
template <place Where, int First, int Last, class Program>
TENON_HD void evaluate(frame<Program> const& f) {
  detail::compute(
      f, detail::held_sequence<Program, detail::computed_at<Program, Where, First, Last>>{});
}

// Computes what the reductions of phase Phase (and the element stores, if Stores) need of one
// element.
template <int Phase, bool Stores, class Program>
TENON_HD void evaluate_element(frame<Program> const& f) {
  detail::compute(
      f, detail::held_sequence<Program, detail::computed_of_element<Program, Phase, Stores>>{});
}

// As evaluate_element, where the element's registers already have the values that Given holds, from
// instruction From on, in front of To.
template <int Phase, bool Stores, class Given, int From = 0, int To = max_nodes, class Program>
TENON_HD void evaluate_rest(frame<Program> const& f) {
  using rest = detail::computed_beside<Program, Phase, Stores, Given, From, To>;
  detail::compute(f, detail::held_sequence<Program, rest>{});
}

template <long long Bits>
inline constexpr double floating_literal = __builtin_bit_cast(double, Bits);

// Literals, run-time scalars and sizes, and what follows from them alone. `scalars` and `sizes`
// hold one word per entry, already in the instruction's arithmetic type; sizes may be of four bytes
// where that has no more, or they are numbers of which none needs more.
template <class Program, class Size>
TENON_HD void set_launch_values(registers<Program, place::launch>& launch, long long const* scalars,
                                Size const* sizes) {
  auto set = [&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = typename I::value_type;
    auto& target = detail::read_register<k>(launch);
    if constexpr (std::is_same_v<typename I::op, ops::literal>) {
      if constexpr (std::is_floating_point_v<T>)
        target = static_cast<T>(floating_literal<I::bits>);
      else
        target = static_cast<T>(I::bits);
    } else if constexpr (I::is_scalar || I::is_size) {
      long long word = I::is_scalar ? scalars[I::bits] : sizes[I::bits];
      __builtin_memcpy(&target, &word, sizeof(T));
    }
  };
  detail::visit_each(set,
                     detail::held_sequence<Program, detail::values_at<Program, place::launch>>{});
}

}  // namespace tenon
