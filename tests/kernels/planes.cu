// SPDX-License-Identifier: Apache-2.0
// Rows, then values over the rows of each plane and over all of them, in one launch.
// registers: 152
// ptx: atom.global.inc.u32

#include "compile_plan.cuh"
#include "tenon/nn/softmax.hpp"

namespace tn = tenon;
using cube = tn::tensor_argument<tn::dtype::f32, tn::dyn, tn::dyn, tn::dyn>;

void instantiate() {
  tn::compile_plan<cube>([](auto x) {
    return tn::outputs(tn::sum(x, tn::axis<-1>), tn::sum(x, tn::axis<-1, -2>), tn::sum(x));
  });
  tn::compile_plan<cube>([](auto x) {
    auto total = tn::logsumexp(x, tn::axis<-1>);
    return tn::outputs(tn::softmax(x, tn::axis<-1>), tn::mean(total, tn::axis<-1>));
  });
}
