// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a program is computed, shared by all backends: typed registers per place, and steps over the instructions.
//
// A kernel keeps one `registers<P, place::row>` per row and makes one `registers<P, place::element>` per element and
// phase; an element's values are computed again in the next phase unless the compiler keeps them.

#include <cstddef>
#include <utility>

#include "tenon/program/instruction.hpp"

namespace tenon {
namespace detail {

template <class Op, dtype D, bool HasState>
struct register_of {
  using type = arithmetic_t<D>;
};
template <class Op, dtype D>
struct register_of<Op, D, true> {
  using type = typename Op::template state<arithmetic_t<D>>;
};

}  // namespace detail

// The facts of one instruction, as constants that device code may use.
template <class Instruction>
struct instruction_traits;
template <class Op, unsigned Meta, long long Bits, int... Operands>
struct instruction_traits<ins<Op, Meta, Bits, Operands...>> {
  using op = Op;
  static constexpr meta facts = meta::unpack(Meta);
  static constexpr dtype type = facts.type;
  static constexpr place where = facts.where;
  static constexpr int phase = facts.phase;
  static constexpr bool varies_over_rows = facts.varies_over_rows;
  static constexpr long long bits = Bits;
  static constexpr op_kind kind = Op::kind;
  static constexpr bool is_load = std::is_same_v<Op, ops::load>;
  // Operands that no memory holds: their element is where they have it.
  static constexpr bool is_position = std::is_same_v<Op, ops::index> || std::is_same_v<Op, ops::address>;
  static constexpr bool is_read = is_load || is_position;
  static constexpr bool is_store = std::is_same_v<Op, ops::store>;
  static constexpr bool moves_elements = (is_load || is_store) && where == place::element;
  static constexpr bool is_reduction = Op::kind == op_kind::reduction;
  static constexpr bool is_scan = Op::kind == op_kind::scan;
  static constexpr bool is_scalar = std::is_same_v<Op, ops::scalar>;
  static constexpr bool is_size = std::is_same_v<Op, ops::size>;
  using value_type = typename detail::register_of<Op, type, Op::has_state>::type;
  using operands = std::integer_sequence<int, Operands...>;
  static constexpr int operand_count = sizeof...(Operands);
  static constexpr int first_operand = [] {
    int all[] = {Operands..., -1};
    return all[0];
  }();
};

namespace detail {

// Overload resolution against an indexed base finds the type in constant depth.
template <int K, class T>
struct indexed {
  using type = T;
};
template <class Sequence, class... T>
struct indexed_pack;
template <int... K, class... T>
struct indexed_pack<std::integer_sequence<int, K...>, T...> : indexed<K, T>... {};
template <int K, class T>
indexed<K, T> select_indexed(indexed<K, T> const*);

}  // namespace detail

// What the backends ask of a program.
template <class Program>
struct program_traits;
template <class... Instructions>
struct program_traits<program<Instructions...>> {
  static constexpr int size = sizeof...(Instructions);
  using sequence = std::make_integer_sequence<int, size>;
  using pack = detail::indexed_pack<sequence, Instructions...>;
  template <int K>
  using at = instruction_traits<typename decltype(detail::select_indexed<K>(static_cast<pack const*>(nullptr)))::type>;

