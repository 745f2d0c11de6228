// SPDX-License-Identifier: Apache-2.0
// Rotations of which a thread has a vector of either half: alone, of half types, of a product,
// beside another operand, and of two operands in two results. Kernels of other layouts are not
// looked at.
// registers: 64
// ptx: ld.global.nc.L2::cache_hint.v4.u32

// The text of a wrong index takes a stack, which is not what is looked at here.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"
#include "tenon/nn/rope.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;
using half_matrix = tensor_argument<dtype::f16, dyn, dyn>;
using bfloat_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using heads = tensor_argument<dtype::bf16, dyn, dyn, dyn, dyn>;

template <class Program> void compile_program(Program) {
  static_assert(detail::half_values<Program>::is_found);
  (void)detail::moved_planner::plan<Program>(bound_layout{}, bound_arguments{});
}
template <class... Arguments, class Function> void compile(Function) {
  compile_program(to_program<Function, Arguments...>());
}

void instantiate() {
  constexpr auto turned = [](auto x, auto cosines, auto sines) { return rope(x, cosines, sines); };
  compile<matrix, matrix, matrix>(turned);
  compile<half_matrix, half_matrix, half_matrix>(turned);
  compile<bfloat_matrix, bfloat_matrix, bfloat_matrix>(turned);
  compile<bfloat_matrix, matrix, matrix>([](auto x, auto cosines, auto sines) {
    return cast<bfloat16>(rope(cast<float>(x), cosines, sines));
  });
  compile<matrix, vector, matrix, matrix>(
      [](auto x, auto w, auto cosines, auto sines) { return rope(x * w, cosines, sines); });
  compile<matrix, matrix, matrix, matrix>(
      [](auto y, auto x, auto cosines, auto sines) { return y + rope(x, cosines, sines); });
  compile<heads, heads, matrix, matrix>([](auto q, auto k, auto cosines, auto sines) {
    auto both = cast<float>(concat(q, k, axis<2>));
    auto turned = rope(both, unsqueeze(cosines, axis<1>), unsqueeze(sines, axis<1>));
    auto [of_q, of_k] = split(cast<bfloat16>(turned), axis<2>, lengths<32, 8>);
    return outputs(of_q, of_k);
  });
}
