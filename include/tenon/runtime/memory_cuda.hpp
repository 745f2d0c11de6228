// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of the CUDA space: allocated and freed in stream order from a pool of our own on each
// device.

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "tenon/core/config.hpp"
#include "tenon/runtime/device.hpp"
#include "tenon/tensor/space.hpp"
#if !defined(__CUDA_ARCH__)
#include "tenon/core/atomic.hpp"
#include "tenon/core/mutex.hpp"
#endif

TENON_ONCE_BEGIN
namespace tenon {

// Gives memory that freed tensors left in the current device's pool back to the device.
void release_memory();

template <> struct space_traits<cuda> {
  [[gnu::noinline]] static memory_block allocate(std::size_t bytes, stream on);
  // Runs in destructors: a failure, after a lost device or at the end of the process, is dropped.
  [[gnu::noinline]] static void deallocate(memory_block const& block) noexcept;
  static void copy(void* target, void const* source, std::size_t bytes, stream on);
  static void read(void* host, void const* source, std::size_t bytes, stream on);
  static void write(void* target, void const* host, std::size_t bytes, stream on);
};

#if !defined(__CUDA_ARCH__)  // nvcc's pass for the device reads the declarations alone
namespace detail {

// One pool per device, which keeps freed memory for the next tensor instead of returning it at
// every synchronisation. It is not the device's default pool, whose settings belong to the user,
// and it is never destroyed: tensors with static lifetime may outlive anything that could destroy
// it.
class memory_pools {
 public:
  static cudaMemPool_t of(int device) {
    static memory_pools* const all = new memory_pools;
    slot& mine = all->slots_[device];
    if (cudaMemPool_t pool = mine.pool.load()) return pool;
    lock_guard lock(mine.creation);
    cudaMemPool_t pool = mine.pool.load();
    if (!pool) mine.pool.store(pool = create(device));
    return pool;
  }

 private:
  struct slot {
    mutex creation;
    atomic<cudaMemPool_t> pool;
  };
  memory_pools() : slots_(new slot[all_devices().size()]) {}

  static cudaMemPool_t create(int device) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t pool = nullptr;
    check(cudaMemPoolCreate(&pool, &properties), "tensor");
    std::uint64_t keep_all = UINT64_MAX;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all), "tensor");
    return pool;
  }

  slot* slots_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void raise_out_of_memory(std::size_t bytes, int device) {
  std::size_t free_bytes = 0, total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) cudaGetLastError();
  raise({.operation = "tensor",
         .problem = text() << bytes << " bytes of cuda memory could not be allocated on device "
                           << device << ", where " << free_bytes << " of " << total_bytes
                           << " are free",
         .remedy = "free other tensors, call tn::release_memory(), or use smaller extents"});
}

inline void transfer(void* target, void const* source, std::size_t bytes, cudaMemcpyKind kind,
                     stream on) {
  if (bytes) check(cudaMemcpyAsync(target, source, bytes, kind, on.handle), "copy");
}

}  // namespace detail

inline void release_memory() {
  int const device = current_device();
  if (properties_of(device).has_memory_pools)
    check(cudaMemPoolTrimTo(detail::memory_pools::of(device), 0), "release_memory");
}

inline memory_block space_traits<cuda>::allocate(std::size_t bytes, stream on) {
  int const device = current_device();
  if (bytes == 0) return {.on = on, .device = device};
  void* data = nullptr;
  cudaError_t const status =
      properties_of(device).has_memory_pools
          ? cudaMallocFromPoolAsync(&data, bytes, detail::memory_pools::of(device), on.handle)
          : cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    detail::raise_out_of_memory(bytes, device);
  }
  check(status, "tensor");
  return {.data = data, .bytes = bytes, .on = on, .device = device};
}

inline void space_traits<cuda>::deallocate(memory_block const& block) noexcept {
  int current = block.device;
  bool const is_known = cudaGetDevice(&current) == cudaSuccess;
  bool const is_other = is_known && current != block.device;
  if (is_other && cudaSetDevice(block.device) != cudaSuccess) cudaGetLastError();
  // The devices were asked when the block was allocated: nothing is raised here.
  bool const has_pools = properties_of(block.device).has_memory_pools;
  if ((has_pools ? cudaFreeAsync(block.data, block.on.handle) : cudaFree(block.data)) !=
      cudaSuccess)
    cudaGetLastError();
  if (is_other && cudaSetDevice(current) != cudaSuccess) cudaGetLastError();
}

inline void space_traits<cuda>::copy(void* target, void const* source, std::size_t bytes, stream on) {
  detail::transfer(target, source, bytes, cudaMemcpyDeviceToDevice, on);
}
inline void space_traits<cuda>::read(void* host, void const* source, std::size_t bytes, stream on) {
  detail::transfer(host, source, bytes, cudaMemcpyDeviceToHost, on);
  check(cudaStreamSynchronize(on.handle), "copy");
}
inline void space_traits<cuda>::write(void* target, void const* host, std::size_t bytes, stream on) {
  detail::transfer(target, host, bytes, cudaMemcpyHostToDevice, on);
  check(cudaStreamSynchronize(on.handle), "copy");
}
#endif

}  // namespace tenon
TENON_ONCE_END
#endif
