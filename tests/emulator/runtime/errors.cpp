// SPDX-License-Identifier: Apache-2.0
// Errors, their names, and which thread has them.

#include <cstdio>
#include <cstdlib>

#include "runtime/state.hpp"

namespace emulator::runtime {

std::recursive_mutex all;

namespace {

struct entry {
  cudaError_t code;
  char const *name, *text;
};
// Those that the emulator gives, and a few that programs ask for.
// clang-format off
constexpr entry table[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "not enough memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "a grid or block that the device cannot have"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "a pitch that is not allowed"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "no variable of the program"},
    {cudaErrorInvalidHostPointer, "cudaErrorInvalidHostPointer", "no memory of the host"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "no memory of the device"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "a direction of a copy that is not allowed"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration", "a kernel was called without a configuration"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "no kernel of the program"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "a driver older than the runtime"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no device"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "no device of that number"},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "PTX that the emulator cannot read"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice", "no code of the kernel for this device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "no stream, event or graph of that handle"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "not in this state of the stream"},
    {cudaErrorNotReady, "cudaErrorNotReady", "work is not done yet"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an access outside of all memory"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "a launch that asks for more than a multiprocessor has"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "an access at a misaligned address"},
    {cudaErrorAssert, "cudaErrorAssert", "an assertion failed on the device"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "a kernel went wrong"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "a cooperative launch of more blocks than are resident at once"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "not allowed while a stream is captured"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated", "the capture was made invalid by an earlier error"},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge", "a stream of another capture would join"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", "the capture did not begin in this stream"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "work of another stream has not joined the capture"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation", "the capture would depend on work outside of it"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit", "the capture would wait for the default stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent", "the event belongs to a capture"},
    {cudaErrorInvalidClusterSize, "cudaErrorInvalidClusterSize", "a cluster that the device cannot have"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};
// clang-format on

thread_local cudaError_t last_of_thread = cudaSuccess;
thread_local bool has_context = false;
cudaError_t lost_with = cudaSuccess;

}  // namespace

cudaError_t fail(cudaError_t e) {
  if (e != cudaSuccess) last_of_thread = e;
  return e;
}
cudaError_t lost() {
  cudaError_t const result = lost_with;
  if (!options().is_sticky) lost_with = cudaSuccess;  // told once
  return result;
}
void lose(cudaError_t e) {
  if (lost_with == cudaSuccess) lost_with = e;
}
void use_device() { has_context = true; }
bool uses_device() { return has_context; }

static entry const* entry_of(cudaError_t e) {
  for (entry const& each : table)
    if (each.code == e) return &each;
  return nullptr;
}

}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API char const* cudaGetErrorName(cudaError_t e) {
  entry const* const found = entry_of(e);
  return found ? found->name : "unrecognized error code";
}
TENON_EMULATOR_API char const* cudaGetErrorString(cudaError_t e) {
  entry const* const found = entry_of(e);
  return found ? found->text : "unrecognized error code";
}
TENON_EMULATOR_API cudaError_t cudaGetLastError() {
  lock guard(all);
  bool const is_lost = options().is_sticky && lost_with != cudaSuccess;
  cudaError_t const result = is_lost ? lost_with : last_of_thread;
  last_of_thread = is_lost ? lost_with : cudaSuccess;
  return result;
}
TENON_EMULATOR_API cudaError_t cudaPeekAtLastError() {
  lock guard(all);
  return options().is_sticky && lost_with != cudaSuccess ? lost_with : last_of_thread;
}

// Called by the stubs of what is not implemented.
extern "C" __attribute__((noreturn, visibility("hidden"))) void tenon_emulator_missing(
    char const* name) {
  std::fprintf(stderr, "emulator: %s is not implemented\n", name);
  std::abort();
}
