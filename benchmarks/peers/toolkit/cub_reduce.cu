// SPDX-License-Identifier: Apache-2.0
// cub::DeviceReduce and cub::DeviceSegmentedReduce.

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/zip_function.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <iterator>

#include "peers/toolkit/operations.cuh"
#include "peers/toolkit/temporary.cuh"

namespace {

template <class T> void sum_squares(bench::call const& c) {
  bench::with_temporary([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(storage, bytes, c.data<T>(0), c.data<T>(1),
                                              c.extent(0, 0), cuda::std::plus<float>(),
                                              bench::square(), 0.0f, c.stream().handle);
  });
}

// The mean of the rows' sums is the scaled sum of everything.
struct scaled_relu_add_mul {
  float scale;
  __device__ float operator()(float x, float y) const {
    return scale * bench::relu_add_mul()(x, y);
  }
};
void seed_sum_mean(bench::call const& c) {
  auto const both = thrust::make_zip_iterator(c.data<float>(0), c.data<float>(1));
  auto const each =
      thrust::make_zip_function(scaled_relu_add_mul{1.0f / static_cast<float>(c.extent(0, 0))});
  bench::with_temporary([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(storage, bytes, both, c.data<float>(2),
                                              bench::elements(c, 2), cuda::std::plus<float>(), each,
                                              0.0f, c.stream().handle);
  });
}

auto row_begins(bench::call const& c) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                         bench::times{static_cast<int>(c.extent(0, 1))});
}

template <class T> void sum_rows(bench::call const& c) {
  auto const begins = row_begins(c);
  bench::with_temporary([&](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Reduce(storage, bytes, c.data<T>(0), c.data<T>(1),
                                              static_cast<int>(c.extent(0, 0)), begins, begins + 1,
                                              cuda::std::plus<float>(), 0.0f, c.stream().handle);
  });
}

// An output iterator that keeps the index of a pair of index and value.
struct index_output {
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    long long* at;
    template <class Pair> __device__ void operator=(Pair const& pair) const { *at = pair.key; }
  };
  long long* begin;
  __host__ __device__ reference operator*() const { return {begin}; }
  __host__ __device__ index_output operator+(std::ptrdiff_t k) const { return {begin + k}; }
};

template <class T> void argmax_rows(bench::call const& c) {
  auto const begins = row_begins(c);
  bench::with_temporary([&](void* storage, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::ArgMax(
        storage, bytes, c.data<T>(0), index_output{c.data<long long>(1)},
        static_cast<int>(c.extent(0, 0)), begins, begins + 1, c.stream().handle);
  });
}

void argmax_all(bench::call const& c) {
  static float* largest = nullptr;
  if (!largest) tenon::check(cudaMalloc(&largest, sizeof(float)), "cub");
  bench::with_temporary([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::ArgMax(storage, bytes, c.data<float>(0), largest,
                                     c.data<long long>(1), c.extent(0, 0), c.stream().handle);
  });
}

constexpr bench::entry entries[] = {
    {"sumsq_all", "f32", 1, bench::guarded<sum_squares<float>>},
    {"sumsq_all", "bf16", 1, bench::guarded<sum_squares<__nv_bfloat16>>},
    {"seed_sum_mean", "f32", 2, bench::guarded<seed_sum_mean>},
    {"sum_axis1", "f32", 2, bench::guarded<sum_rows<float>>},
    {"argmax", "f32", 2, bench::guarded<argmax_rows<float>>},
    {"argmax", "bf16", 2, bench::guarded<argmax_rows<__nv_bfloat16>>},
    {"argmax_all", "f32", 1, bench::guarded<argmax_all>},
};

}  // namespace

extern "C" bench::table bench_entries() {
  return bench::table_of("cub", entries, bench::cccl_version);
}
