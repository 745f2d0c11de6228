// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is chosen of many vectors: the first one that has the best number, kept as it is, in which
// that number is looked for once, in the end.

#include "tenon/ops/indexed_reduction.hpp"

namespace tenon::ops {

// Of vectors of V numbers, for the choice Op. Index: what says which vector it is.
template <class Op, class T, int V, class Index> struct chosen_vector {
  static constexpr bool takes_numbers = true;
  using number = T;
  static constexpr Index nowhere = math::largest<Index>;
  T best = Op::template identity<T>().number;
  Index at = nowhere;
  T numbers[V];

  // Takes in the first `valid` of Count numbers, which are vectors at_of(0), at_of(1), ...; these
  // ascend. What was taken in before may be of any vectors.
  // @pre 0 < valid; what is not valid may be overwritten
  template <int Count, class At>
  constexpr TENON_HD void take(T (&x)[Count], int valid, At const& at_of) {
    constexpr int vectors = Count / V;
    static_assert(vectors * V == Count);
    if (valid < Count) {
      for (int i = 1; i < Count; ++i)
        if (i >= valid) x[i] = Op::template identity<T>().number;
    }
    T of_vectors[vectors];
    for (int u = 0; u < vectors; ++u) of_vectors[u] = best_of(vector_of(x, u));
    T const best_now = best_of(of_vectors);
    if (Op::is_better(best, best_now)) return;
    auto first = vector_of(x, vectors - 1);
    Index first_at = at_of(vectors - 1);
    for (int u = vectors - 2; u >= 0; --u)
      if (has(of_vectors[u], best_now)) first = vector_of(x, u), first_at = at_of(u);
    // In one piece: lanes differ, and branches are more than what they leave out.
    bool const was_nan = best != best,
               is_tie = (best_now == best) | (was_nan & (best_now != best_now));
    if ((is_tie & (at <= first_at)) | (!is_tie & was_nan)) return;
    best = best_now, at = first_at;
    for (int i = 0; i < V; ++i) numbers[i] = first.numbers[i];
  }

  // The state of all; index_of(vector, i) is the position of number i of a vector.
  template <class IndexOf>
  constexpr TENON_HD indexed::state<T> state(IndexOf const& index_of) const {
    if (at == nowhere) return Op::template identity<T>();
    int first = V - 1;
    T number = numbers[V - 1];  // one of 0 and -0
    for (int i = V - 2; i >= 0; --i)
      if (has(numbers[i], best)) first = i, number = numbers[i];
    return {number, index_of(at, first)};
  }

 private:
  struct vector {
    T numbers[V];
  };
  template <int Count> static constexpr TENON_HD vector vector_of(T const (&x)[Count], int u) {
    vector result;
    for (int i = 0; i < V; ++i) result.numbers[i] = x[u * V + i];
    return result;
  }
  static constexpr TENON_HD T best_of(vector const& of) { return best_of(of.numbers); }
  template <int Count> static constexpr TENON_HD T best_of(T const (&x)[Count]) {
    if constexpr (Count == 1) {
      return x[0];
    } else {
      T half_as_many[(Count + 1) / 2];
      for (int i = 0; i < Count / 2; ++i) half_as_many[i] = Op::better(x[2 * i], x[2 * i + 1]);
      if constexpr (Count % 2 == 1) half_as_many[Count / 2] = x[Count - 1];
      return best_of(half_as_many);
    }
  }
  // Whether a number, or one of those it is the best of, is the best of all: NaN is, if any is.
  static constexpr TENON_HD bool has(T number, T best) {
    return number == best || number != number;
  }
};

}  // namespace tenon::ops
