// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers → short text with a unit, for reports and examples.
//
// The compiler's own snprintf: <cstdio> is left to who prints.

#include "tenon/core/text.hpp"

namespace tenon {
namespace detail {

// Three significant digits and an SI prefix: 1.23 M.
inline text with_prefix(double number, char const* unit) {
  char const* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int k = 0;
  while (k < 5 && number >= 999.5) number /= 1000, ++k;
  char buffer[48];
  bool is_whole = k == 0 && number == static_cast<double>(static_cast<long long>(number));
  int decimals = is_whole || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  __builtin_snprintf(buffer, sizeof(buffer), "%.*f %s%s", decimals, number, prefixes[k], unit);
  return buffer;
}

// @post at least `width` characters
inline text padded(text part, int width) {
  while (part.size() < width) part << ' ';
  return part;
}

inline text plural(long long n, char const* word) {
  return to_string(n) + ' ' + word + (n == 1 ? "" : "s");
}

}  // namespace detail

// Decimal units, as bandwidths are given: 8000000 is "8.00 MB".
inline text bytes_text(long long bytes) { return detail::with_prefix(static_cast<double>(bytes), "B"); }

inline text ratio_text(double ratio) {
  char buffer[32];
  __builtin_snprintf(buffer, sizeof(buffer), ratio < 99.95 ? "%.1fx" : "%.0fx", ratio);
  return buffer;
}

}  // namespace tenon
