// SPDX-License-Identifier: Apache-2.0
// expected-error: "tenon: operand: the operator is defined on integers and bool only; cast the operand to one of them first"
#include <tenon/tenon.hpp>

int main() {
  auto const f = tenon::compile([](auto x, auto y) { return x & y; });  // error here
  tenon::tensor<int, tenon::dyn> x(3);
  tenon::tensor<float, tenon::dyn> y(3);
  (void)f(x, y);
}
