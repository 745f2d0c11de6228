// SPDX-License-Identifier: Apache-2.0
#pragma once
// A CUDA status turned into tenon::error: the sentence says whose fault it is and what to do about
// it.

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include <initializer_list>
#include <utility>

#include "tenon/core/config.hpp"
#include "tenon/core/error.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// Raises unless the status is cudaSuccess. CUDA also keeps a failed status for its own next query;
// this takes it back.
void check(cudaError_t status, const char* operation);

namespace detail {

text device_architecture();
// "sm_80, sm_90": what this translation unit has kernels for.
text compiled_architectures();

}  // namespace detail

#if !defined(__CUDA_ARCH__)  // nvcc's pass for the device reads the declarations alone
namespace detail {

inline text device_architecture() {
  int device = 0, major = 0, minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return "sm_??";
  return "sm_" + to_string(major * 10 + minor);
}

inline text compiled_architectures() {
  text result;
  for (int architecture : {__CUDA_ARCH_LIST__})
    result << (result.empty() ? "sm_" : ", sm_") << architecture / 10;
  return result;
}

// Errors after which every later call fails too: they come from a kernel that ran before the call
// that reports them.
constexpr bool is_asynchronous(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
      return true;
    default:
      return false;
  }
}

// @pre status != cudaSuccess
[[gnu::cold, gnu::noinline]] inline error_details describe(cudaError_t status, text operation) {
  error_details result{.operation = std::move(operation), .remedy = "see the CUDA runtime documentation"};
  if (is_asynchronous(status)) {
    result.problem = "an earlier asynchronous error was found: ";
    result.remedy =
        "a kernel launched before this call failed and the device's state is lost; run the program "
        "under compute-sanitizer to find the kernel, and restart the process";
  } else if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    result.problem = "no CUDA device can be used: ";
    result.remedy = "check nvidia-smi and the driver, or use tn::cpu tensors";
  } else if (status == cudaErrorNoKernelImageForDevice ||
             status == cudaErrorInvalidDeviceFunction ||
             status == cudaErrorUnsupportedPtxVersion) {
    text const architecture = device_architecture();
    result.problem << "no kernel image for this device: compiled for " << compiled_architectures()
                   << ", the device is " << architecture << ": ";
    result.remedy = text("add -arch=") << architecture << " to nvcc's options";
  } else if (status == cudaErrorStreamCaptureUnsupported ||
             status == cudaErrorStreamCaptureImplicit) {
    result.problem = "not possible while a stream is being captured: ";
    result.remedy = "do it before the capture begins";
  }
  result.problem << cudaGetErrorName(status) << " (" << cudaGetErrorString(status) << ')';
  return result;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void raise_status(cudaError_t status,
                                                                const char* operation) {
  cudaGetLastError();
  raise(describe(status, operation));
}

}  // namespace detail

inline void check(cudaError_t status, const char* operation) {
  if (status != cudaSuccess) detail::raise_status(status, operation);
}
#endif

}  // namespace tenon
TENON_ONCE_END
#endif
