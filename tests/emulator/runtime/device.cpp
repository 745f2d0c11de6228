// SPDX-License-Identifier: Apache-2.0
// The device: one of compute capability 9.0.

#include <cstdio>
#include <cstring>

#include "runtime/state.hpp"

using namespace emulator;
using namespace emulator::runtime;

namespace {
int attribute(int which, bool& is_known) {
  is_known = true;
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return 49152;
    case cudaDevAttrTotalConstantMemory:
      return 65536;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxPitch:
      return 2147483647;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return 65536;
    case cudaDevAttrClockRate:
      return 1980000;
    case cudaDevAttrMemoryClockRate:
      return 3201000;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      return 512;
    case cudaDevAttrTexturePitchAlignment:
      return 32;
    case cudaDevAttrMultiProcessorCount:
      return static_cast<int>(options().multiprocessors);
    case cudaDevAttrGlobalMemoryBusWidth:
      return 6144;
    case cudaDevAttrL2CacheSize:
      return 50 << 20;
    case cudaDevAttrMaxPersistingL2CacheSize:
      return 31 << 20;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return 2048;
    case cudaDevAttrAsyncEngineCount:
      return 3;
    case cudaDevAttrComputeCapabilityMajor:
      return 9;
    case cudaDevAttrComputeCapabilityMinor:
      return 0;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return 233472;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return 232448;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return 1024;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return 32;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return 2;
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return 128 << 20;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrGpuOverlap:
      return 1;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrTccDriver:
    case cudaDevAttrPciBusId:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
      return 0;
    default:
      is_known = false;
      return 0;
  }
}
cudaError_t checked(int device) { return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice); }
}  // namespace

TENON_EMULATOR_API cudaError_t cudaGetDeviceCount(int* to) {
  TENON_EMULATOR_ENTER();
  *to = 1;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGetDevice(int* to) {
  if (!to) return fail(cudaErrorInvalidValue);
  *to = 0;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaSetDevice(int device) {
  TENON_EMULATOR_ENTER();
  if (cudaError_t e = checked(device)) return e;
  use_device();
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  TENON_EMULATOR_ENTER();
  return checked(device);
}
TENON_EMULATOR_API cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
TENON_EMULATOR_API cudaError_t cudaDeviceReset() {
  TENON_EMULATOR_ENTER();
  return fail(wait_for_all());
}
TENON_EMULATOR_API cudaError_t cudaDeviceGetAttribute(int* to, cudaDeviceAttr which, int device) {
  TENON_EMULATOR_ENTER();
  if (cudaError_t e = checked(device)) return e;
  bool is_known = false;
  *to = attribute(which, is_known);
  if (is_known) return cudaSuccess;
  std::fprintf(stderr, "emulator: device attribute %d is not known\n", static_cast<int>(which));
  return fail(cudaErrorInvalidValue);
}
TENON_EMULATOR_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int device) {
  TENON_EMULATOR_ENTER();
  if (cudaError_t e = checked(device)) return e;
  auto ask = [](int which) {
    bool is_known;
    return attribute(which, is_known);
  };
  *to = {};
  std::strcpy(to->name, "emulated device of compute capability 9.0");
  std::size_t free = 0;
  cudaMemGetInfo(&free, &to->totalGlobalMem);
  to->sharedMemPerBlock = 49152;
  to->regsPerBlock = to->regsPerMultiprocessor = 65536;
  to->warpSize = 32;
  to->memPitch = 2147483647;
  to->maxThreadsPerBlock = to->maxThreadsDim[0] = to->maxThreadsDim[1] = 1024;
  to->maxThreadsDim[2] = 64;
  to->maxGridSize[0] = 2147483647;
  to->maxGridSize[1] = to->maxGridSize[2] = 65535;
  to->totalConstMem = 65536;
  to->major = 9;
  to->textureAlignment = to->surfaceAlignment = 512;
  to->multiProcessorCount = ask(cudaDevAttrMultiProcessorCount);
  to->canMapHostMemory = to->concurrentKernels = to->ECCEnabled = to->unifiedAddressing = 1;
  to->asyncEngineCount = 3;
  to->memoryBusWidth = 6144;
  to->l2CacheSize = ask(cudaDevAttrL2CacheSize);
  to->persistingL2CacheMaxSize = ask(cudaDevAttrMaxPersistingL2CacheSize);
  to->maxThreadsPerMultiProcessor = 2048;
  to->streamPrioritiesSupported = to->globalL1CacheSupported = to->localL1CacheSupported = 1;
  to->sharedMemPerMultiprocessor = 233472;
  to->managedMemory = to->concurrentManagedAccess = to->cooperativeLaunch = 1;
  to->sharedMemPerBlockOptin = 232448;
  to->maxBlocksPerMultiProcessor = 32;
  to->reservedSharedMemPerBlock = 1024;
  to->memoryPoolsSupported = to->clusterLaunch = 1;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaDriverGetVersion(int* to) {
  *to = CUDART_VERSION;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaRuntimeGetVersion(int* to) {
  *to = CUDART_VERSION;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaDeviceCanAccessPeer(int* to, int, int) {
  *to = 0;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
TENON_EMULATOR_API cudaError_t cudaProfilerStart() { return cudaSuccess; }
TENON_EMULATOR_API cudaError_t cudaProfilerStop() { return cudaSuccess; }
