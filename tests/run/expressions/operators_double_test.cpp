// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table on double.
#include "run/support/operators.hpp"

TEST(operators, of_double) { operators::check_table<double>(); }
