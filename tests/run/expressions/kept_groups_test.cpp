// SPDX-License-Identifier: Apache-2.0
// Groups of neighbouring columns that blocks keep, whose mean and variance are found together.
#include "run/support/group_statistics.hpp"

namespace {

// Groups of whole vectors: of one, of which a cluster holds all, and of which none does.
TEST(kept_groups, normalized_of_whole_vectors) {
  expect_normalized<float>(by_squares, {1, 1401, 32, 4}, 2e-6);
  expect_normalized<float>(by_squares, {2, 150, 4, 40}, 2e-6);
  expect_normalized<float>(by_squares, {1, 901, 2, 256}, 2e-6);
}
// Vectors of which all, a few columns, and one are of one group; a block keeps it, or a cluster.
TEST(kept_groups, normalized_of_parts_of_vectors) {
  auto const layouts = {arrangement::contiguous, arrangement::misaligned, arrangement::padded};
  expect_normalized<tn::bfloat16>(by_squares, {3, 431, 4, 16}, 2e-2, layouts);
  expect_normalized<tn::bfloat16>(by_squares, {2, 1301, 3, 24}, 2e-2);
  expect_normalized<tn::bfloat16>(by_squares, {2, 2003, 4, 20}, 2e-2, layouts);
  expect_normalized<tn::half>(by_squares, {2, 97, 8, 12}, 4e-3);
  expect_normalized<float>(by_squares, {2, 1103, 4, 12}, 2e-6, layouts);
  expect_normalized<float>(by_squares, {2, 1500, 4, 9}, 2e-6);
}

// Rows of memory that are no whole vectors.
TEST(kept_groups, normalized_of_odd_numbers) {
  expect_normalized<float>(by_squares, {2, 700, 5, 7}, 2e-6);
  expect_normalized<tn::bfloat16>(by_squares, {2, 700, 6, 6}, 2e-2);
}
// A reduction that waits for another one.
TEST(kept_groups, normalized_in_two_sweeps) {
  expect_normalized<tn::bfloat16>(by_magnitudes, {3, 431, 4, 16}, 2e-2);
  expect_normalized<tn::bfloat16>(by_magnitudes, {2, 2003, 4, 20}, 2e-2);
}

}  // namespace
