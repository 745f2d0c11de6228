// SPDX-License-Identifier: Apache-2.0
#pragma once
// check_close: a result against its double reference, with a tolerance that follows from dtype and
// count.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "run/support/doubles.hpp"
#include "tenon/core/dtype.hpp"

// Unit roundoff, smallest positive number and largest number of a floating dtype.
struct precision {
  double roundoff, smallest, largest;
};
constexpr precision precision_of(tenon::dtype d) {
  switch (d) {
    case tenon::dtype::f16:
      return {0x1p-11, 0x1p-24, 65504};
    case tenon::dtype::bf16:
      return {0x1p-8, 0x1p-133, 0x1.fep127};
    case tenon::dtype::f32:
      return {0x1p-24, 0x1p-149, 0x1.fffffep127};
    default:
      return {0x1p-53, 0x0.0000000000001p-1022, std::numeric_limits<double>::max()};
  }
}

// How far a floating result may be from its reference, in unit roundoffs.
struct tolerance {
  double arithmetic = 1;  // of the type that is computed in, relative to `scale`, or to the
                          // reference where there is none
  double storage = 1;     // of the result's dtype: 1 is the rounding of the store
  double absolute = 0;
  reference::doubles const* scale = nullptr;
};

// A sum of n terms in a tree, relative to the sum of their magnitudes.
inline double sum_roundoffs(std::int64_t count) {
  return 4 * (std::log2(static_cast<double>(count > 1 ? count : 1)) + 8);
}

namespace detail {
inline bool is_close(tenon::dtype type, double result, double expected, double scale,
                     tolerance const& allowed) {
  if (!tenon::is_floating(type)) return result == expected;
  if (std::isnan(expected) || std::isnan(result)) return std::isnan(expected) && std::isnan(result);
  precision const stored = precision_of(type),
                  computed = precision_of(tenon::is_half(type) ? tenon::dtype::f32 : type);
  if (std::isinf(result) && std::isinf(expected)) return result == expected;
  // Half a unit beyond the largest number everything becomes infinite; either side of that border
  // is right.
  double const border = stored.largest * (1 + stored.roundoff);
  if (std::isinf(result))
    return std::fabs(expected) >= border * (1 - allowed.arithmetic * computed.roundoff) &&
           std::signbit(result) == std::signbit(expected);
  if (std::isinf(expected)) return false;
  double const error = allowed.storage * stored.roundoff * std::fabs(expected) +
                       allowed.arithmetic * computed.roundoff * scale +
                       allowed.storage * stored.smallest + allowed.absolute;
  return std::fabs(result - expected) <= error;
}
}  // namespace detail

// `type` is the dtype of the result. Integers and bool are exact; the sign of zero is not looked
// at.
inline void check_close(tenon::dtype type, reference::doubles const& result,
                        reference::doubles const& expected, tolerance const& allowed = {},
                        std::string const& what = "") {
  ASSERT_EQ(result.extents, expected.extents) << what;
  std::int64_t wrong = 0, first = -1;
  for (std::int64_t i = 0; i < result.size(); ++i) {
    double const scale = std::fabs(allowed.scale ? (*allowed.scale)[i] : expected[i]);
    if (detail::is_close(type, result[i], expected[i], scale, allowed)) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return;
  std::ostringstream text;
  text.precision(17);
  text << what << " in " << tenon::name(type) << ": " << wrong << " of " << result.size()
       << " elements differ, the first at [";
  for (std::int64_t position : reference::index_of(result.extents, first)) text << ' ' << position;
  text << " ]: " << result[first] << " where " << expected[first] << " is expected";
  ADD_FAILURE() << text.str();
}
