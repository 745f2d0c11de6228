// SPDX-License-Identifier: Apache-2.0
// A std::vector asked for where its header is not included.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 5> x;
// expected-error: "tenon: to_vector: std::vector is not defined here; include <vector>"
  auto values = tn::to_vector(x.view());  // error here
}
