// SPDX-License-Identifier: Apache-2.0
// Copies and fills.

#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/memory.hpp"

namespace emulator::runtime {
namespace {

cudaMemcpyKind direction(void const* to, void const* from, cudaMemcpyKind asked) {
  if (asked != cudaMemcpyDefault) return asked;
  block *const t = block_at(to), *const f = block_at(from);
  bool const to_device = (t && t->of != kind::pinned) || variable_at(to, 1);
  bool const from_device = (f && f->of != kind::pinned) || variable_at(from, 1);
  return to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                   : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
}

void moved(void* to, void const* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
  note_written(to, bytes);
}

// `rows` of `bytes`, apart by the pitches. @pre the lock is held, no error is there
cudaError_t copy(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                 std::size_t bytes, std::size_t rows, cudaMemcpyKind asked, cudaStream_t on,
                 bool is_async) {
  auto const s = stream_of(on);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  use_device();
  if (bytes == 0 || rows == 0) return cudaSuccess;
  if (!is_async && is_unsafe_while_capturing()) return fail(cudaErrorStreamCaptureImplicit);
  auto const way = direction(to, from, asked);
  bool const to_device = way == cudaMemcpyDeviceToDevice || way == cudaMemcpyHostToDevice;
  bool const from_device = way == cudaMemcpyDeviceToDevice || way == cudaMemcpyDeviceToHost;
  std::size_t const to_span = (rows - 1) * to_pitch + bytes,
                    from_span = (rows - 1) * from_pitch + bytes;
  if (!to || !from || (to_device && !is_usable(to, to_span)) ||
      (from_device && !is_usable(from, from_span))) {
    std::fprintf(stderr, "emulator: copy of %zu bytes from %p to %p: not in an allocation\n",
                 bytes * rows, from, to);
    return fail(cudaErrorInvalidValue);
  }
  operation o;
  o.type = cudaGraphNodeTypeMemcpy;
  bool const is_pageable_source = !from_device && !block_at(from) && is_async && !s->capture;
  if (is_pageable_source) {
    auto staged = std::make_shared<std::vector<char>>(bytes * rows);
    for (std::size_t r = 0; r < rows; ++r)
      std::memcpy(staged->data() + r * bytes, static_cast<char const*>(from) + r * from_pitch,
                  bytes);
    o.act = [=] {
      for (std::size_t r = 0; r < rows; ++r)
        moved(static_cast<char*>(to) + r * to_pitch, staged->data() + r * bytes, bytes);
    };
  } else {
    o.act = [=] {
      for (std::size_t r = 0; r < rows; ++r)
        moved(static_cast<char*>(to) + r * to_pitch,
              static_cast<char const*>(from) + r * from_pitch, bytes);
    };
  }
  if (cudaError_t status = put(s, std::move(o))) return fail(status);
  bool const is_pageable_target = !to_device && !block_at(to);
  if (s->capture) return cudaSuccess;
  return is_async && !is_pageable_target ? cudaSuccess : fail(wait_for(s));
}

cudaError_t fill(void* at, int value, std::size_t pitch, std::size_t bytes, std::size_t rows,
                 cudaStream_t on) {
  auto const s = stream_of(on);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  use_device();
  if (bytes == 0 || rows == 0) return cudaSuccess;
  if (!is_usable(at, (rows - 1) * pitch + bytes)) return fail(cudaErrorInvalidValue);
  operation o;
  o.type = cudaGraphNodeTypeMemset;
  o.act = [=] {
    for (std::size_t r = 0; r < rows; ++r) {
      std::memset(static_cast<char*>(at) + r * pitch, value, bytes);
      note_written(static_cast<char*>(at) + r * pitch, bytes);
    }
  };
  return fail(put(s, std::move(o)));
}
}  // namespace

}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API cudaError_t cudaMemcpy(void* to, void const* from, size_t bytes,
                                          cudaMemcpyKind way) {
  TENON_EMULATOR_ENTER();
  return copy(to, bytes, from, bytes, bytes, 1, way, nullptr, false);
}
TENON_EMULATOR_API cudaError_t cudaMemcpyAsync(void* to, void const* from, size_t bytes,
                                               cudaMemcpyKind way, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return copy(to, bytes, from, bytes, bytes, 1, way, on, true);
}
TENON_EMULATOR_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, void const* from,
                                            size_t from_pitch, size_t width, size_t height,
                                            cudaMemcpyKind way) {
  TENON_EMULATOR_ENTER();
  return copy(to, to_pitch, from, from_pitch, width, height, way, nullptr, false);
}
TENON_EMULATOR_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, void const* from,
                                                 size_t from_pitch, size_t width, size_t height,
                                                 cudaMemcpyKind way, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return copy(to, to_pitch, from, from_pitch, width, height, way, on, true);
}
TENON_EMULATOR_API cudaError_t cudaMemcpyPeerAsync(void* to, int, void const* from, int,
                                                   size_t bytes, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return copy(to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice, on, true);
}
TENON_EMULATOR_API cudaError_t cudaMemset(void* at, int value, size_t bytes) {
  TENON_EMULATOR_ENTER();
  if (is_unsafe_while_capturing()) return fail(cudaErrorStreamCaptureImplicit);
  return fill(at, value, bytes, bytes, 1, nullptr);
}
TENON_EMULATOR_API cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return fill(at, value, bytes, bytes, 1, on);
}
TENON_EMULATOR_API cudaError_t cudaMemset2D(void* at, size_t pitch, int value, size_t width,
                                            size_t height) {
  TENON_EMULATOR_ENTER();
  return fill(at, value, pitch, width, height, nullptr);
}
TENON_EMULATOR_API cudaError_t cudaMemset2DAsync(void* at, size_t pitch, int value, size_t width,
                                                 size_t height, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return fill(at, value, pitch, width, height, on);
}
TENON_EMULATOR_API cudaError_t cudaMemPrefetchAsync(void const*, size_t, cudaMemLocation, unsigned,
                                                    cudaStream_t) {
  TENON_EMULATOR_ENTER();
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaMemAdvise(void const*, size_t, cudaMemoryAdvise,
                                             cudaMemLocation) {
  TENON_EMULATOR_ENTER();
  return cudaSuccess;
}
