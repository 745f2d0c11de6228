// SPDX-License-Identifier: Apache-2.0
#pragma once
// Device memory for partial results and tickets: one zero-initialised piece per device and stream, kept and reused.

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include <cstddef>

#include "tenon/core/config.hpp"
#include "tenon/core/mutex.hpp"
#include "tenon/core/static_vector.hpp"
#include "tenon/runtime/device.hpp"
#include "tenon/runtime/stream.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// A stream runs one kernel of ours after the other, so one piece per stream is enough, and every kernel leaves its
// tickets at zero. A larger need replaces the piece; the old one stays, for graphs and other threads that know of it.
class workspaces {
 public:
  static void* get(std::size_t bytes, int device, stream on) {
    if (bytes == 0) return nullptr;
    static workspaces* const all = new workspaces;  // outlives every static tensor
    return all->find(bytes, device, on);
  }

 private:
  struct piece {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  struct recent {
    int device = -1;
    cudaStream_t handle = nullptr;
    piece found;
  };

  struct owned {
    int device = -1;
    cudaStream_t handle = nullptr;
    void const* thread = nullptr;
    piece memory;
  };

  void* find(std::size_t bytes, int device, stream on) {
    static thread_local recent last;  // the warm call takes no lock
    if (last.device == device && last.handle == on.handle && last.found.bytes >= bytes) return last.found.data;
    lock_guard lock(mutex_);
    piece& mine = piece_of(device, on, is_of_thread(on) ? &last : nullptr);
    if (mine.bytes < bytes) mine = make(bytes, mine, on);
    last = {device, on.handle, mine};
    return mine.data;
  }

  // Whether the handle names another stream in every thread.
  static bool is_of_thread(stream on) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    if (!on.handle) return true;
#endif
    return on.handle == cudaStreamPerThread;
  }

  // @pre the lock is held. `thread`: whose stream it is, where the handle does not say
  piece& piece_of(int device, stream on, void const* thread) {
    for (owned& o : pieces_)
      if (o.device == device && o.handle == on.handle && o.thread == thread) return o.memory;
    pieces_.push_back({device, on.handle, thread, {}});
    return pieces_.back().memory;
  }

  // During capture nothing may be allocated or cleared, since that would become part of the graph.
  static piece make(std::size_t bytes, piece old, stream on) {
    if (is_capturing(on))
      raise({.operation = "workspace",
             .problem = text("the first call on a stream needs ") << bytes << " bytes, but the stream is being captured",
             .remedy = "call the expression once on this stream before the capture begins"});
    std::size_t rounded = 1u << 20;
    while (rounded < bytes) rounded *= 2;
    piece fresh{nullptr, rounded};
    check(cudaMalloc(&fresh.data, rounded), "workspace");
    cudaError_t cleared = cudaMemsetAsync(fresh.data, 0, rounded, on.handle);
    if (cleared != cudaSuccess) cudaFree(fresh.data);
    check(cleared, "workspace");
    // Another thread may have remembered the old piece for this stream: it stays valid.
    (void)old;
    return fresh;
  }

  mutex mutex_;
  constexpr_vector<owned> pieces_;  // one per device, stream and, where it is the thread's own, thread: few
};

}  // namespace tenon::detail
TENON_ONCE_END
#endif
