// SPDX-License-Identifier: Apache-2.0
// Normalised rows of which a thread has a vector of either half: heads in two results, with weights
// of their own, and rows as a whole. The kernels of other layouts are not looked at.
// registers: 96
// ptx: ld.global.nc.L2::cache_hint.v4.u32

// The text of a wrong index takes a stack, which is not what is looked at here.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/rope.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;
using half_matrix = tensor_argument<dtype::f16, dyn, dyn>;
using half_vector = tensor_argument<dtype::f16, dyn>;
using heads = tensor_argument<dtype::bf16, dyn, dyn, dyn, dyn>;
using weights = tensor_argument<dtype::bf16, dyn>;

template <class Program> void compile_program(Program) {
  static_assert(detail::moved_rows_planner::moves<Program> &&
                detail::half_values<Program>::is_found);
  (void)detail::moved_rows_planner::plan<Program>(bound_layout{}, bound_arguments{});
}
template <class... Arguments, class Function> void compile(Function) {
  compile_program(to_program<Function, Arguments...>());
}

void instantiate() {
  compile<heads, heads, matrix, matrix, weights, weights>(
      [](auto q, auto k, auto cosines, auto sines, auto of_q, auto of_k) {
        auto both = cast<float>(concat(q, k, axis<2>));
        auto mean_square = mean(both * both, axis<-1>, keepdim);
        auto weight = where(iota(both, axis<2>) < 32, of_q, of_k);
        auto normal = both * tenon::rsqrt(mean_square + 1e-6f) * weight;
        auto turned = rope(normal, unsqueeze(cosines, axis<1>), unsqueeze(sines, axis<1>));
        auto [q_turned, k_turned] = split(cast<bfloat16>(turned), axis<2>, lengths<32, 8>);
        return outputs(q_turned, k_turned);
      });
  constexpr auto normal = [](auto x, auto w, auto cosines, auto sines) {
    return rope(rms_norm(x, w, axis<-1>), cosines, sines);
  };
  compile<matrix, vector, matrix, matrix>(normal);
  compile<half_matrix, half_vector, half_matrix, half_matrix>(normal);
  compile<heads, weights, matrix, matrix>([](auto x, auto w, auto cosines, auto sines) {
    auto turned = rope(rms_norm(cast<float>(x), w, axis<-1>), unsqueeze(cosines, axis<1>),
                       unsqueeze(sines, axis<1>));
    return cast<bfloat16>(turned);
  });
}
