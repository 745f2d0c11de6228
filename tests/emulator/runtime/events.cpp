// SPDX-License-Identifier: Apache-2.0
// Events: places in streams.

#include <chrono>

#include "runtime/streams.hpp"

namespace emulator::runtime {

event* event_of(cudaEvent_t handle) {
  event* const e = reinterpret_cast<event*>(handle);
  return events.count(e) ? e : nullptr;
}

}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

namespace {
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

TENON_EMULATOR_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* to, unsigned) {
  TENON_EMULATOR_ENTER();
  use_device();
  event* const made = new event;
  events.insert(made);
  *to = reinterpret_cast<cudaEvent_t>(made);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaEventCreate(cudaEvent_t* to) {
  return cudaEventCreateWithFlags(to, 0);
}
TENON_EMULATOR_API cudaError_t cudaEventDestroy(cudaEvent_t which) {
  TENON_EMULATOR_ENTER();
  event* const e = event_of(which);
  if (!e) return fail(cudaErrorInvalidResourceHandle);
  events.erase(e);
  delete e;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaEventRecord(cudaEvent_t which, cudaStream_t handle) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  event* const e = event_of(which);
  if (!s || !e) return fail(cudaErrorInvalidResourceHandle);
  e->seconds = now();
  e->captured = s->capture;
  if (s->capture) return cudaSuccess;
  if (s == legacy())  // it stands for the streams that block, too
    for (auto const& other : all_streams())
      if (other->is_blocking) queue_wait(s, other);
  e->in = s, e->upto = s->enqueued;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaEventSynchronize(cudaEvent_t which) {
  TENON_EMULATOR_ENTER();
  event* const e = event_of(which);
  if (!e) return fail(cudaErrorInvalidResourceHandle);
  if (e->captured) return fail(cudaErrorCapturedEvent);
  if (e->in) run_upto(e->in, e->upto);
  return fail(lost());
}
TENON_EMULATOR_API cudaError_t cudaEventQuery(cudaEvent_t which) {
  return cudaEventSynchronize(which);
}
TENON_EMULATOR_API cudaError_t cudaEventElapsedTime(float* to, cudaEvent_t from,
                                                    cudaEvent_t until) {
  TENON_EMULATOR_ENTER();
  event *const a = event_of(from), *const b = event_of(until);
  if (!a || !b) return fail(cudaErrorInvalidResourceHandle);
  *to = static_cast<float>((b->seconds - a->seconds) * 1e3);
  return cudaSuccess;
}
