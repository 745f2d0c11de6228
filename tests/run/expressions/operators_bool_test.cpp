// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table that is not a function of real numbers, on bool.
#include "run/support/operators.hpp"

TEST(operators, of_bool) { operators::check_table<bool>(); }
