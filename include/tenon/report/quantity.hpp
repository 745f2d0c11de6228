// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers → short text with a unit, for reports and examples.

#include <cstdio>
#include <string>

namespace tenon {
namespace detail {

// Three significant digits and an SI prefix: 1.23 M.
inline std::string with_prefix(double number, char const* unit) {
  char const* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int k = 0;
  while (k < 5 && number >= 999.5) number /= 1000, ++k;
  char buffer[48];
  bool is_whole = k == 0 && number == static_cast<double>(static_cast<long long>(number));
  int decimals = is_whole || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  std::snprintf(buffer, sizeof(buffer), "%.*f %s%s", decimals, number, prefixes[k], unit);
  return buffer;
}

inline std::string padded(std::string part, std::size_t width) {
  if (part.size() < width) part.append(width - part.size(), ' ');
  return part;
}

inline std::string plural(long long n, char const* word) {
  return std::to_string(n) + ' ' + word + (n == 1 ? "" : "s");
}

}  // namespace detail

// Decimal units, as bandwidths are given: 8000000 is "8.00 MB".
inline std::string bytes_text(long long bytes) { return detail::with_prefix(static_cast<double>(bytes), "B"); }

inline std::string ratio_text(double ratio) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), ratio < 99.95 ? "%.1fx" : "%.0fx", ratio);
  return buffer;
}

}  // namespace tenon
