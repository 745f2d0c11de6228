// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA devices: how many there are, their properties (asked for once), and which one a pointer
// belongs to.

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include <cstddef>

#include "tenon/core/config.hpp"
#include "tenon/core/static_vector.hpp"
#include "tenon/runtime/error_cuda.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// 0 without a device or a driver; never raises.
int device_count() noexcept;

int current_device();

// What plans and schedules depend on.
struct device_properties {
  int device = 0;
  int compute_capability = 0;  // 90 is sm_90
  int multiprocessors = 0;
  int max_threads_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;  // without asking
  std::size_t shared_bytes_per_block_opt_in =
      0;  // with cudaFuncAttributeMaxDynamicSharedMemorySize
  std::size_t l2_bytes = 0;
  bool has_memory_pools = false;
  bool has_cooperative_launch = false;
  bool has_clusters = false;
};

device_properties const& properties_of(int device);

// The device whose kernels may use the pointer, or -1 for memory of the host. Managed memory and
// registered or pinned host memory count as usable by the current device. About 1 us: for plans,
// not for calls.
int device_of(void const* pointer);

// Makes a device current for a scope. Never raises on the way out.
class device_guard {
 public:
  explicit device_guard(int device) : previous_(current_device()), is_other_(previous_ != device) {
    if (is_other_) check(cudaSetDevice(device), "device");
  }
  device_guard(device_guard const&) = delete;
  device_guard& operator=(device_guard const&) = delete;
  ~device_guard() {
    if (is_other_ && cudaSetDevice(previous_) != cudaSuccess) cudaGetLastError();
  }

 private:
  int previous_;
  bool is_other_;
};

inline bool is_device_pointer(void const* pointer) { return pointer && device_of(pointer) >= 0; }

#if !defined(__CUDA_ARCH__)  // nvcc's pass for the device reads the declarations alone
inline int device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "device");
  return device;
}

namespace detail {

[[gnu::cold, gnu::noinline]] inline device_properties query_device(int device) {
  auto ask = [device](cudaDeviceAttr attribute) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, attribute, device), "device");
    return value;
  };
  auto bytes = [&ask](cudaDeviceAttr attribute) {
    return static_cast<std::size_t>(ask(attribute));
  };
  int const compute_capability =
      ask(cudaDevAttrComputeCapabilityMajor) * 10 + ask(cudaDevAttrComputeCapabilityMinor);
  return {.device = device,
          .compute_capability = compute_capability,
          .multiprocessors = ask(cudaDevAttrMultiProcessorCount),
          .max_threads_per_multiprocessor = ask(cudaDevAttrMaxThreadsPerMultiProcessor),
          .registers_per_multiprocessor = ask(cudaDevAttrMaxRegistersPerMultiprocessor),
          .shared_bytes_per_multiprocessor = bytes(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          .shared_bytes_per_block = bytes(cudaDevAttrMaxSharedMemoryPerBlock),
          .shared_bytes_per_block_opt_in = bytes(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          .l2_bytes = bytes(cudaDevAttrL2CacheSize),
          .has_memory_pools = ask(cudaDevAttrMemoryPoolsSupported) != 0,
          .has_cooperative_launch = ask(cudaDevAttrCooperativeLaunch) != 0,
          .has_clusters = compute_capability >= 90};
}

// Asked once per process; a query that raises is tried again by the next call. Never destroyed:
// tensors with static lifetime ask when they give their memory back.
inline constexpr_vector<device_properties> const& all_devices() {
  static constexpr_vector<device_properties> const* const devices = [] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "device");
    constexpr_vector<device_properties> found;
    for (int device = 0; device < count; ++device) found.push_back(query_device(device));
    return new constexpr_vector<device_properties>(std::move(found));
  }();
  return *devices;
}

}  // namespace detail

inline device_properties const& properties_of(int device) {
  constexpr_vector<device_properties> const& devices = detail::all_devices();
  if (device < 0 || device >= devices.size())
    raise({.operation = "device",
           .problem = text("there is no device ") << device,
           .remedy = text("devices are 0 to ") << devices.size() - 1});
  return devices[device];
}

inline int device_of(void const* pointer) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), "device");
  if (!attributes.devicePointer) {
    // To a thread that has not used the device yet, its memory is nobody's.
    int device = 0;
    check(cudaGetDevice(&device), "device");
    check(cudaSetDevice(device), "device");
    check(cudaPointerGetAttributes(&attributes, pointer), "device");
  }
  if (attributes.type == cudaMemoryTypeUnregistered) return -1;
  return attributes.devicePointer ? attributes.device : -1;
}
#endif

}  // namespace tenon
TENON_ONCE_END
#endif
