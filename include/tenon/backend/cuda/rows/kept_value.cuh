// SPDX-License-Identifier: Apache-2.0
#pragma once
// The value of an element that takes the place of an operand in shared memory, so that later sweeps
// need not compute it again.

#include "tenon/backend/cuda/parts/sweep.cuh"
#include "tenon/program/kept_value.hpp"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
// Evaluates the elements of a tile: sweeps before that of kept_value::phase do so as ever, that one
// leaves the value in the place of the operand, later ones find it there.
template <class Program, class Tile, bool HasWords = false> struct keeping_evaluation {
  using kept = kept_value<Program, HasWords>;
  Tile& tile;

  template <int Phase, bool Stores, int From, int To, class Ahead>
  __device__ __forceinline__ void evaluate(Ahead const& ahead, frame<Program> const& f, int u,
                                           int i) const {
    if constexpr (kept::number < 0 || Phase < kept::phase) {
      ahead.template evaluate<From, To>(f, i);
    } else {
      unsigned& word = read_register<kept::load>(tile).at[u].words[i];
      if constexpr (Phase == kept::phase) {
        ahead.template evaluate<From, To>(f, i);
        if constexpr (To == max_nodes)
          word = __builtin_bit_cast(unsigned, value_of<kept::number>(f));
      } else {
        value_of<kept::number>(f) = __builtin_bit_cast(float, word);
        evaluate_rest<Phase, Stores, kept, From, To>(f);
      }
    }
  }
};
#endif

}  // namespace tenon::detail
