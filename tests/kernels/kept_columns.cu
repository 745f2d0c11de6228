// SPDX-License-Identifier: Apache-2.0
// Rows that lie next to each other and are kept in shared memory: over the channels of images.
// registers: 128
// registers(meeting_columns_kernel): 160

#include "compile_columns.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;
template <dtype D> using images = tensor_argument<D, dyn, dyn, dyn>;
template <dtype D> using weights = tensor_argument<D, dyn>;

template <dtype D> void instantiate_for() {
  compile_columns<images<D>, weights<D>, weights<D>>([](auto x, auto w, auto b) {
    auto const v = cast<float>(x);
    auto const scale = tenon::rsqrt(var(v, axis<1>, correction<0>, keepdim) + 1e-6f);
    auto const normal = (v - mean(v, axis<1>, keepdim)) * scale;
    return cast<storage_t<D>>(normal * unsqueeze(w, axis<1>) + unsqueeze(b, axis<1>));
  });
  compile_columns<images<D>>([](auto x) { return softmax(x, axis<1>); });
}
void instantiate() {
  instantiate_for<dtype::bf16>();
  instantiate_for<dtype::f16>();
  instantiate_for<dtype::f32>();
}
