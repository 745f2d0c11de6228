// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → the words of its states over the columns, and where they are in shared memory.

#include <utility>

#include "tenon/backend/cuda/parts/cluster.cuh"
#include "tenon/program/traits.hpp"

namespace tenon::detail {

// Words of the state of reduction K, if it is one over the columns; of all of them.
template <class Program, int K>
inline constexpr int words_of_row_state =
    program_traits<Program>::template at<K>::is_reduction&&
                program_traits<Program>::template at<K>::where == place::row
        ? (static_cast<int>(sizeof(typename program_traits<Program>::template at<K>::value_type)) +
           3) /
              4
        : 0;
template <class Program, class Sequence = typename program_traits<Program>::sequence>
inline constexpr int row_state_words = 0;
template <class Program, int... K>
inline constexpr int row_state_words<Program, std::integer_sequence<int, K...>> =
    (0 + ... + words_of_row_state<Program, K>);

// Where the state of each reduction over the columns is among those of its phase, in words. What a
// phase leaves for other threads is read before the next but one leaves anything, which therefore
// has the same memory: a chain of reductions takes no more of it than one of them.
template <class Program> struct row_state_places {
  static constexpr int size = program_traits<Program>::size;
  int first[size] = {};
  int most = 0;  // words of one phase

  static consteval row_state_places all() {
    return []<int... K>(std::integer_sequence<int, K...>) {
      row_state_places result;
      int const words[] = {words_of_row_state<Program, K>...};
      int of_phase[program_traits<Program>::row_phases + 2] = {};
      for (int k = 0; k < size; ++k) {
        if (words[k] == 0) continue;
        int& before = of_phase[program_traits<Program>::all[k].phase];
        result.first[k] = before;
        before += words[k];
        if (before > result.most) result.most = before;
      }
      return result;
    }
    (typename program_traits<Program>::sequence{});
  }
};
template <class Program>
inline constexpr row_state_places<Program> places_of_row_states = row_state_places<Program>::all();
template <class Program>
inline constexpr int words_of_row_phase = places_of_row_states<Program>.most;

// Blocks that may share a row: as many as leave states that the static shared memory of a block of
// 16 warps, 48 KB, has room for.
template <class Program>
inline constexpr int most_blocks_of_row = [] {
  int blocks = most_blocks_per_cluster;
  while (blocks > 1 && 2 * 16 * blocks * words_of_row_phase<Program> * 4 > (40 << 10)) blocks /= 2;
  return blocks;
}();

}  // namespace tenon::detail
