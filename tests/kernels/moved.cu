// SPDX-License-Identifier: Apache-2.0
// Movement by whole vectors: rotated heads in two results, as they are and normalised, a
// concatenation, and neighbours around the ends of both axes, whose vectors begin anywhere.
// registers: 184
// ptx: ld.global.nc.L2::cache_hint.v4.u32

// The text of a wrong index takes a stack, which is not what is looked at here.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/nn/rope.hpp"

using namespace tenon;
using heads = tensor_argument<dtype::bf16, dyn, dyn, dyn, dyn>;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;

void instantiate() {
  compile_plan<heads, heads, matrix, matrix>([](auto q, auto k, auto cosines, auto sines) {
    auto turned = rope(cast<float>(concat(q, k, axis<2>)), unsqueeze(cosines, axis<1>),
                       unsqueeze(sines, axis<1>));
    auto [of_q, of_k] = split(cast<bfloat16>(turned), axis<2>, lengths<32, 8>);
    return outputs(of_q, of_k);
  });
  compile_plan<heads, heads, matrix, matrix>([](auto q, auto k, auto cosines, auto sines) {
    auto both = cast<float>(concat(q, k, axis<2>));
    auto normal = both * tenon::rsqrt(mean(both * both, axis<-1>, keepdim) + 1e-6f);
    auto turned = rope(normal, unsqueeze(cosines, axis<1>), unsqueeze(sines, axis<1>));
    auto [of_q, of_k] = split(cast<bfloat16>(turned), axis<2>, lengths<32, 8>);
    return outputs(of_q, of_k);
  });
  compile_plan<matrix, matrix, matrix>(
      [](auto x, auto y, auto z) { return relu(concat(x, y, z, axis<0>)); });
  compile_plan<matrix>([](auto x) {
    return roll(x, axis<0>, ct<1>) + roll(x, axis<0>, ct<-1>) + roll(x, axis<1>, ct<1>) +
           roll(x, axis<1>, ct<-1>) - 4 * x;
  });
}
