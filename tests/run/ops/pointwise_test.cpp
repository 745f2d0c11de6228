// SPDX-License-Identifier: Apache-2.0
// Every pointwise operator of the table against its reference, on the host.
// tenon-test: nvcc-host
#include "laws/pointwise_laws.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {

template <class T> void check_table() {
  laws::for_each_op(ops::pointwise_table{}, [](auto op) {
    using Op = typename decltype(op)::type;
    if constexpr (laws::has_reference<Op>) laws::check_pointwise<Op, T>();
  });
}

TEST(pointwise, agrees_with_reference_in_f32) { check_table<float>(); }
TEST(pointwise, agrees_with_reference_in_f64) { check_table<double>(); }

}  // namespace tenon
