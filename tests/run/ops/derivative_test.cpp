// SPDX-License-Identifier: Apache-2.0
// The derivative of every operator of the tables against differences of its reference. An entry that does not say what its
// derivative is does not compile.
// tenon-test: cpu-only
#include "laws/derivative_laws.hpp"
#include "tenon/ops/special.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {

template <class Table>
void check_derivatives(Table table) {
  laws::for_each_op(table, [](auto op) {
    using Op = typename decltype(op)::type;
    static_assert(laws::answers_for_derivative<Op>,
                  "an operator of the table says nothing of its derivative; give it a rule, or is_locally_constant, or is_differentiable = false");
    if constexpr (laws::has_rule<Op> || Op::is_locally_constant)
      if constexpr (requires { &Op::reference; }) laws::agrees_with_differences<Op>();
  });
}

TEST(derivatives, agree_with_differences) { check_derivatives(ops::pointwise_table{}); }
TEST(derivatives, of_special_functions_agree_with_differences) { check_derivatives(ops::special_table{}); }

}  // namespace tenon
