// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the vectors of rows are in shared memory, so that lanes find theirs in different banks.

#include "tenon/core/config.hpp"

namespace tenon::detail {

// Neighbouring lanes want vectors of 16 bytes that are some power of two apart, which would lie in
// the same banks: eight neighbouring ones are exchanged with each other, differently from row to
// row.
struct image_order {
  int by = 0;
  unsigned mask = 0;

  // Of rows of so many vectors, that so many lanes share, which is a power of two.
  static constexpr image_order of(int vectors, int lanes) {
    bool const meets = (vectors & (vectors - 1)) == 0 && vectors > lanes && lanes < 8;
    if (!meets) return {};
    int by = 0;
    while (lanes << by < vectors) ++by;
    return {by, 0x70u & ~(static_cast<unsigned>(lanes - 1) << 4)};
  }
  // Where byte `at` of an image is.
  constexpr TENON_HD unsigned operator()(int at) const { return of_row(at)(0); }
  // The same of what is further on in the row of byte `at`, by whole vectors of all of its lanes.
  struct row {
    unsigned at, turned;
    constexpr TENON_HD unsigned operator()(int further) const {
      return (at + static_cast<unsigned>(further)) ^ turned;
    }
  };
  constexpr TENON_HD row of_row(int at) const {
    return {static_cast<unsigned>(at), static_cast<unsigned>(at) >> by & mask};
  }
};

}  // namespace tenon::detail
