// SPDX-License-Identifier: Apache-2.0
#pragma once
// The facts of a program and of each of its instructions, as constants that device code may use.

#include <utility>

#include "tenon/program/instruction.hpp"

namespace tenon {
namespace detail {

template <class Op, dtype D, bool HasState> struct register_of { using type = arithmetic_t<D>; };
template <class Op, dtype D> struct register_of<Op, D, true> {
  using type = typename Op::template state<arithmetic_t<D>>;
};

}  // namespace detail

// The facts of one instruction, as constants that device code may use.
template <class Instruction> struct instruction_traits;
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
  static constexpr bool is_position =
      std::is_same_v<Op, ops::index> || std::is_same_v<Op, ops::address>;
  static constexpr bool is_read = is_load || is_position;
  static constexpr bool is_store = std::is_same_v<Op, ops::store>;
  // A store that finds its place itself.
  static constexpr bool is_window = is_store && sizeof...(Operands) == 2;
  static constexpr bool moves_elements = (is_load || is_store) && where == place::element;
  static constexpr bool is_reduction = Op::kind == op_kind::reduction;
  static constexpr bool is_sort = Op::is_sort;
  static constexpr bool is_scan = Op::kind == op_kind::scan && !is_sort;
  static constexpr bool is_computed =
      Op::kind == op_kind::pointwise || Op::kind == op_kind::projection;
  static constexpr bool is_scalar = std::is_same_v<Op, ops::scalar>;
  static constexpr bool is_size = std::is_same_v<Op, ops::size>;
  using value_type = typename detail::register_of<Op, type, Op::has_state>::type;
  using operands = std::integer_sequence<int, Operands...>;
  static constexpr int operand_count = sizeof...(Operands);
  static constexpr int first_operand = [] {
    int all[] = {Operands..., -1};
    return all[0];
  }();
  static constexpr int second_operand = [] {
    int all[] = {Operands..., -1, -1};
    return all[1];
  }();
  static constexpr int third_operand = [] {
    int all[] = {Operands..., -1, -1, -1};
    return all[2];
  }();
};

namespace detail {

// Overload resolution against an indexed base finds the type in constant depth.
template <int K, class T> struct indexed { using type = T; };
template <class Sequence, class... T> struct indexed_pack;
template <int... K, class... T>
struct indexed_pack<std::integer_sequence<int, K...>, T...> : indexed<K, T>... {};
template <int K, class T> indexed<K, T> select_indexed(indexed<K, T> const*);

}  // namespace detail

namespace detail {

template <class Op> inline constexpr bool is_blockwise_scan = false;
template <class Op>
  requires(Op::kind == op_kind::scan)
inline constexpr bool is_blockwise_scan<Op> = Op::is_blockwise;

}  // namespace detail

// What the backends ask of a program.
template <class Program> struct program_traits;
template <class... Instructions> struct program_traits<program<Instructions...>> {
  static constexpr int size = sizeof...(Instructions);
  using sequence = std::make_integer_sequence<int, size>;
  using pack = detail::indexed_pack<sequence, Instructions...>;
  // A class, so that each is looked for once.
  template <int K> struct found {
    using type = instruction_traits<typename decltype(detail::select_indexed<K>(
        static_cast<pack const*>(nullptr)))::type>;
  };
  template <int K> using at = typename found<K>::type;

  static constexpr int load_count = (0 + ... + (instruction_traits<Instructions>::is_read));
  static constexpr int store_count = (0 + ... + (instruction_traits<Instructions>::is_store));
  static constexpr int scalar_count = (0 + ... + (instruction_traits<Instructions>::is_scalar));
  static constexpr int size_count = (0 + ... + (instruction_traits<Instructions>::is_size));
  static constexpr bool has_reduction =
      (false || ... || instruction_traits<Instructions>::is_reduction);
  static constexpr bool has_scans = (false || ... || instruction_traits<Instructions>::is_scan);
  static constexpr bool has_sorts = (false || ... || instruction_traits<Instructions>::is_sort);
  static constexpr bool has_positions =
      (false || ... || instruction_traits<Instructions>::is_position);
  static constexpr bool has_blocks = [] {
    bool result = false;
    ((result = result || detail::is_blockwise_scan<typename instruction_traits<Instructions>::op>), ...);
    return result;
  }();
  // Some result is a part of what is computed.
  static constexpr bool stores_parts =
      (false || ... || instruction_traits<Instructions>::is_window);
  static constexpr bool has_total =
      (false || ... || (instruction_traits<Instructions>::where == place::total));
  static constexpr bool has_planes =
      (false || ... || (instruction_traits<Instructions>::where == place::plane));
  // Phases that end with a reduction over the columns.
  static constexpr int row_phases = [] {
    int last = 0;
    ((instruction_traits<Instructions>::is_reduction &&
              instruction_traits<Instructions>::where == place::row &&
              instruction_traits<Instructions>::phase > last
          ? void(last = instruction_traits<Instructions>::phase)
          : void()),
     ...);
    return last;
  }();
  // Phases that end with a reduction, be it over the columns or over the rows.
  static constexpr int phases = [] {
    int last = 0;
    ((instruction_traits<Instructions>::is_reduction &&
              instruction_traits<Instructions>::phase > last
          ? void(last = instruction_traits<Instructions>::phase)
          : void()),
     ...);
    return last;
  }();
  // Bytes of the narrowest and widest element that a load or store at place element moves.
  static constexpr int widest_element = [] {
    int widest = 1;
    ((instruction_traits<Instructions>::moves_elements &&
              size_of(instruction_traits<Instructions>::type) > widest
          ? void(widest = size_of(instruction_traits<Instructions>::type))
          : void()),
     ...);
    return widest;
  }();
};

}  // namespace tenon
