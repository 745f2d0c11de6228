// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a program does with a stream: wait for it, ask whether it is being captured, let it wait for
// another.

#include "tenon/tensor/stream.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include "tenon/runtime/error_cuda.hpp"

namespace tenon {

// Returns when everything in the stream is done; raises the error of a kernel that failed in it.
inline void synchronize(stream on = {}) { check(cudaStreamSynchronize(on.handle), "synchronize"); }

inline bool is_capturing(stream on) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(on.handle, &status), "is_capturing");
  return status != cudaStreamCaptureStatusNone;
}

// What `later` does from now on comes after what `earlier` has been given so far; the host does not
// wait.
inline void order(stream earlier, stream later) {
  if (earlier == later) return;
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "order");
  cudaError_t status = cudaEventRecord(event, earlier.handle);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(later.handle, event, 0);
  cudaEventDestroy(event);  // CUDA keeps it until the wait is over
  check(status, "order");
}

}  // namespace tenon
#endif
