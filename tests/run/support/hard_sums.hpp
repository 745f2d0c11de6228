// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands on which each addition of a long chain would lose a whole roundoff, with their sums.

#include <array>
#include <bit>
#include <vector>

#include "run/support/arrays.hpp"

constexpr int pattern_count = 5;

// Element `i` of n. A large one takes in small ones of one roundoff, of which each addition by
// itself rounds to nothing; where the large one is differs, and whether the small ones are alike.
inline double element(int pattern, std::int64_t i, std::int64_t n, double roundoff) {
  double const varied =
      0.5 + static_cast<double>(static_cast<std::uint64_t>(i) * 2654435761u % 1024) / 2048;
  switch (pattern) {
    case 0:
      return i == 0 ? 1 : roundoff;
    case 1:
      return i == n / 2 ? 1 : roundoff * varied;
    case 2:
      return i == n - 1 ? 1 : roundoff;
    case 3:
      return i == 0 ? 1 : 3 * roundoff;
    default:
      return i % 2 == 0 ? varied : -0.75 * varied;
  }
}

// n elements are added up in each of `groups` sums.
struct problem {
  std::int64_t n, groups;
  int first_pattern;
  int pattern_of(std::int64_t group) const {
    return static_cast<int>((first_pattern + group) % pattern_count);
  }
};

// The element type whose roundoff counts: sums of a half type are made in float.
template <class T>
inline constexpr double roundoff_of = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;

enum class along { rows, columns };

inline double allowed_roundoffs(std::int64_t n) {
  return n < 2 ? 0 : 2.0 * std::bit_width(static_cast<std::uint64_t>(n - 1));
}

// The operand of a problem, in rows of n or columns of n, and what its sums are.
template <class T> struct operand {
  std::array<std::vector<T>, pattern_count> patterns;
  long double sums[pattern_count] = {}, magnitudes[pattern_count] = {};
  tn::tensor<T, tn::dyn, tn::dyn> x;

  operand(problem const& p, along axis, bool is_positive = false)
      : x(axis == along::rows ? p.groups : p.n, axis == along::rows ? p.n : p.groups) {
    for (int pattern = 0; pattern < pattern_count; ++pattern)
      for (std::int64_t i = 0; i < p.n; ++i) {
        double const value = element(pattern, i, p.n, roundoff_of<T>);
        auto const stored = from_double<T>(is_positive ? std::fabs(value) : value);
        patterns[static_cast<std::size_t>(pattern)].push_back(stored);
        sums[pattern] += as_double(stored);
        magnitudes[pattern] += std::fabs(as_double(stored));
      }
    std::vector<T> elements(static_cast<std::size_t>(p.n * p.groups));
    for (std::size_t e = 0; e < elements.size(); ++e) {
      auto const at = static_cast<std::int64_t>(e);
      std::int64_t const group = axis == along::rows ? at / p.n : at % p.groups;
      std::int64_t const i = axis == along::rows ? at % p.n : at / p.groups;
      elements[e] =
          patterns[static_cast<std::size_t>(p.pattern_of(group))][static_cast<std::size_t>(i)];
    }
    tn::space_traits<tn::default_space>::write(x.data(), elements.data(),
                                               elements.size() * sizeof(T), {});
  }
};
