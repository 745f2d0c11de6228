// SPDX-License-Identifier: Apache-2.0
// Rows of half types to int8, whose elements are divided by their row's scale, and in pairs to bytes. The kernel
// whose blocks meet over columns has the registers of two blocks, as in columns.cu.
// registers: 96
// registers(meeting_columns_kernel): 128

#include "compile_plan.cuh"
#include "tenon/capture/functions.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/quantize.hpp"

using namespace tenon;
template <dtype Type> using matrix_of = tensor_argument<Type, dyn, dyn>;

void instantiate() {
  constexpr auto by_scale = [](auto x) {
    auto values = cast<float>(x);
    auto scale = tenon::max(tenon::abs(values), axis<-1>, keepdim) / 127.0f;
    return outputs(cast<std::int8_t>(tenon::round(values / scale)), squeeze(scale, axis<-1>));
  };
  compile_plan<matrix_of<dtype::bf16>>(by_scale);
  compile_plan<matrix_of<dtype::f16>>(by_scale);
  constexpr auto in_pairs = [](auto x) {
    auto values = cast<float>(x);
    auto scale = tenon::max(tenon::abs(values), axis<-1>, keepdim) / 7.0f;
    auto numbers = cast<std::uint8_t>(clamp(tenon::round(values / scale) + 8.0f, 0.0f, 15.0f));
    auto even = slice(numbers, axis<-1>, range<0, end, 2>);
    auto odd = slice(numbers, axis<-1>, range<1, end, 2>);
    return outputs(even | (odd << 4), squeeze(scale, axis<-1>));
  };
  compile_plan<matrix_of<dtype::bf16>>(in_pairs);
  compile_plan<matrix_of<dtype::f32>>(in_pairs);
  compile_plan<matrix_of<dtype::bf16>>([](auto x) {
    auto [values, scales] = quantize<std::int8_t>(x, axis<-1>);
    return outputs(values, scales);
  });
}
