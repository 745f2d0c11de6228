// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator that has an oracle, on half.
#include "run/support/operators.hpp"

TEST(operators, of_half) { operators::check_table<tn::half>(); }
