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

// The facts of an instruction as a value. What loops over a program asks them, because a function
// or a constant for each of its instructions has the whole program in its name.
struct instruction_facts {
  dtype type = {};
  place where = {};
  int phase = 0;
  bool varies_over_rows = false;
  long long bits = 0;
  op_kind kind = {};
  int cost = 0;
  bool is_load = false;
  // Operands that no memory holds: their element is where they have it.
  bool is_position = false;
  bool is_read = false;
  bool goes_on_in_halves = false;  // the operand varies along a halved axis (schedule/halves.hpp)
  bool repeats = false;            // a load that varies along some of the columns' axes alone
  bool is_splat = false;           // of which an aligned vector is one element
  bool is_reversed = false;        // a load of neighbours from the last to the first
  neighbours beside = {};          // loads or stores whose elements lie between each other
  row_slice slice = {};            // a load that begins or ends in the midst of a vector
  stencil_place stencil = {};      // a load of neighbours of what others load
  stencil_plane plane = {};        // such a load of which others are in other planes
  int alike = 0;                   // loads with the same places, from where each of them begins
  stepped_position steps = {};     // of positions along the innermost axis of the results
  bool is_of_some_rows = false;    // a load that does not vary along all of the rows' axes
  bool is_late = false;            // one of them that no reduction of the rows needs
  bool is_gathered = false;        // a load from the place that its operand gives to the row
  bool is_fetched = false;         // a load of vectors from where their first elements are fetched
  bool is_store = false;
  int axes = 0;  // of a store: those of the expression, if it has more than most
  // A store that finds its place itself.
  bool is_window = false;
  bool moves_elements = false;
  bool is_reduction = false;
  bool is_sort = false;
  bool is_scan = false;
  bool is_computed = false;
  bool is_product = false;
  bool is_sum = false;  // or a difference
  bool is_scalar = false;
  bool is_size = false;
  bool is_fetch = false;
  int operand_count = 0;
  int operands[max_operands] = {};

  constexpr int operand(int n) const { return n < operand_count ? operands[n] : -1; }
  // Whether each element of each row has one of its own, which the row's threads keep.
  constexpr bool is_own() const { return varies_over_rows && !repeats && !is_late; }
  // Whether it comes from a cache, which has it because other rows have the same.
  constexpr bool is_shared() const { return !varies_over_rows || is_late; }

  struct operand_list {
    int count;
    int at[max_operands];
  };
  template <class Op>
  static consteval instruction_facts of(unsigned packed, long long bits,
                                        operand_list const& operands) {
    meta const about = meta::unpack(packed);
    instruction_facts f;
    f.type = about.type, f.where = about.where, f.phase = about.phase;
    f.varies_over_rows = about.varies_over_rows;
    f.is_fetched = std::is_same_v<Op, ops::load_fetched>;
    f.is_load = std::is_same_v<Op, ops::load> || f.is_fetched;
    f.is_position = std::is_same_v<Op, ops::index> || std::is_same_v<Op, ops::address>;
    f.is_read = f.is_load || f.is_position;
    f.goes_on_in_halves = f.is_read && (bits & tenon::goes_on_in_halves) != 0;
    f.repeats = f.is_load && (bits & repeats_in_columns) != 0;
    f.is_splat = f.is_load && (bits & repeats_in_vectors) != 0;
    f.is_reversed = f.is_load && (bits & reverses_columns) != 0;
    f.is_store = std::is_same_v<Op, ops::store>;
    if (f.is_load) f.stencil = stencil_place::unpack(bits);
    if ((f.is_load || f.is_store) && f.stencil.group == 0) f.beside = neighbours::unpack(bits);
    if (f.stencil.group > 0)
      f.plane = stencil_plane::unpack(bits);
    else if (f.is_load)
      f.slice = row_slice::unpack(bits);
    if (f.is_load) f.alike = alike_loads::unpack(bits);
    if (std::is_same_v<Op, ops::index>) f.steps = stepped_position::unpack(bits);
    if (f.is_store) f.axes = many_axes::unpack(bits);
    f.is_gathered = f.is_load && operands.count > 0;
    bool const has_rows = f.is_load && (bits & repeats_in_rows) != 0;
    f.is_late = f.is_load && (bits & comes_late) != 0;
    f.is_of_some_rows = f.is_load && (has_rows || !f.varies_over_rows);
    f.bits = bits - (f.goes_on_in_halves ? tenon::goes_on_in_halves : 0) -
             (f.repeats ? repeats_in_columns : 0) - (has_rows ? repeats_in_rows : 0) -
             (f.is_late ? comes_late : 0) - (f.is_splat ? repeats_in_vectors : 0) -
             (f.is_reversed ? reverses_columns : 0) - f.beside.packed() - f.slice.packed() -
             f.stencil.packed() - f.plane.packed() - alike_loads::packed(f.alike) -
             f.steps.packed() - many_axes::packed(f.axes);
    f.kind = Op::kind;
    f.cost = Op::cost;
    f.is_window = f.is_store && operands.count == 2;
    f.moves_elements = (f.is_load || f.is_store) && f.where == place::element;
    f.is_reduction = f.kind == op_kind::reduction;
    f.is_sort = Op::is_sort;
    f.is_scan = f.kind == op_kind::scan && !f.is_sort;
    f.is_computed = f.kind == op_kind::pointwise || f.kind == op_kind::projection;
    f.is_product = std::is_same_v<Op, ops::mul>;
    f.is_sum = std::is_same_v<Op, ops::add> || std::is_same_v<Op, ops::sub>;
    f.is_scalar = std::is_same_v<Op, ops::scalar>;
    f.is_size = std::is_same_v<Op, ops::size>;
    f.is_fetch = std::is_same_v<Op, ops::fetch>;
    f.operand_count = operands.count;
    for (int i = 0; i < operands.count; ++i) f.operands[i] = operands.at[i];
    return f;
  }
};

