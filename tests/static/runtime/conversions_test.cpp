// SPDX-License-Identifier: Apache-2.0
// A program whose own warnings include -Wconversion and -Wdouble-promotion is told of none in the headers.
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic error "-Wfloat-conversion"
#pragma GCC diagnostic error "-Wdouble-promotion"
#include "tenon/tenon.hpp"

namespace {

namespace tn = tenon;

[[maybe_unused]] auto calls(tn::cpu::tensor<tn::half, tn::dyn, tn::dyn> const& x) {
  auto const f = tn::compile([](auto x) {
    auto rows = tn::softmax(tn::hardsigmoid(x), tn::axis<1>);
    return tn::outputs(tn::slice(rows, tn::axis<0>, tn::range<1, -1>), tn::argmax(x, tn::axis<1>));
  });
  return f(x);
}

}  // namespace
