// SPDX-License-Identifier: Apache-2.0
// What the device can do in this run, by the simplest kernels: copies (one read, one write) in
// several forms of which the fastest counts, an addition (two reads, one write), a sum that only
// reads, and an empty kernel. Arrays of floats, whose length is a multiple of 2^15.

#include <cuda_runtime.h>

#include "harness/library.hpp"
#include "tenon/runtime/error_cuda.hpp"

namespace {

constexpr int threads = 256;

// Each thread moves `Loads` 16-byte words that lie one block apart; all reads are issued before the
// first write.
template <int Loads, bool IsStreaming> __global__ void copy_kernel(float4 const* in, float4* out) {
  long long const first = static_cast<long long>(blockIdx.x) * threads * Loads + threadIdx.x;
  float4 words[Loads];
#pragma unroll
  for (int k = 0; k < Loads; ++k)
    words[k] = IsStreaming ? __ldcs(in + first + k * threads) : in[first + k * threads];
#pragma unroll
  for (int k = 0; k < Loads; ++k)
    if constexpr (IsStreaming)
      __stcs(out + first + k * threads, words[k]);
    else
      out[first + k * threads] = words[k];
}

template <int Loads> __global__ void add_kernel(float4 const* a, float4 const* b, float4* out) {
  long long const first = static_cast<long long>(blockIdx.x) * threads * Loads + threadIdx.x;
  float4 x[Loads], y[Loads];
#pragma unroll
  for (int k = 0; k < Loads; ++k) x[k] = a[first + k * threads], y[k] = b[first + k * threads];
#pragma unroll
  for (int k = 0; k < Loads; ++k)
    out[first + k * threads] =
        make_float4(x[k].x + y[k].x, x[k].y + y[k].y, x[k].z + y[k].z, x[k].w + y[k].w);
}

// One partial sum per thread and no second stage: this is about reading.
template <int Loads>
__global__ void read_kernel(float4 const* in, float* partial, long long words) {
  float sum = 0;
  long long const step = static_cast<long long>(gridDim.x) * threads * Loads;
  for (long long first = static_cast<long long>(blockIdx.x) * threads * Loads + threadIdx.x;
       first < words; first += step) {
    float4 x[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) x[k] = in[first + k * threads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) sum += x[k].x + x[k].y + x[k].z + x[k].w;
  }
  partial[static_cast<long long>(blockIdx.x) * threads + threadIdx.x] = sum;
}

__global__ void empty_kernel() {}

long long words_of(bench::call const& c) { return c.extent(0, 0) / 4; }
float4* words(bench::call const& c, int k) { return c.data<float4>(k); }

template <int Loads, bool IsStreaming> void copy(bench::call const& c) {
  int const blocks = static_cast<int>(words_of(c) / (threads * Loads));
  copy_kernel<Loads, IsStreaming>
      <<<blocks, threads, 0, c.stream().handle>>>(words(c, 0), words(c, 2));
  tenon::check(cudaGetLastError(), "copy");
}

template <int Loads> void add(bench::call const& c) {
  int const blocks = static_cast<int>(words_of(c) / (threads * Loads));
  add_kernel<Loads>
      <<<blocks, threads, 0, c.stream().handle>>>(words(c, 0), words(c, 1), words(c, 2));
  tenon::check(cudaGetLastError(), "add");
}

template <int Loads> void read(bench::call const& c) {
  static constexpr int blocks = 132 * 8;
  read_kernel<Loads>
      <<<blocks, threads, 0, c.stream().handle>>>(words(c, 0), c.data<float>(2), words_of(c));
  tenon::check(cudaGetLastError(), "read");
}

void empty(bench::call const& c) {
  empty_kernel<<<1, 32, 0, c.stream().handle>>>();
  tenon::check(cudaGetLastError(), "empty");
}

constexpr bench::entry entries[] = {
    {"copy_1", "f32", 1, bench::guarded<copy<1, false>>},
    {"copy_2", "f32", 1, bench::guarded<copy<2, false>>},
    {"copy_4", "f32", 1, bench::guarded<copy<4, false>>},
    {"copy_8", "f32", 1, bench::guarded<copy<8, false>>},
    {"copy_1_streaming", "f32", 1, bench::guarded<copy<1, true>>},
    {"copy_4_streaming", "f32", 1, bench::guarded<copy<4, true>>},
    {"add_1", "f32", 1, bench::guarded<add<1>>},
    {"add_4", "f32", 1, bench::guarded<add<4>>},
    {"read_4", "f32", 1, bench::guarded<read<4>>},
    {"read_8", "f32", 1, bench::guarded<read<8>>},
    {"empty", "f32", 1, bench::guarded<empty>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("ceiling", entries); }
