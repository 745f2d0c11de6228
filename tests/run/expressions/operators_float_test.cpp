// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table on float.
#include "run/support/operators.hpp"

TEST(operators, of_float) { operators::check_table<float>(); }
