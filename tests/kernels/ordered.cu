// SPDX-License-Identifier: Apache-2.0
// A scan after two phases; every other column of rows with random numbers, of which four elements
// share a call of Philox, beside one in a loop for those whose positions do not follow each other.
// registers: 128
// ptx-most(3528531795): 20

#include "compile_plan.cuh"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/random.hpp"
#include "tenon/capture/scan.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;

void instantiate() {
  compile_plan<matrix>([](auto x) { return cumsum(softmax(x, axis<1>), axis<1>); });
  compile_plan<matrix>([](auto x) {
    return slice(dropout(softmax(x, axis<1>), 0.1f, 17), axis<1>, range<1, end, 2>);
  });
}
