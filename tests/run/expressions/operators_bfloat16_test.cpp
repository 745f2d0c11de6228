// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator that has an oracle, on bfloat16.
#include "run/support/operators.hpp"

TEST(operators, of_bfloat16) { operators::check_table<tn::bfloat16>(); }
