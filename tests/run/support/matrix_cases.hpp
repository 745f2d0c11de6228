// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrices of several shapes, in layouts that a kernel reads in different ways.

#include <string>

#include "run/support/arrays.hpp"

inline constexpr arrangement matrix_layouts[] = {arrangement::contiguous, arrangement::misaligned,
                                                 arrangement::padded, arrangement::transposed};

// check(shape, layout, what to say of both) for each of them.
template <class Shapes, class Check>
void for_each_matrix(Shapes const& shapes, Check const& check) {
  for (extents_of_rank<2> const& shape : shapes)
    for (arrangement how : matrix_layouts)
      check(shape, how,
            std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + ", " + to_string(how));
}
