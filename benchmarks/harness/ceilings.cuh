// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the device can do in this run, by the simplest kernels: copy, add, read-only sum, and an
// empty kernel.

#include "harness/buffers.cuh"
#include "harness/json.cuh"
#include "harness/timing.cuh"

namespace bench {
namespace detail {

// Each thread moves `loads` 16-byte words that lie one block apart; all reads are issued before the
// first write.
inline constexpr int ceiling_threads = 256, loads = 4;

static __global__ void copy_kernel(uint4 const* in, uint4* out) {
  long long first = static_cast<long long>(blockIdx.x) * ceiling_threads * loads + threadIdx.x;
  uint4 words[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k) words[k] = in[first + k * ceiling_threads];
#pragma unroll
  for (int k = 0; k < loads; ++k) out[first + k * ceiling_threads] = words[k];
}

static __global__ void add_kernel(float4 const* a, float4 const* b, float4* out) {
  long long first = static_cast<long long>(blockIdx.x) * ceiling_threads * loads + threadIdx.x;
  float4 x[loads], y[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k)
    x[k] = a[first + k * ceiling_threads], y[k] = b[first + k * ceiling_threads];
#pragma unroll
  for (int k = 0; k < loads; ++k)
    out[first + k * ceiling_threads] =
        make_float4(x[k].x + y[k].x, x[k].y + y[k].y, x[k].z + y[k].z, x[k].w + y[k].w);
}

// One partial sum per thread and no second stage: this is about reading.
static __global__ void sum_kernel(float4 const* in, float* partial, long long words) {
  float sum = 0;
  long long const step = static_cast<long long>(gridDim.x) * ceiling_threads * loads;
  for (long long first = static_cast<long long>(blockIdx.x) * ceiling_threads * loads + threadIdx.x;
       first < words; first += step) {
    float4 x[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) x[k] = in[first + k * ceiling_threads];
#pragma unroll
    for (int k = 0; k < loads; ++k) sum += x[k].x + x[k].y + x[k].z + x[k].w;
  }
  partial[static_cast<long long>(blockIdx.x) * ceiling_threads + threadIdx.x] = sum;
}

static __global__ void empty_kernel() {}

}  // namespace detail

struct ceilings {
  double copy_gbs = 0, memcpy_gbs = 0, add_gbs = 0, read_gbs = 0;
  double empty_steady_us = 0, empty_single_us = 0;

  // The best 1R1W rate of the run: what `of_copy` of a row is measured against.
  double best_copy_gbs() const { return copy_gbs > memcpy_gbs ? copy_gbs : memcpy_gbs; }
  json_object json() const {
    return json_object()
        .add("copy_gbs", best_copy_gbs())
        .add("copy_kernel_gbs", copy_gbs)
        .add("copy_memcpy_gbs", memcpy_gbs)
        .add("add_gbs", add_gbs)
        .add("read_gbs", read_gbs)
        .add("empty_steady_us", empty_steady_us)
        .add("empty_single_us", empty_single_us);
  }
};

inline ceilings measure_ceilings(cudaStream_t on, effort const& how) {
  using namespace detail;
  static constexpr long long bytes = 1ll << 30, words = bytes / 16, floats = bytes / 4;
  static constexpr int blocks = static_cast<int>(words / (ceiling_threads * loads)),
                       reading_blocks = 132 * 8;
  buffer_sets sets({normal<float>(floats), normal<float>(floats), output<float>(floats)}, on);
  auto gbs = [](double us, int arrays) { return static_cast<double>(bytes) * arrays / us * 1e-3; };
  auto steady_us = [&](auto const& launch) {
    return time_steady([&](int k, cudaStream_t s) { launch(sets[k], s); }, sets.count(), on, how)
        .median_us;
  };
  ceilings result;
  result.copy_gbs =
      gbs(steady_us([](buffer_set const& b, cudaStream_t s) {
            copy_kernel<<<blocks, ceiling_threads, 0, s>>>(b.get<uint4>(0), b.get<uint4>(2));
            tenon::check(cudaGetLastError(), "ceilings");
          }),
          2);
  result.memcpy_gbs = gbs(steady_us([](buffer_set const& b, cudaStream_t s) {
                            tenon::check(cudaMemcpyAsync(b.get<void>(2), b.get<void>(0), bytes,
                                                         cudaMemcpyDeviceToDevice, s),
                                         "ceilings");
                          }),
                          2);
  result.add_gbs = gbs(steady_us([](buffer_set const& b, cudaStream_t s) {
                         add_kernel<<<blocks, ceiling_threads, 0, s>>>(
                             b.get<float4>(0), b.get<float4>(1), b.get<float4>(2));
                         tenon::check(cudaGetLastError(), "ceilings");
                       }),
                       3);
  result.read_gbs = gbs(steady_us([](buffer_set const& b, cudaStream_t s) {
                          sum_kernel<<<reading_blocks, ceiling_threads, 0, s>>>(
                              b.get<float4>(0), b.get<float>(2), words);
                          tenon::check(cudaGetLastError(), "ceilings");
                        }),
                        1);
  auto empty = [](int, cudaStream_t s) {
    empty_kernel<<<1, 32, 0, s>>>();
    tenon::check(cudaGetLastError(), "ceilings");
  };
  result.empty_steady_us = time_steady(empty, 256, on, how).median_us;
  result.empty_single_us = time_single(empty, on, how).median_us;
  return result;
}

}  // namespace bench
