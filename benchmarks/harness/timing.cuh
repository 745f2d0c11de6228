// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often a program repeats, and what it makes of the microseconds: median and spread.

#include <algorithm>
#include <vector>

namespace bench {

struct effort {
  int single_repetitions = 40;
};
inline constexpr effort quick_effort{.single_repetitions = 10};

struct measurement {
  double median_us = 0, p10_us = 0, p90_us = 0;
};

inline measurement summary_of(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  auto at = [&](double fraction) {
    return us[static_cast<std::size_t>(fraction * static_cast<double>(us.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.1), at(0.9)};
}

}  // namespace bench
