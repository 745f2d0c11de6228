// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table on bfloat16.
#include "run/support/operators.hpp"

TEST(operators, of_bfloat16) { operators::check_table<tn::bfloat16>(); }
