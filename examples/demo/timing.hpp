// SPDX-License-Identifier: Apache-2.0
#pragma once
// Median times of one backend, and its copy of a given size: events on the GPU, the steady clock on the CPU.

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "../support.hpp"

namespace demo {

namespace tn = tenon;

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

template <class Space>
struct clock_of;

template <>
struct clock_of<tn::cpu> {
  static std::string device() { return "CPU backend, " + std::to_string(std::thread::hardware_concurrency()) + " hardware threads"; }
  template <class Run>
  double elapsed_us(Run const& run) {
    auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
  // All threads: one of them does not reach the memory's bandwidth.
  static void copy(void* target, void const* source, std::int64_t bytes) {
    constexpr std::int64_t piece = 1 << 18;
#pragma omp parallel for
    for (std::int64_t at = 0; at < bytes; at += piece)
      std::memcpy(static_cast<char*>(target) + at, static_cast<char const*>(source) + at, static_cast<std::size_t>(std::min(piece, bytes - at)));
  }
};

#if defined(__CUDACC__)
template <>
struct clock_of<tn::cuda> {
  clock_of() {
    tn::check(cudaEventCreate(&start_), "timing");
    tn::check(cudaEventCreate(&stop_), "timing");
  }
  clock_of(clock_of const&) = delete;
  ~clock_of() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  static std::string device() {
    cudaDeviceProp properties{};
    tn::check(cudaGetDeviceProperties(&properties, tn::current_device()), "timing");
    return std::string(properties.name) + ", CUDA backend";
  }
  template <class Run>
  double elapsed_us(Run const& run) {
    tn::check(cudaEventRecord(start_, nullptr), "timing");
    run();
    tn::check(cudaEventRecord(stop_, nullptr), "timing");
    tn::check(cudaEventSynchronize(stop_), "timing");
    float ms = 0;
    tn::check(cudaEventElapsedTime(&ms, start_, stop_), "timing");
    return ms * 1000.0;
  }
  static void copy(void* target, void const* source, std::int64_t bytes) {
    tn::check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, nullptr), "timing");
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};
#endif

// The median of 21 runs after 3 that are not counted; fewer where one run takes long.
template <class Space, class Run>
double median_us(clock_of<Space>& clock, Run const& run) {
  double slowest = 0;
  for (int k = 0; k < 3; ++k) slowest = std::max(slowest, clock.elapsed_us(run));
  int count = slowest > 100e3 ? 5 : 21;
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(clock.elapsed_us(run));
  return median(times);
}

}  // namespace demo
