// SPDX-License-Identifier: Apache-2.0
#pragma once
// What nvcc's pass for the device sees of a call: the names of its kernels. What binds, plans and launches is not included
// there: it would be parsed, and instantiated for every expression, for nothing.

#if defined(__CUDACC__)
#include "tenon/backend/cuda/plan.cuh"
#include "tenon/runtime/cache_counters.hpp"
#include "tenon/tensor/space.hpp"

namespace tenon::detail {

// A class: named by a function template, kernels were instantiated by nvcc 13.0 with what they select still empty
// (tests/kernels/scan.cu, which does not compile then).
template <class Space, class Program, family const* Family, column_order Columns>
struct kernels_of {
  static void name() {}
};
template <class Program, family const* Family, column_order Columns>
struct kernels_of<cuda, Program, Family, Columns> {
  static void name() { (void)&make_cuda_plan<Program, Family, Columns>; }
};

// In the place of the host's, which plans and keeps the plans.
template <class Signature, class Program, column_order Columns>
struct runner {
  static void name_kernels() { kernels_of<typename Signature::space, Program, Signature::family, Columns>::name(); }
  struct cache_type {
    cache_counters counters() const { return {}; }
  };
  static cache_type cache() { return {}; }
};

}  // namespace tenon::detail
#endif
