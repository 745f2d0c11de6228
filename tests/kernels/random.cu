// SPDX-License-Identifier: Apache-2.0
// Random numbers of neighbouring elements: of eight of a thread (two vectors of four), two calls of
// Philox, and one in a loop for those whose positions do not follow each other; of single elements,
// of which a thread has two, one for each.
// registers: 64
// ptx-most(3528531795): 40

#include "compile_plan.cuh"
#include "tenon/capture/random.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;

void instantiate() {
  compile_plan<matrix>([](auto x) { return dropout(x, 0.1f, 17); });
}
