// SPDX-License-Identifier: Apache-2.0
#pragma once
// How blocks share the positions of rows of no whole number of vectors, of which each has all: a
// function of the shape alone, because the order of a sum follows from it.

#include "tenon/backend/cuda/columns/share.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct folded_share {
  // More of them are too much for the block that combines what all have left. H200, us, 65536 x 250
  // bf16 15.9 (13.6 as columns).
  static constexpr long long most_rows = 128;
  // What is over sooner feels that block. H200, bf16, us, against columns: 65536 x 100 9.5 (9.2),
  // 4096 x 33 3.7 (3.5), 2^20 x 7 9.0 (8.6).
  static constexpr long long least_elements = 1 << 23;

  int fold = 0;    // neighbouring positions that are whole vectors together; 0: nothing is folded
  int height = 0;  // of a block, in positions folded
  long long slices = 1, slice_length = 1;

  // Of vectors of v rows, `items` of a thread in flight.
  [[gnu::cold]] static folded_share of(long long rows, long long positions, int v, int items) {
    folded_share result;
    if (rows < 2 || rows > most_rows || rows % v == 0 || positions < least_elements / rows)
      return result;
    int fold = v;
    while (rows * fold / 2 % v == 0) fold /= 2;
    if (positions % fold != 0) return result;
    long long const vectors = divide_up(rows, v), folded = positions / fold;
    result.fold = fold;
    // Each position by itself has vectors that are not whole.
    result.height = static_cast<int>(columns_sharing::threads / (fold * vectors));
    long long const step = result.height * items;
    // Blocks of few threads are more.
    long long const most = columns_sharing::blocks_wanted *
                           (columns_sharing::threads / (result.height * fold * rows / v));
    long long const slices = clamped(most, 1, divide_up(folded, step));
    result.slice_length = divide_up(divide_up(folded, slices), step) * step;
    result.slices = divide_up(folded, result.slice_length);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
