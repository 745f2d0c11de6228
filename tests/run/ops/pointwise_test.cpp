// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table against its reference, on the host.
// tenon-test: nvcc-host
#include "laws/pointwise_laws.hpp"
#include "tenon/ops/special.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {

template <class T, class Table> void check_table(Table table) {
  laws::for_each_op(table, [](auto op) {
    using Op = typename decltype(op)::type;
    if constexpr (laws::has_reference<Op>) laws::check_pointwise<Op, T>();
  });
}

TEST(pointwise, agrees_with_reference_in_f32) { check_table<float>(ops::pointwise_table{}); }
TEST(pointwise, agrees_with_reference_in_f64) { check_table<double>(ops::pointwise_table{}); }
TEST(pointwise, special_functions_agree_with_reference_in_f32) { check_table<float>(ops::special_table{}); }
TEST(pointwise, special_functions_agree_with_reference_in_f64) { check_table<double>(ops::special_table{}); }

}  // namespace tenon
