// SPDX-License-Identifier: Apache-2.0
#pragma once
// A workload's results against double precision, by kernels that are written to be obviously right,
// not fast.

#include <cmath>
#include <vector>

#include "harness/buffers.cuh"

namespace bench {

inline constexpr int reference_threads = 256;

// Sums of squares of one output: of the difference from the reference, and of the reference.
struct error_sums {
  double difference, reference;
};

// The sum over the threads of a block, in every thread. @pre all threads of the block call it
__device__ inline double block_sum(double value) {
  __shared__ double shared[reference_threads];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = reference_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  double result = shared[0];
  __syncthreads();
  return result;
}
__device__ inline double block_max(double value) {
  __shared__ double shared[reference_threads];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = reference_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] = fmax(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  double result = shared[0];
  __syncthreads();
  return result;
}

template <class T> __device__ double wide(T value) {
  return static_cast<double>(static_cast<float>(value));
}

// One thread's part of an output's error; a NaN in the output stays a NaN.
class tally {
 public:
  template <class T> __device__ void add(T out, double reference) {
    double d = wide(out) - reference;
    sums_.difference += d * d;
    sums_.reference += reference * reference;
  }
  // @pre all threads of the block call it
  __device__ void commit(error_sums* total) const {
    double difference = block_sum(sums_.difference), reference = block_sum(sums_.reference);
    if (threadIdx.x != 0) return;
    atomicAdd(&total->difference, difference);
    atomicAdd(&total->reference, reference);
  }

 private:
  error_sums sums_{0, 0};
};

// Thread and step of a sweep over `count` elements by the whole grid.
__device__ inline long long grid_thread() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline long long grid_threads() {
  return static_cast<long long>(gridDim.x) * blockDim.x;
}

// out[i] against F()(in[i]...).
template <class F, class T, class... In>
__global__ void compare_elements(T const* out, long long count, error_sums* total,
                                 In const*... in) {
  tally mine;
  for (long long i = grid_thread(); i < count; i += grid_threads())
    mine.add(out[i], F()(wide(in[i])...));
  mine.commit(total);
}

// *sum += the sum of F()(in[i]...); `shift` is taken from each argument first.
template <class F, class... In>
__global__ void sum_elements(double* sum, double const* shift, long long count, In const*... in) {
  double mine = 0, subtracted = shift ? *shift / static_cast<double>(count) : 0.0;
  for (long long i = grid_thread(); i < count; i += grid_threads())
    mine += F()((wide(in[i]) - subtracted)...);
  double of_block = block_sum(mine);
  if (threadIdx.x == 0) atomicAdd(sum, of_block);
}

// One number against *sum * scale.
template <class T>
__global__ void compare_total(T const* out, double const* sum, double scale, error_sums* total) {
  tally mine;
  if (threadIdx.x == 0) mine.add(*out, *sum * scale);
  mine.commit(total);
}

// Where references are computed: error sums per output, numbers in between, and the sweep's grid.
class checker {
 public:
  static constexpr int most_outputs = 4, most_numbers = 4;
  static constexpr int blocks = 2048;

  explicit checker(cudaStream_t on) : on_(on), memory_(bytes) { reset(); }

  cudaStream_t stream() const { return on_; }
  error_sums* output(int k) const { return memory_.as<error_sums>() + k; }
  double* number(int k) const {
    return reinterpret_cast<double*>(memory_.as<error_sums>() + most_outputs) + k;
  }

  template <class F, class T, class... In>
  void elements(int k, T const* out, long long count, In const*... in) const {
    compare_elements<F><<<blocks, reference_threads, 0, on_>>>(out, count, output(k), in...);
    tenon::check(cudaGetLastError(), "reference");
  }
  // number(k) += sum of F()(in[i] - mean...); the mean is that of `centre`, a sum over the same
  // count, when given.
  template <class F, class... In>
  void sum(int k, double const* centre, long long count, In const*... in) const {
    sum_elements<F><<<blocks, reference_threads, 0, on_>>>(number(k), centre, count, in...);
    tenon::check(cudaGetLastError(), "reference");
  }
  template <class T> void total(int k, T const* out, int number_index, double scale) const {
    compare_total<<<1, reference_threads, 0, on_>>>(out, number(number_index), scale, output(k));
    tenon::check(cudaGetLastError(), "reference");
  }

  // The largest ||out - reference|| / ||reference|| of the outputs since the last call; NaN when
  // one was.
  double max_relative_error(int outputs) {
    std::vector<error_sums> sums(most_outputs);
    tenon::check(cudaMemcpyAsync(sums.data(), memory_.data(), sizeof(error_sums) * most_outputs,
                                 cudaMemcpyDeviceToHost, on_),
                 "reference");
    tenon::check(cudaStreamSynchronize(on_), "reference");
    reset();
    double worst = 0;
    for (int k = 0; k < outputs; ++k) {
      double error = std::sqrt(sums[static_cast<std::size_t>(k)].difference /
                               sums[static_cast<std::size_t>(k)].reference);
      if (!(error <= worst)) worst = error;
      if (std::isnan(worst)) return worst;
    }
    return worst;
  }

 private:
  static constexpr std::size_t bytes =
      sizeof(error_sums) * most_outputs + sizeof(double) * most_numbers;
  void reset() { tenon::check(cudaMemsetAsync(memory_.data(), 0, bytes, on_), "reference"); }

  cudaStream_t on_;
  device_memory memory_;
};

}  // namespace bench
