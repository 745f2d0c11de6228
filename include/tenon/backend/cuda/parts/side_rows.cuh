// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the first row of a vector of neighbouring rows is in the operands of side_arguments.

#include "tenon/backend/cuda/parts/side_arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Along axis d of the rows, or along the innermost one.
template <class Arguments> struct strides_along_axis {
  Arguments const& a;
  int d;
  __device__ __forceinline__ long long load(int k) const { return a.load_rows[k][d]; }
  __device__ __forceinline__ long long store(int k) const { return a.store_rows[k][d]; }
};
template <class Arguments> struct strides_along_rows {
  Arguments const& a;
  __device__ __forceinline__ long long load(int k) const { return a.load_along[k]; }
  __device__ __forceinline__ long long store(int k) const { return a.store_along[k]; }
};
// Calls visit(instruction, strides along an axis, whether it is the innermost, position) for the
// first of the rows of vector `vector`, of V rows along the innermost axis.
template <class Program, int V, class Arguments, class Visit>
__device__ __forceinline__ void find_rows(Arguments const& a, long long vector, Visit&& visit) {
  if (a.is_single) {
    for_each_instruction<Program>(
        [&](auto index) { visit(index, strides_along_rows<Arguments>{a}, true, vector * V); });
    return;
  }
  for_each_digit(a.rows, vector, [&](int d, long long position) {
    bool const is_innermost = d == a.rows.dims - 1;
    if (is_innermost) position *= V;
    for_each_instruction<Program>([&](auto index) {
      visit(index, strides_along_axis<Arguments>{a, d}, is_innermost, position);
    });
  });
}

}  // namespace tenon::detail
#endif
