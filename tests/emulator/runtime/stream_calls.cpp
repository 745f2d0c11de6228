// SPDX-License-Identifier: Apache-2.0
// What programs ask of streams.

#include <memory>
#include <utility>

#include "runtime/streams.hpp"

using namespace emulator;
using namespace emulator::runtime;

namespace {
cudaError_t create(cudaStream_t* to, bool is_blocking) {
  TENON_EMULATOR_ENTER();
  use_device();
  auto const made = make_stream(is_blocking);
  *to = reinterpret_cast<cudaStream_t>(made.get());
  streams[*to] = made;
  return cudaSuccess;
}
}  // namespace

TENON_EMULATOR_API cudaError_t cudaStreamCreate(cudaStream_t* to) { return create(to, true); }
TENON_EMULATOR_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned flags) {
  return create(to, !(flags & cudaStreamNonBlocking));
}
TENON_EMULATOR_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* to, unsigned flags, int) {
  return create(to, !(flags & cudaStreamNonBlocking));
}
TENON_EMULATOR_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  TENON_EMULATOR_ENTER();
  auto const found = streams.find(handle);
  if (found == streams.end()) return fail(cudaErrorInvalidResourceHandle);
  auto const s = found->second;
  if (s->capture) {
    invalidate(*s);
    s->capture = nullptr;
  }
  run_upto(s, s->enqueued);  // its work goes on; none is seen to be missing
  streams.erase(handle);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  use_device();
  if (s->capture) {
    invalidate(*s);
    return fail(cudaErrorStreamCaptureUnsupported);
  }
  cudaError_t const status = wait_for(s);
  trim_pools();
  return fail(status);
}
TENON_EMULATOR_API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  if (s->capture) {
    invalidate(*s);
    return fail(cudaErrorStreamCaptureUnsupported);
  }
  return fail(wait_for(s));
}
TENON_EMULATOR_API cudaError_t cudaDeviceSynchronize() {
  TENON_EMULATOR_ENTER();
  use_device();
  if (is_unsafe_while_capturing()) return fail(cudaErrorStreamCaptureUnsupported);
  return fail(wait_for_all());
}
TENON_EMULATOR_API cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* to) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  *to = s->is_blocking ? cudaStreamDefault : cudaStreamNonBlocking;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaStreamGetPriority(cudaStream_t, int* to) {
  *to = 0;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* to) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  *to = s->id;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaStreamGetDevice(cudaStream_t, int* to) {
  *to = 0;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t call,
                                                  void* data) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  operation o;
  o.type = cudaGraphNodeTypeHost;
  o.act = [=] { call(data); };
  return fail(put(s, std::move(o)));
}
TENON_EMULATOR_API cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t which,
                                                   unsigned) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  event* const e = event_of(which);
  if (!s || !e) return fail(cudaErrorInvalidResourceHandle);
  if (e->captured) {  // the stream joins the capture
    if (s->capture && s->capture != e->captured) return fail(cudaErrorStreamCaptureMerge);
    s->capture = e->captured;
    s->capture->streams.insert(s);
    return cudaSuccess;
  }
  if (s->capture) return fail(cudaErrorStreamCaptureIsolation);
  if (!e->in || e->in == s || e->in->done >= e->upto) return cudaSuccess;
  operation o;
  o.what = operation::wait, o.other = e->in, o.upto = e->upto;
  return fail(put(s, std::move(o)));
}
