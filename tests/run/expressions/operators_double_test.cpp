// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator that has an oracle, on double.
#include "run/support/operators.hpp"

TEST(operators, of_double) { operators::check_table<double>(); }
