// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that sums exp(x - its largest) → the one that finds both in one sweep.

#include "tenon/program/traits.hpp"

namespace tenon::detail {

// A largest element and the only sum of the phase after it, if that is of exponentials shifted by
// it; -1: there are none.
struct shifted_sum {
  int largest = -1, sum = -1;
};
template <class Program> struct joined_sweeps;
template <class... Instructions> struct joined_sweeps<program<Instructions...>> {
  using traits = program_traits<program<Instructions...>>;
  template <class Op> static consteval bool is(int k) {
    bool const all[] = {std::is_same_v<typename instruction_traits<Instructions>::op, Op>...};
    return all[k];
  }
  static consteval shifted_sum find() {
    // Totals have not been measured. Exponentials of eight bytes beside each other, or beside
    // positions, have no registers (ptxas 13.0, sm_90: 84 and 24 bytes spilled).
    if (traits::has_total || traits::has_planes || traits::has_positions ||
        traits::widest_element > 4)
      return {};
    shifted_sum result;
    int sums = 0;
    for (int k = 0; k < traits::size; ++k) {
      instruction_facts const& i = traits::all[k];
      if (!i.is_reduction || i.phase != 2) continue;
      ++sums;
      if (!is<ops::sum>(k) || i.where != place::row || !is<ops::exp>(i.operands[0])) continue;
      int const shifted = traits::all[i.operands[0]].operands[0];
      if (!is<ops::sub>(shifted)) continue;
      int const x = traits::all[shifted].operands[0], largest = traits::all[shifted].operands[1];
      if (is<ops::maximum_of>(largest) && traits::all[largest].where == place::row &&
          traits::all[largest].phase == 1 && traits::all[largest].operands[0] == x)
        result = {largest, k};
    }
    return sums == 1 ? result : shifted_sum{};
  }
  static constexpr shifted_sum found = find();
  static constexpr int at = found.largest;

  // Behind the state comes its largest element, which takes its place.
  template <int K, class Instruction> struct moved;
  template <int K, class Op, unsigned Meta, long long Bits, int... Operands>
  struct moved<K, ins<Op, Meta, Bits, Operands...>> {
    static constexpr unsigned meta = Meta >> 8 > 1 ? Meta - 256 : Meta;
    using type = std::conditional_t<
        K == at, ins<ops::log_sum_exp, Meta, Bits, Operands...>,
        std::conditional_t<K == found.sum, ins<ops::shifted_sum_part, meta, 0, at>,
                           ins<Op, meta, Bits, (Operands < at ? Operands : Operands + 1)...>>>;
  };
  template <int K>
  using old = typename decltype(select_indexed<K>(
      static_cast<typename traits::pack const*>(nullptr)))::type;
  template <class I> struct largest_of;
  template <class Op, unsigned Meta, long long Bits, int... Operands>
  struct largest_of<ins<Op, Meta, Bits, Operands...>> {
    using type = ins<ops::max_part, Meta, 0, at>;
  };
  template <int J> static auto place() {
    if constexpr (J == at + 1)
      return largest_of<old<at>>{};
    else
      return moved<(J > at ? J - 1 : J), old<(J > at ? J - 1 : J)>>{};
  }
  template <int... J> static auto join(std::integer_sequence<int, J...>) {
    if constexpr (at < 0)
      return program<Instructions...>{};
    else
      return program<typename decltype(place<J>())::type...>{};
  }
  using type = decltype(join(std::make_integer_sequence<int, traits::size + 1>{}));
};

}  // namespace tenon::detail
