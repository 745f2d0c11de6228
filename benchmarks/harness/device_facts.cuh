// SPDX-License-Identifier: Apache-2.0
#pragma once
// The current device → what a reader needs to compare a result: name, versions, clocks, sizes.

#include <cuda_runtime.h>

#include "harness/json.cuh"
#include "tenon/runtime/error_cuda.hpp"

namespace bench {

// Clocks are the device's maximum; what they are during a run is read by nvidia-smi, in run.sh.
inline json_object device_facts() {
  int device = 0, driver = 0, runtime = 0;
  tenon::check(cudaGetDevice(&device), "device_facts");
  tenon::check(cudaDriverGetVersion(&driver), "device_facts");
  tenon::check(cudaRuntimeGetVersion(&runtime), "device_facts");
  cudaDeviceProp properties{};
  tenon::check(cudaGetDeviceProperties(&properties, device), "device_facts");
  auto ask = [device](cudaDeviceAttr attribute) {
    int value = 0;
    tenon::check(cudaDeviceGetAttribute(&value, attribute, device), "device_facts");
    return value;
  };
  auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  return json_object()
      .add("device", properties.name)
      .add("compute_capability", properties.major * 10 + properties.minor)
      .add("multiprocessors", properties.multiProcessorCount)
      .add("l2_bytes", properties.l2CacheSize)
      .add("memory_bytes", static_cast<long long>(properties.totalGlobalMem))
      .add("max_sm_clock_mhz", ask(cudaDevAttrClockRate) / 1000)
      .add("max_memory_clock_mhz", ask(cudaDevAttrMemoryClockRate) / 1000)
      .add("driver_cuda", version(driver))
      .add("runtime_cuda", version(runtime))
      .add("nvcc", std::to_string(__CUDACC_VER_MAJOR__) + "." +
                       std::to_string(__CUDACC_VER_MINOR__) + "." +
                       std::to_string(__CUDACC_VER_BUILD__));
}

}  // namespace bench
