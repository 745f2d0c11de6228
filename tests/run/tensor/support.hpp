// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of this folder share: values to recognise elements by, and the comparison of a
// whole message.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/core/error.hpp"

// 0, 1, 2, ...: exact in float up to 2^24 elements.
template <class T = float> std::vector<T> counted(std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(static_cast<float>(i)));
  return values;
}

// The message that a call raises, or "nothing was raised".
template <class Call> std::string message_of(Call&& call) {
  try {
    call();
  } catch (tenon::error const& e) {
    return e.what();
  }
  return "nothing was raised";
}

#define EXPECT_ERROR(expression, message) \
  EXPECT_EQ(message_of([&] { (void)(expression); }), message)
