// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms on a stream. Those that return a number to the host wait for it, so that no
// CUDA graph can hold them; their number is copied to the output for the comparison.

#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "peers/toolkit/operations.cuh"
#include "peers/toolkit/temporary.cuh"

namespace {

auto policy(bench::call const& c) { return thrust::cuda::par_nosync.on(c.stream().handle); }

template <class T> void give(bench::call const& c, T const& value) {
  tenon::check(cudaMemcpyAsync(c.data<T>(1), &value, sizeof value, cudaMemcpyHostToDevice,
                               c.stream().handle),
               "thrust");
}

template <class T> void relu_add_mul(bench::call const& c) {
  long long const n = bench::elements(c, 2);
  T const *x = c.data<T>(0), *y = c.data<T>(1);
  thrust::transform(policy(c), x, x + n, y, c.data<T>(2), bench::relu_add_mul());
}

void sin_plus_cos(bench::call const& c) {
  float const* x = c.data<float>(0);
  thrust::transform(policy(c), x, x + bench::elements(c, 2), c.data<float>(1),
                    bench::sin_plus_cos());
}

void sum_squares(bench::call const& c) {
  float const* x = c.data<float>(0);
  give(c, thrust::transform_reduce(policy(c), x, x + c.extent(0, 0), bench::square(), 0.0f,
                                   cuda::std::plus<float>()));
}

void argmax_all(bench::call const& c) {
  float const* x = c.data<float>(0);
  give(c, static_cast<long long>(thrust::max_element(policy(c), x, x + c.extent(0, 0)) - x));
}

constexpr bench::entry entries[] = {
    {"relu_add_mul", "f32", 2, bench::guarded<relu_add_mul<float>>},
    {"relu_add_mul", "bf16", 2, bench::guarded<relu_add_mul<__nv_bfloat16>>},
    {"sin_plus_cos", "f32", 2, bench::guarded<sin_plus_cos>},
    {"sumsq_all", "f32", 1, bench::guarded<sum_squares>, false},
    {"argmax_all", "f32", 1, bench::guarded<argmax_all>, false},
};

}  // namespace

extern "C" bench::table bench_entries() {
  return bench::table_of("thrust", entries, bench::cccl_version);
}
