// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of f32 against exact ones, as a part of the bound 2 ceil(log2 n) 2^-24 sum|x|.

#include <bit>
#include <cmath>

#include "measure.hpp"

namespace accuracy {

struct sum_row {
  std::int64_t count;
  char const* values;
  double error_of_bound;
};

// Each value is exact in double, and so are sums of 2^24 of them but for some 2^-29 of a float's unit.
inline sum_row measure_sum(std::int64_t count, bool is_positive) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint64_t state = 1;
  double exact = 0, magnitude = 0;
  for (float& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(state >> 40) * 0x1p-24f - (is_positive ? 0.0f : 0.5f);
    exact += value;
    magnitude += std::fabs(static_cast<double>(value));
  }
  tn::tensor<float, tn::dyn> x(values, count);
  float const result = tn::compile([](auto v) { return tn::sum(v); })(x).item();
  double const levels = std::bit_width(static_cast<std::uint64_t>(count - 1));
  return {count, is_positive ? "0 to 1" : "-0.5 to 0.5", std::fabs(result - exact) / (2 * levels * 0x1p-24 * magnitude)};
}

inline std::vector<sum_row> measure_sums() {
  std::vector<sum_row> rows;
  for (std::int64_t count : {2LL, 3LL, 33LL, 1000LL, 65536LL, 1000003LL, 1LL << 24})
    for (bool is_positive : {true, false}) rows.push_back(measure_sum(count, is_positive));
  return rows;
}

}  // namespace accuracy
