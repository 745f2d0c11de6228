// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// The exception type: its sentence, its fields, and that copies of it do not throw.

#include "tenon/core/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace {

TEST(error, sentence_and_fields) {
  try {
    tenon::raise({.operation = "launch",
                  .problem = "shapes [3, 4] and [4, 3] differ",
                  .remedy = "transpose one of them",
                  .shapes = "[3, 4] and [4, 3]",
                  .expression = "bias_gelu",
                  .operand_name = "bias",
                  .operand = 1});
  } catch (tenon::error const& e) {
    EXPECT_STREQ(e.what(),
                 "tenon: launch: shapes [3, 4] and [4, 3] differ; transpose one of them "
                 "(expression bias_gelu, "
                 "operand 1, 'bias')");
    EXPECT_EQ(e.operation(), "launch");
    EXPECT_EQ(e.shapes(), "[3, 4] and [4, 3]");
    EXPECT_EQ(e.expression(), "bias_gelu");
    EXPECT_EQ(e.operand_name(), "bias");
    EXPECT_EQ(e.operand(), 1);
    EXPECT_EQ(e.details().remedy, "transpose one of them");
    return;
  }
  FAIL() << "nothing was raised";
}

TEST(error, names_the_place_when_it_is_known) {
  tenon::error const e({.operation = "sum",
                        .problem = "a",
                        .remedy = "b",
                        .location = std::source_location::current()});
  std::string const what = e.what();
  EXPECT_NE(what.find("error_test.cpp:"), std::string::npos) << what;
  EXPECT_EQ(e.location().line(), __LINE__ - 3);
}

TEST(error, says_no_more_than_is_known) {
  EXPECT_STREQ(tenon::error({.operation = "sum", .problem = "a", .remedy = "b"}).what(),
               "tenon: sum: a; b");
}

TEST(error, is_an_exception_whose_copy_does_not_throw) {
  static_assert(std::is_base_of_v<std::exception, tenon::error>);
  static_assert(std::is_nothrow_copy_constructible_v<tenon::error>);
}

}  // namespace
