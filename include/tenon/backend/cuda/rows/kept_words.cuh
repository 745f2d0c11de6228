// SPDX-License-Identifier: Apache-2.0
#pragma once
// The value of an element that is kept from sweep to sweep of a row instead of its operands, so
// that later sweeps neither unpack these nor compute it again.

#include "tenon/backend/cuda/parts/vector_ahead.cuh"
#include "tenon/program/kept_value.hpp"

namespace tenon::detail {

// Several operands have as many registers as one number of 32 bits for each element, or more, a
// mask of bytes among them. Of one half type it takes twice as many, which pays where elements are
// told apart by their positions, as each sweep would do again, and where much is computed, in all
// sweeps that need it. H200, us, softmax of 50 tanh(x / 50), 32768 x 2048 bf16 88 and 64, f32 172
// and 136, layer norm of gelu bf16 101 and 72, f32 201 and 141; softmax of x + bias where a mask
// holds, 8 x 16 x 512 x 512 bf16 87 and 38, half as many batches of f32 54 and 38; of three
// reductions, the two greatest of a softmax of 65536 x 64 bf16 14.3 and 9.5.
template <class Program> struct kept_words {
  using traits = program_traits<Program>;
  using value = kept_value<Program>;
  static constexpr int much = 16;  // issue slots of an element, in all sweeps that need it
  // Of an operand that comes from a cache for each sweep. H200, us, layer norm with weights and
  // bias of f32, 16384 x 4096 bf16, to float8_e4m3: 102 and 91 where its elements are kept.
  static constexpr int of_shared = 6;

  static consteval bool is_own_element(instruction_facts const& i) {
    return i.is_load && i.where == place::element && i.is_own();
  }
  static consteval bool is_place(instruction_facts const& i) {
    return i.is_position && i.where == place::element;
  }
  // Whether elements are told apart by their positions, and reductions do not keep these.
  static consteval bool has_masks() {
    bool is_masked = false;
    for (int k = traits::size; k-- > 0;) {
      instruction_facts const& i = traits::all[k];
      is_masked = is_masked || is_place(i);
      for (int n = 0; i.is_reduction && n < i.operand_count; ++n)
        if (traits::all[i.operands[n]].is_position) return false;
    }
    return is_masked;
  }
  // Whether any value is worth its registers, or only what costs much.
  static consteval bool is_cheap_to_keep() {
    int bytes = 0, operands = 0;
    for (instruction_facts const& i : traits::all)
      if (is_own_element(i)) bytes += size_of(i.type), ++operands;
    return has_masks() || (operands > 1 && bytes > 2);
  }
  static consteval bool may_keep() {
    for (instruction_facts const& i : traits::all)
      if (is_own_element(i) && size_of(i.type) > 4) return false;
    return (has_masks() || !traits::has_positions) && !traits::has_fetches && !has_random<Program>;
  }
  // Issue slots of number k and what it comes from.
  static consteval int cost_of(int k) {
    auto const behind = value::needs(0, k, -1);
    int cost = value::cost_of(k);
    for (int j = 0; j < k; ++j) {
      instruction_facts const& i = traits::all[j];
      if (behind.needed[j] && i.is_load && i.where == place::element && i.is_shared())
        cost += of_shared;
    }
    return cost;
  }
  // How many sweeps behind that of `phase` need number k; none if one needs more of the row or of
  // where its elements are.
  static consteval int sweeps_of(int k, int phase) {
    int result = 0;
    for (int q = phase + 1; q <= value::last; ++q) {
      auto const later = value::needs(q, -1, k);
      result += later.needed[k];
      for (int j = 0; j < traits::size; ++j)
        if (later.needed[j] && (is_own_element(traits::all[j]) || is_place(traits::all[j])))
          return 0;
    }
    return result;
  }
  // What is kept when the sweep of `phase` has computed it; -1: nothing else than before.
  static consteval int after(int phase) {
    int result = -1;
    if (!may_keep() || phase >= value::last) return result;
    auto const computed = value::needs(phase, -1, -1);
    for (int k = 0; k < traits::size; ++k) {
      int const sweeps = sweeps_of(k, phase);
      if (computed.needed[k] && kept_value<Program, true>::is_candidate(k) && sweeps > 0 &&
          (is_cheap_to_keep() || cost_of(k) * sweeps >= much))
        result = k;
    }
    return result;
  }
  // What the sweep of `phase` is given; -1: the operands.
  static consteval int before(int phase) {
    int result = -1;
    for (int p = 1; p < phase; ++p)
      if (int const k = after(p); k >= 0) result = k;
    return result;
  }
  static constexpr bool is_any = before(value::last) >= 0;
};

template <class Program, class C> struct element_words {
  static constexpr bool is_any = kept_words<Program>::is_any;
  float at[is_any ? C::items : 1][is_any ? C::vector_width : 1];
};

#if defined(__CUDA_ARCH__)
template <int Number> struct given_number {
  static consteval bool holds(int k) { return k == Number; }
};

// Evaluates the elements of a tile, given what an earlier sweep kept.
template <class Program, class C> struct evaluation_of_words {
  element_words<Program, C>& words;

  template <int Phase, bool Stores, int From, int To, class Ahead>
  __device__ __forceinline__ void evaluate(Ahead const& ahead, frame<Program> const& f, int u,
                                           int i) const {
    constexpr int given = kept_words<Program>::before(Phase),
                  left = Stores ? -1 : kept_words<Program>::after(Phase);
    if constexpr (given < 0) {
      ahead.template evaluate<From, To>(f, i);
    } else {
      value_of<given>(f) = words.at[u][i];
      evaluate_rest<Phase, Stores, given_number<given>, From, To>(f);
    }
    if constexpr (left >= 0 && To == max_nodes) words.at[u][i] = value_of<left>(f);
  }
};
#endif

}  // namespace tenon::detail