// The same as constants that device code may use.
template <class Instruction> struct instruction_traits;
template <class Op, unsigned Meta, long long Bits, int... Operands>
struct instruction_traits<ins<Op, Meta, Bits, Operands...>> {
  using op = Op;
  static constexpr instruction_facts facts =
      instruction_facts::of<Op>(Meta, Bits, {sizeof...(Operands), {Operands...}});
  static constexpr dtype type = facts.type;
  static constexpr place where = facts.where;
  static constexpr int phase = facts.phase;
  static constexpr bool varies_over_rows = facts.varies_over_rows;
  static constexpr bool repeats = facts.repeats;
  static constexpr bool is_splat = facts.is_splat;
  static constexpr bool is_reversed = facts.is_reversed;
  static constexpr neighbours beside = facts.beside;
  static constexpr row_slice slice = facts.slice;
  static constexpr stencil_place stencil = facts.stencil;
  static constexpr stencil_plane plane = facts.plane;
  static constexpr int alike = facts.alike;
  static constexpr stepped_position steps = facts.steps;
  static constexpr bool is_of_some_rows = facts.is_of_some_rows;
  static constexpr bool is_gathered = facts.is_gathered;
  static constexpr bool is_fetched = facts.is_fetched;
  static constexpr long long bits = facts.bits;
  static constexpr op_kind kind = Op::kind;
  static constexpr bool is_load = facts.is_load;
  static constexpr bool is_position = facts.is_position;
  static constexpr bool is_read = facts.is_read;
  static constexpr bool is_store = facts.is_store;
  static constexpr bool is_window = facts.is_window;
  static constexpr bool moves_elements = facts.moves_elements;
  static constexpr bool is_reduction = facts.is_reduction;
  static constexpr bool is_sort = Op::is_sort;
  static constexpr bool is_scan = facts.is_scan;
  static constexpr bool is_computed = facts.is_computed;
  static constexpr bool is_scalar = facts.is_scalar;
  static constexpr bool is_size = facts.is_size;
  using value_type = typename detail::register_of<Op, type, Op::has_state>::type;
  using operands = std::integer_sequence<int, Operands...>;
  static constexpr int operand_count = sizeof...(Operands);
  static constexpr int first_operand = facts.operand(0);
  static constexpr int second_operand = facts.operand(1);
  static constexpr int third_operand = facts.operand(2);
  static constexpr int fourth_operand = facts.operand(3);
};

