// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole message that a call raises.

#include <gtest/gtest.h>

#include <string>

#include "tenon/core/error.hpp"

// The message without the line of the expression, which every change of a test would move, or
// "nothing was raised".
template <class Call> std::string message_of(Call const& call) {
  try {
    call();
  } catch (tenon::error const& e) {
    std::string text = e.what();
    std::string const line =
        ", " + std::string(e.location().file_name()) + ":" + std::to_string(e.location().line());
    if (std::size_t const at = text.find(line); at != std::string::npos)
      text.erase(at, line.size());
    return text;
  }
  return "nothing was raised";
}

#define EXPECT_ERROR(call, message) EXPECT_EQ(message_of([&] { (void)(call); }), message)
