// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → the value of an element that is worth keeping from one sweep of a row to the next
// ones.

#include "tenon/program/drawn.hpp"
#include "tenon/program/traits.hpp"

namespace tenon::detail {

// Number K is computed in the sweep of phase `phase` and needed after it, where load `load`, which
// it comes from and which has as many bytes, is needed for nothing else; K is -1 if there is none.
struct kept_place {
  int number = -1, load = -1, phase = 0;
};

// Softmax of f32: its exponentials are computed once. HasWords: elements of narrower types have a
// word each, too.
template <class Program, bool HasWords = false> struct kept_value {
  using traits = program_traits<Program>;
  static constexpr int last = traits::row_phases + 1;
  static constexpr int least_cost = 8;  // issue slots, against a load and a store of four elements

  // What the sweep of a phase needs of an element, or what only `root` does; nothing behind
  // `given`.
  struct table {
    bool needed[traits::size + 1] = {};
  };
  static consteval table needs(int phase, int root, int given) {
    table t;
    for (int k = traits::size - 1; k >= 0; --k) {
      instruction_facts const& i = traits::all[k];
      bool const is_end = root >= 0
                              ? k == root
                              : (i.is_reduction && i.where == place::row && i.phase == phase) ||
                                    (phase == last && i.is_store && i.where == place::element);
      bool const is_inner =
          t.needed[k] && k != given && i.where == place::element && !i.is_reduction;
      if (is_end || is_inner)
        for (int n = 0; n < i.operand_count; ++n) t.needed[i.operands[n]] = true;
    }
    return t;
  }
  // Whether number k is a product that may be rounded with the sum that it goes into, or of which a
  // reduction takes in the factors.
  static consteval bool is_term(int k) {
    if (!traits::all[k].is_product) return false;
    for (instruction_facts const& i : traits::all)
      for (int n = 0; (i.is_sum || i.is_reduction) && n < i.operand_count; ++n)
        if (i.operands[n] == k) return true;
    return false;
  }
  static consteval bool is_candidate(int k) {
    instruction_facts const& i = traits::all[k];
    bool const is_word =
        i.type == dtype::f32 || (HasWords && (i.type == dtype::f16 || i.type == dtype::bf16));
    return i.is_computed && i.where == place::element && is_word && !is_term(k);
  }
  // Issue slots of number k and what it comes from.
  static consteval int cost_of(int k) {
    table const behind = needs(0, k, -1);
    int cost = traits::all[k].cost;
    for (int j = 0; j < k; ++j)
      if (behind.needed[j] && traits::all[j].is_computed && traits::all[j].where == place::element)
        cost += traits::all[j].cost;
    return cost;
  }
  static consteval kept_place find_for(int k) {
    if (cost_of(k) < least_cost) return {};
    table const behind = needs(0, k, -1);
    int phase = 1;
    while (phase < last && !needs(phase, -1, -1).needed[k]) ++phase;
    bool is_needed_later = false;
    table later;
    for (int q = phase + 1; q <= last; ++q) {
      table const t = needs(q, -1, k);
      is_needed_later = is_needed_later || t.needed[k];
      for (int j = 0; j < k; ++j) later.needed[j] = later.needed[j] || t.needed[j];
    }
    for (int j = 0; is_needed_later && j < k; ++j) {
      instruction_facts const& i = traits::all[j];
      if (behind.needed[j] && !later.needed[j] && i.is_load && i.where == place::element &&
          i.is_own() &&
          (size_of(i.type) == size_of(dtype::f32) ||
           (HasWords && size_of(i.type) < size_of(dtype::f32))))
        return {k, j, phase};
    }
    return {};
  }
  static consteval kept_place find() {
    kept_place result;
    if constexpr (!has_random<Program>)
      for (int k = 0; k < traits::size; ++k)
        if (is_candidate(k))
          if (kept_place const found = find_for(k); found.number >= 0) result = found;
    return result;
  }
  static constexpr kept_place found = find();
  static constexpr int number = found.number, load = found.load, phase = found.phase;

  static consteval bool holds(int k) { return k == number; }
};

}  // namespace tenon::detail