namespace detail {

// Overload resolution against an indexed base finds the type in constant depth.
template <int K, class T> struct indexed { using type = T; };
template <class Sequence, class... T> struct indexed_pack;
template <int... K, class... T>
struct indexed_pack<std::integer_sequence<int, K...>, T...> : indexed<K, T>... {};
template <int K, class T> indexed<K, T> select_indexed(indexed<K, T> const*);

// The facts of all instructions of a program, in order.
struct instruction_list {
  instruction_facts const* items;
  int size;

  constexpr instruction_facts const& operator[](int k) const { return items[k]; }
  constexpr instruction_facts const* begin() const { return items; }
  constexpr instruction_facts const* end() const { return items + size; }
  consteval int count(bool instruction_facts::*is_counted) const {
    int result = 0;
    for (instruction_facts const& i : *this) result += i.*is_counted;
    return result;
  }
  // Operands are counted from 0; one of them may be read by several instructions, each at its
  // place.
  consteval int read_operands() const {
    long long result = 0;
    for (instruction_facts const& i : *this)
      if (i.is_read && i.bits >= result) result = i.bits + 1;
    return static_cast<int>(result);
  }
  consteval bool has_place(place where) const {
    bool result = false;
    for (instruction_facts const& i : *this) result = result || i.where == where;
    return result;
  }
  // Whether elements are read at addresses of their own.
  consteval bool has_fetches() const {
    bool result = false;
    for (instruction_facts const& i : *this)
      result = result || (i.is_fetch && i.where == place::element);
    return result;
  }
  consteval int last_phase() const {
    return last_phase_of([](place) { return true; });
  }
  consteval int last_row_phase() const {
    return last_phase_of([](place where) { return where == place::row; });
  }
  consteval int widest_element() const {
    int widest = 1;
    for (instruction_facts const& i : *this)
      if (i.moves_elements && size_of(i.type) > widest) widest = size_of(i.type);
    return widest;
  }

 private:
  template <class IsMeant> consteval int last_phase_of(IsMeant is_meant) const {
    int last = 0;
    for (instruction_facts const& i : *this)
      if (i.is_reduction && is_meant(i.where) && i.phase > last) last = i.phase;
    return last;
  }
};

template <class Op> inline constexpr bool is_blockwise_scan = false;
template <class Op>
requires(Op::kind == op_kind::scan) inline constexpr bool is_blockwise_scan<Op> = Op::is_blockwise;

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

  static constexpr instruction_facts items[size > 0 ? size : 1] = {
      instruction_traits<Instructions>::facts...};
  static constexpr detail::instruction_list all{items, size};

  static constexpr int load_count = all.read_operands();
  static constexpr int store_count = all.count(&instruction_facts::is_store);
  static constexpr int scalar_count = all.count(&instruction_facts::is_scalar);
  static constexpr int size_count = all.count(&instruction_facts::is_size);
  static constexpr bool has_reduction = all.count(&instruction_facts::is_reduction) > 0;
  static constexpr bool has_scans = all.count(&instruction_facts::is_scan) > 0;
  static constexpr bool has_sorts = all.count(&instruction_facts::is_sort) > 0;
  static constexpr bool has_positions = all.count(&instruction_facts::is_position) > 0;
  static constexpr bool has_gathered = all.count(&instruction_facts::is_gathered) > 0;
  static constexpr bool has_fetches = all.has_fetches();
  static constexpr bool has_late = all.count(&instruction_facts::is_late) > 0;
  static constexpr bool has_repeated = all.count(&instruction_facts::repeats) > 0;
  static constexpr bool has_blocks =
      (false || ... || detail::is_blockwise_scan<typename instruction_traits<Instructions>::op>);
  // Some result is a part of what is computed.
  static constexpr bool stores_parts = all.count(&instruction_facts::is_window) > 0;
  static constexpr bool has_total = all.has_place(place::total);
  static constexpr bool has_planes = all.has_place(place::plane);
  // Phases that end with a reduction over the columns.
  static constexpr int row_phases = all.last_row_phase();
  // Phases that end with a reduction, be it over the columns or over the rows.
  static constexpr int phases = all.last_phase();
  // Bytes of the widest element that a load or store at place element moves.
  static constexpr int widest_element = all.widest_element();
};

}  // namespace tenon
