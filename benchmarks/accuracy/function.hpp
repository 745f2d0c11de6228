// SPDX-License-Identifier: Apache-2.0
#pragma once
// A unary function whose accuracy is measured: how an expression calls it, its exact value, and the bounds it is held to.

#include <cmath>

#include "tenon/special.hpp"
#include "tenon/tenon.hpp"

namespace accuracy {

namespace tn = tenon;

// `cuda_ulp` is the bound that CUDA documents for its f32 function, counted from the correctly rounded result; 0 where there is
// none. `bound_ulp` is Tenon's promise in f32, counted from the exact result, `half_bound_ulp` that in half types, which are
// computed in float, or in bf16 in a cheaper form, and rounded once. Each function adds `exact`, in double: for f32
// and half types double's own function is another code path, and its error too small to be seen.
template <class Op, int CudaUlp = 0, int BoundUlp = 4, int HalfBoundUlp = 1>
struct function {
  static constexpr tn::text_view name = Op::name;
  static constexpr double cuda_ulp = CudaUlp, bound_ulp = BoundUlp, half_bound_ulp = HalfBoundUlp;
  template <class X>
  constexpr auto operator()(X x) const {
    return tn::pointwise<Op>{}(x);
  }
};
// What is composed of several functions.
template <class Op>
using activation = function<Op, 0, 5, 2>;

}  // namespace accuracy