  static constexpr int load_count = (0 + ... + (instruction_traits<Instructions>::is_read));
  static constexpr int store_count = (0 + ... + (instruction_traits<Instructions>::is_store));
  static constexpr int scalar_count = (0 + ... + (instruction_traits<Instructions>::is_scalar));
  static constexpr int size_count = (0 + ... + (instruction_traits<Instructions>::is_size));
  static constexpr bool has_reduction = (false || ... || instruction_traits<Instructions>::is_reduction);
  static constexpr bool has_scans = (false || ... || instruction_traits<Instructions>::is_scan);
  static constexpr bool has_positions = (false || ... || instruction_traits<Instructions>::is_position);
  static constexpr bool has_total = (false || ... || (instruction_traits<Instructions>::where == place::total));
  // Phases that end with a reduction over the columns.
  static constexpr int row_phases = [] {
    int last = 0;
    ((instruction_traits<Instructions>::is_reduction && instruction_traits<Instructions>::where == place::row &&
              instruction_traits<Instructions>::phase > last
          ? void(last = instruction_traits<Instructions>::phase)
          : void()),
     ...);
    return last;
  }();
  // Bytes of the narrowest and widest element that a load or store at place element moves.
  static constexpr int widest_element = [] {
    int widest = 1;
    ((instruction_traits<Instructions>::moves_elements && size_of(instruction_traits<Instructions>::type) > widest
          ? void(widest = size_of(instruction_traits<Instructions>::type))
          : void()),
     ...);
    return widest;
  }();
};

namespace detail {

template <int K, class T>
struct value_register {
  T value;
};
template <class Program, place Where, class Sequence>
struct register_file;
template <class Program, place Where, int K, bool IsHere>
struct register_slot {};
template <class Program, place Where, int K>
struct register_slot<Program, Where, K, true>
    : value_register<K, typename program_traits<Program>::template at<K>::value_type> {};
// What is known when the rows are done is kept together: a value per column beside the totals.
template <class I, place Where>
inline constexpr bool is_kept_at =
    !I::is_store && (I::where == Where || (Where == place::total && I::where == place::column));
template <class Program, place Where, int... K>
struct register_file<Program, Where, std::integer_sequence<int, K...>>
    : register_slot<Program, Where, K,
                    is_kept_at<typename program_traits<Program>::template at<K>, Where>>... {};

template <int K, class T>
TENON_HD T& read_register(value_register<K, T>& r) {
  return r.value;
}
template <int K, class T>
TENON_HD T const& read_register(value_register<K, T> const& r) {
  return r.value;
}

}  // namespace detail

// The values of all instructions of one place.
template <class Program, place Where>
struct registers : detail::register_file<Program, Where, typename program_traits<Program>::sequence> {};

// The registers that a step may read: those of its own place and of the places around it.
template <class Program>
struct frame {
  registers<Program, place::launch>& launch;
  registers<Program, place::row>& row;
  registers<Program, place::element>& element;
  registers<Program, place::total>& total;
};

// The value of instruction K, wherever it lives.
template <int K, class Program>
TENON_HD auto& value_of(frame<Program> const& f) {
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

// Calls visit(integral_constant<int, K>) for every instruction K in order.
template <class Program, class Visit>
TENON_HD constexpr void for_each_instruction(Visit&& visit) {
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (visit(std::integral_constant<int, K>{}), ...);
  }(typename program_traits<Program>::sequence{});
}

// The result of a pointwise or projection instruction from its operands.
template <class I, class... Values>
TENON_HD typename I::value_type apply(Values const&... values) {
  return static_cast<typename I::value_type>(eval_in<typename I::op, I::type>(values...));
}

template <int K, class Program, int... Operands>
TENON_HD void step(frame<Program> const& f, std::integer_sequence<int, Operands...>) {
  using I = typename program_traits<Program>::template at<K>;
  value_of<K>(f) = apply<I>(value_of<Operands>(f)...);
}

// Whether instruction K, at place element, is needed to finish the reductions of phase Phase (or, for Phase equal to
// row_phases + 1, the stores and the reductions over the rows). Constant arrays would not do: device code may not index them.
template <class Program>
struct element_needs;
template <class... Instructions>
struct element_needs<program<Instructions...>> {
  static constexpr int size = sizeof...(Instructions);
  static constexpr int phases = program_traits<program<Instructions...>>::row_phases + 2;
  struct table {
    bool needed[size > 0 ? size : 1] = {};
  };
  template <int... Operands>
  static constexpr void mark(table& t, std::integer_sequence<int, Operands...>) {
    ((t.needed[Operands] = true), ...);
  }
  static constexpr table compute(int phase, bool stores) {
    table t;
    // Backwards: users come after their operands.
    auto visit = [&]<class I>(int k, type_box<I>) {
      bool is_root = (I::is_reduction && I::where == place::row && I::phase == phase) || (stores && ((I::is_store && I::where == place::element) || (I::is_reduction && I::where == place::column)));
      bool is_inner = t.needed[k] && I::where == place::element && !I::is_reduction;
      if (is_root || is_inner) mark(t, typename I::operands{});
    };
    [&]<int... K>(std::integer_sequence<int, K...>) {
      using traits = program_traits<program<Instructions...>>;
      (visit(size - 1 - K, type_box<typename traits::template at<size - 1 - K>>{}), ...);
    }(std::make_integer_sequence<int, size>{});
    return t;
  }
  template <int Phase, bool Stores>
  static constexpr table at = compute(Phase, Stores);
};

// Computes the instructions of one place whose phase is in [First, Last]; loads, reductions and stores are the kernel's.
template <place Where, int First, int Last, class Program>
TENON_HD void evaluate(frame<Program> const& f) {
  for_each_instruction<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::where == Where && I::phase >= First && I::phase <= Last &&
                  (I::kind == op_kind::pointwise || I::kind == op_kind::projection))
      step<k>(f, typename I::operands{});
  });
}

// Computes what the reductions of phase Phase (and the element stores, if Stores) need of one element.
template <int Phase, bool Stores, class Program>
TENON_HD void evaluate_element(frame<Program> const& f) {
  for_each_instruction<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    constexpr bool needed = element_needs<Program>::template at<Phase, Stores>.needed[k];
    if constexpr (needed && I::where == place::element && (I::kind == op_kind::pointwise || I::kind == op_kind::projection))
      step<k>(f, typename I::operands{});
  });
}

template <long long Bits>
inline constexpr double floating_literal = __builtin_bit_cast(double, Bits);

// Literals, run-time scalars and sizes, and what follows from them alone. `scalars` and `sizes` hold one 8-byte word per
// entry, already in the instruction's arithmetic type.
template <class Program>
TENON_HD void set_launch_values(registers<Program, place::launch>& launch, long long const* scalars, long long const* sizes) {
  for_each_instruction<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::where == place::launch && !I::is_store) {
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
    }
  });
}

}  // namespace tenon
