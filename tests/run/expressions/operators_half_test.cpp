// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table on half.
#include "run/support/operators.hpp"

TEST(operators, of_half) { operators::check_table<tn::half>(); }
