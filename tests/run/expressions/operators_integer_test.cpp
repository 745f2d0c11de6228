// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table that is not a function of real numbers, on integers.
#include "run/support/operators.hpp"

TEST(operators, of_int32) { operators::check_table<std::int32_t>(); }
TEST(operators, of_int64) { operators::check_table<std::int64_t>(); }
