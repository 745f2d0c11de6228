// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program of rows that fetches elements by position, as those of a concatenation → the one whose
// rows have whole vectors of them, each from where its first element is fetched.

#include "tenon/program/moved_values.hpp"

namespace tenon::detail {

template <class Program> struct fetched_rows;
template <class... Instructions> struct fetched_rows<program<Instructions...>> {
  using original = program<Instructions...>;
  using traits = program_traits<original>;
  template <int K> using at = typename traits::template at<K>;

  // Which values are read as vectors, and in front of which instructions how many of them are.
  struct table {
    bool is_vector[traits::size + 1] = {};
    int before[traits::size + 1] = {};
    int count = 0;
  };
  // Whether all that fetch K reads follows from the position and from numbers of the launch.
  static consteval bool is_known(int k) {
    bool needed[traits::size + 1] = {};
    needed[k] = true;
    for (; k >= 0; --k) {
      instruction_facts const& i = traits::all[k];
      if (!needed[k] || i.where == place::launch) continue;
      if (i.where != place::element || i.is_load) return false;
      for (int n = 0; n < i.operand_count; ++n) needed[i.operands[n]] = true;
    }
    return true;
  }
  static consteval table find() {
    table result;
    bool is_right = traits::has_reduction && !traits::has_planes && !traits::has_scans &&
                    !traits::has_sorts && !traits::has_blocks && !traits::has_gathered &&
                    !traits::has_repeated && !traits::stores_parts;
    int widest = 1;
    if constexpr (traits::has_fetches) {
      using values = moved_values<original>;
      is_right = is_right && values::is_movement;
      for (int k = 0; k < traits::size; ++k) {
        result.before[k] = result.count;
        if (values::all.kinds[k] != moved_kind::fetched || !values::all.is_read[k]) continue;
        instruction_facts const& i = traits::all[k];
        is_right = is_right && i.where == place::element && i.varies_over_rows && is_known(k);
        result.is_vector[k] = true, ++result.count;
        if (size_of(i.type) > widest) widest = size_of(i.type);
      }
    }
    // As many elements to a vector as where each is fetched, for the same bits.
    return is_right && widest <= traits::widest_element ? result : table{};
  }
  static constexpr table all = find();
  static constexpr bool are_found = all.count > 0;

  // Instruction k and, where it is a vector, what reads that.
  static consteval int place_of(int k) { return k + all.before[k]; }
  static consteval int value_of(int k) { return place_of(k) + (all.is_vector[k] ? 1 : 0); }
  // A choice of what is fetched takes the places instead of the elements.
  template <int K> static consteval int moved(int operand) {
    return moved_values<original>::all.kinds[K] == moved_kind::fetched ? place_of(operand)
                                                                       : value_of(operand);
  }
  template <int K, class Instruction> struct moved_instruction;
  template <int K, class Op, unsigned Meta, long long Bits, int... Operands>
  struct moved_instruction<K, ins<Op, Meta, Bits, Operands...>> {
    using type = ins<Op, Meta, Bits, moved<K>(Operands)...>;
    static constexpr unsigned meta = Meta;
  };
  struct step {
    int from = 0;
    bool is_load = false;
  };
  static consteval step step_at(int j) {
    for (int k = 0; k < traits::size; ++k) {
      if (place_of(k) == j) return {k, false};
      if (all.is_vector[k] && value_of(k) == j) return {k, true};
    }
    return {};
  }
  template <int K>
  using old = moved_instruction<K, typename decltype(select_indexed<K>(
                                       static_cast<typename traits::pack const*>(nullptr)))::type>;
  template <int J> static auto instruction() {
    constexpr step from = step_at(J);
    if constexpr (from.is_load)
      return ins<ops::load_fetched, old<from.from>::meta,
                 moved_values<original>::template operand_of<from.from>()>{};
    else
      return typename old<from.from>::type{};
  }
  template <int... J> static auto join(std::integer_sequence<int, J...>) {
    return program<decltype(instruction<J>())...>{};
  }
  static auto make() {
    if constexpr (are_found)
      return join(std::make_integer_sequence<int, traits::size + all.count>{});
    else
      return original{};
  }
  using type = decltype(make());
};

}  // namespace tenon::detail
