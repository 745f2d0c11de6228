// SPDX-License-Identifier: Apache-2.0
// The derivative of every operator of the tables against differences of its reference. An entry that does not say what its
// derivative is does not compile.
// tenon-test: cpu-only
#include "laws/reduction_derivative_laws.hpp"
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

// A reduction with a state leaves the question to its projections.
template <class Op>
inline constexpr bool reduction_answers = Op::has_state || Op::is_locally_constant || !Op::is_differentiable ||
                                          !is_floating(Op::rule.result(dtype::f32)) ||
                                          requires(laws::rule_row d, laws::row_reduction<Op> over) { Op::derivative(d, d, d, over); };

TEST(derivatives, of_reductions_agree_with_differences) {
  laws::for_each_op(ops::reduction_table{}, [](auto op) {
    using Op = typename decltype(op)::type;
    static_assert(reduction_answers<Op>, "a reduction of the table says nothing of its derivative");
    if constexpr (!Op::has_state && is_floating(Op::rule.result(dtype::f32))) laws::row_agrees_with_differences<Op>();
  });
}

TEST(derivatives, of_members_of_states_agree_with_differences) {
  laws::row_agrees_with_differences<ops::moments, ops::mean_of>();
  laws::row_agrees_with_differences<ops::moments, ops::m2_of>();
  laws::row_agrees_with_differences<ops::log_sum_exp, ops::log_sum_exp_of>();
}

struct along_row {
  template <class> laws::rule_row reversed(laws::rule_row d) const { return d; }
  template <class> laws::rule_row same(laws::rule_row d) const { return d; }
};
TEST(derivatives, of_scans_are_answered_for) {
  auto const check = [](auto op) {
    using Op = typename decltype(op)::type;
    static_assert(!Op::is_differentiable || requires(laws::rule_row d, along_row along) { Op::derivative(d, d, d, along); },
                  "a scan of the table says nothing of its derivative");
  };
  laws::for_each_op(ops::scan_table{}, check);
  laws::for_each_op(ops::block_table{}, check);
  laws::for_each_op(ops::indexed_scan_table{}, check);
}

// What both parts of the state are made into does not depend on the shift that they have in common.
struct shifted_sum : ops::sum_part {
  template <class T> static T eval(ops::log_sum_exp::state<T> s) { return s.m + std::log(s.s); }
  template <class V> static V derivative(V d, V x, V, auto over) {
    V const sum = over.template member<ops::sum_part>();
    return ops::sum_part::derivative(d / sum, x, sum, over);
  }
};
TEST(derivatives, of_a_sum_of_exponentials_agree_beside_its_shift) {
  laws::row_agrees_with_differences<ops::log_sum_exp, shifted_sum>();
}

}  // namespace tenon
