// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator that has an oracle, on float.
#include "run/support/operators.hpp"

TEST(operators, of_float) { operators::check_table<float>(); }
