// SPDX-License-Identifier: Apache-2.0
#pragma once
// A kernel's launch by the driver, for which its name need not be found again at each call.

#include "tenon/backend/cuda/parts/dependent_launch.cuh"

namespace tenon::detail {

// The runtime (13.0) takes 1.4 ns more for each character of a kernel's name, which says the whole
// program: H200, a name of 530 characters, 3.5 us a queued call instead of 2.9.
class direct_launch {
 public:
  // Empty where the kernel cannot be had: then the runtime launches it, and says why it cannot.
  static direct_launch of(void const* function) {
    direct_launch result;
#if CUDART_VERSION >= 12050
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    result.may_be_early_ = has_code_of_sm_90(function);
    if (cudaGetDevice(&result.device_) == cudaSuccess &&
        cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 12000, cudaEnableDefault,
                                         &found) == cudaSuccess &&
        found == cudaDriverEntryPointSuccess &&
        cudaGetFuncBySymbol(&result.kernel_, function) == cudaSuccess)
      result.by_driver_ = reinterpret_cast<driver_entry>(entry);
    else
      cudaGetLastError();  // not the caller's
#endif
    return result;
  }

  // Whether it may be launched before the previous kernel has ended.
  bool may_be_early() const { return may_be_early_; }
  // A thread's first launch on a device is the runtime's, which makes the device's context the
  // thread's. @pre the device of the plan is current
  cudaError_t launch(void const* function, dim3 grid, dim3 block, void** parameters,
                     unsigned shared_bytes, cudaStream_t stream) const {
    static thread_local int last_device = -1;
    if (by_driver_ && last_device == device_) {
      cudaLaunchAttribute early;
      allow_early_launch(early);
      driver_configuration const how{grid, block, shared_bytes, stream, &early, may_be_early_};
      if (by_driver_(&how, kernel_, parameters, nullptr) == 0) return cudaSuccess;
    }
    last_device = device_;
    return cudaLaunchKernel(function, grid, block, parameters, shared_bytes, stream);
  }

 private:
  // cuLaunchKernelEx, without <cuda.h>: its result is an enumeration, 0 for success.
  struct driver_configuration {
    dim3 grid, block;
    unsigned shared_bytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attributes;
    unsigned attribute_count;
  };
  using driver_entry = int (*)(driver_configuration const*, cudaFunction_t, void**, void**);
  driver_entry by_driver_ = nullptr;
  cudaFunction_t kernel_ = nullptr;
  int device_ = -1;
  bool may_be_early_ = false;
};

}  // namespace tenon::detail
