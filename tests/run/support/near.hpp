// SPDX-License-Identifier: Apache-2.0
#pragma once
// expect_near: a result within a relative and an absolute distance of its double reference; what is
// infinite or no number is the same.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "run/support/doubles.hpp"

inline void expect_near(reference::doubles const& result, reference::doubles const& expected,
                        double relative, double absolute, std::string const& what) {
  ASSERT_EQ(result.size(), expected.size()) << what;
  for (std::int64_t i = 0; i < result.size(); ++i) {
    double const e = expected[i];
    if (std::isnan(e) || std::isinf(e))
      ASSERT_TRUE(std::isnan(e) ? std::isnan(result[i]) : result[i] == e)
          << what << " element " << i << ": " << result[i] << " instead of " << e;
    else
      ASSERT_NEAR(result[i], e, relative * std::fabs(e) + absolute) << what << " element " << i;
  }
}
