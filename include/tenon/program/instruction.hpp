// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program as a type: closure-free and short, the only thing that kernels are templated on beside a configuration.

#include <utility>

#include "tenon/ops/tables.hpp"
#include "tenon/schedule/alike_loads.hpp"
#include "tenon/schedule/halves.hpp"
#include "tenon/schedule/neighbours.hpp"
#include "tenon/schedule/row_slices.hpp"
#include "tenon/schedule/stencils.hpp"
#include "tenon/schedule/stepped_positions.hpp"

namespace tenon {

// Where, when and in which dtype an instruction computes, in one number to keep kernel names short.
struct meta {
  dtype type;
  place where;
  int phase;
  bool varies_over_rows;

  constexpr unsigned packed() const {
    return static_cast<unsigned>(type) | (static_cast<unsigned>(where) & 3u) << 4 |
           static_cast<unsigned>(varies_over_rows) << 6 | static_cast<unsigned>(where) >> 2 << 7 |
           static_cast<unsigned>(phase) << 8;
  }
  static constexpr meta unpack(unsigned m) {
    return {static_cast<dtype>(m & 15u), static_cast<place>((m >> 4 & 3u) | (m >> 7 & 1u) << 2), static_cast<int>(m >> 8), (m >> 6 & 1u) != 0};
  }
};
static_assert(dtype_count <= 16);

// Applies Op to the results of earlier instructions. Bits: a literal's value, or a position in the list of its kind; and what
// schedule/halves.hpp says.
template <class Op, unsigned Meta, long long Bits, int... Operands>
struct ins {};

template <class... Instructions>
struct program {};

}  // namespace tenon
