// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an operand of a call lies along the axes of the iteration space, and in its argument.

#include <cstdint>

#include "tenon/core/config.hpp"
#include "tenon/schedule/space.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// An operand as the iteration space sees it: strides in elements along each iteration axis.
struct spaced_operand {
  std::int64_t strides[max_axes] = {};
  std::int64_t offset = 0;             // of element 0, in elements
  int argument = -1;                   // input or output position; -1: an index
  reading what = reading::element;     // an address counts in bytes
  std::int64_t first = 0, beyond = 0;  // address, gathered: the bytes that may be read through it
  std::int64_t place_step = 0;         // gathered: a power of two that divides it divides the places of rows
  bool is_whole = false;               // output: any of its elements may be written
};

// Where an operand lies in its argument, in bytes from the argument's address.
struct operand_range {
  int argument = -1;                   // -1: an index, whose first position is `offset`
  std::int64_t offset = 0;             // of the element that the kernel starts from
  std::int64_t first = 0, beyond = 0;  // the bytes it may touch
};

}  // namespace tenon::detail
TENON_ONCE_END
