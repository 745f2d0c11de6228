// SPDX-License-Identifier: Apache-2.0
// Pools of memory, in the order of streams.

#include "runtime/memory.hpp"

namespace emulator::runtime {

namespace {

pool& default_pool() {
  static pool* const it = [] {
    pool* made = new pool;
    pools.insert(made);
    return made;
  }();
  return *it;
}
cudaMemPool_t handle_of(pool* p) { return reinterpret_cast<cudaMemPool_t>(p); }
pool* pool_of(cudaMemPool_t handle) {
  pool* const p = reinterpret_cast<pool*>(handle);
  return pools.count(p) ? p : nullptr;
}

cudaError_t pool_allocate(void** to, std::size_t bytes, pool* from, cudaStream_t on) {
  if (!to || !from) return fail(cudaErrorInvalidValue);
  auto const s = stream_of(on);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  use_device();
  *to = nullptr;
  if (bytes == 0) return fail(cudaErrorInvalidValue);
  if (s->capture) {
    block* const made = make_block(bytes, kind::device);
    if (!made) return fail(cudaErrorMemoryAllocation);
    made->is_live = made->is_graphs = true;
    operation o;
    o.what = operation::memory_alloc, o.memory = made, o.type = cudaGraphNodeTypeMemAlloc;
    *to = made->data;
    return put(s, std::move(o));
  }
  block* best = nullptr;
  for (block* b : from->kept)
    if (b->capacity >= bytes && b->capacity <= 2 * bytes + 2 * granule &&
        (b->freed_in == 0 || b->freed_in == s->id) &&
        (!best || b->capacity < best->capacity ||
         (b->capacity == best->capacity && b->freed_in == s->id)))
      best = b;
  if (best) {
    from->kept.erase(best);
    bool const is_pending = best->freed_in != 0;
    best->is_live = true, best->freed_in = 0, best->asked = bytes;
    *to = best->data;
    if (is_pending) {  // the free in front of it has not happened yet
      operation o;
      o.what = operation::action, o.type = cudaGraphNodeTypeMemAlloc;
      o.act = [best, bytes] { best->bytes = bytes, make_ready(*best); };
      return put(s, std::move(o));
    }
    best->bytes = bytes;
    make_ready(*best);
    return cudaSuccess;
  }
  block* made = make_block(bytes, kind::device);
  if (!made) {
    wait_for_all();
    for (pool* p : pools)
      while (!p->kept.empty()) {
        block* const b = *p->kept.begin();
        p->kept.erase(p->kept.begin());
        p->reserved -= b->capacity;
        destroy_block(b);
      }
    made = make_block(bytes, kind::device);
  }
  if (!made) return fail(cudaErrorMemoryAllocation);
  made->owner = from, made->is_live = true;
  from->reserved += made->capacity;
  make_ready(*made);
  *to = made->data;
  return cudaSuccess;
}

}  // namespace

void trim_pools() {
  for (pool* p : pools)
    for (auto it = p->kept.begin(); it != p->kept.end() && p->reserved > p->threshold;) {
      block* const b = *it;
      if (b->freed_in) {
        ++it;
        continue;
      }
      it = p->kept.erase(it);
      p->reserved -= b->capacity;
      destroy_block(b);
    }
}

}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API cudaError_t cudaMallocAsync(void** to, size_t bytes, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return pool_allocate(to, bytes, &default_pool(), on);
}
TENON_EMULATOR_API cudaError_t cudaMallocFromPoolAsync(void** to, size_t bytes, cudaMemPool_t from,
                                                       cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return pool_allocate(to, bytes, pool_of(from), on);
}
TENON_EMULATOR_API cudaError_t cudaFreeAsync(void* at, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  if (!at) return cudaSuccess;
  auto const s = stream_of(on);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  auto const found = blocks.find(static_cast<char*>(at));
  if (found == blocks.end() || !found->second->is_live || found->second->of != kind::device)
    return fail(cudaErrorInvalidValue);
  block* const b = found->second;
  b->is_live = false;
  operation o;
  o.type = cudaGraphNodeTypeMemFree;
  if (b->is_graphs) {
    o.what = operation::memory_free, o.memory = b;
    return fail(put(s, std::move(o)));
  }
  if (!b->owner) {  // cudaMalloc's
    o.act = [b] { destroy_block(b); };
    return fail(put(s, std::move(o)));
  }
  b->freed_in = s->id, ++b->frees;
  o.act = [b] {
    make_gone(*b);
    if (--b->frees == 0 && !b->is_live) b->freed_in = 0;
  };
  b->owner->kept.insert(b);
  return fail(put(s, std::move(o)));
}
TENON_EMULATOR_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* to, cudaMemPoolProps const*) {
  TENON_EMULATOR_ENTER();
  pool* const made = new pool;
  pools.insert(made);
  *to = handle_of(made);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  TENON_EMULATOR_ENTER();
  pool* const p = pool_of(handle);
  if (!p) return fail(cudaErrorInvalidValue);
  p->threshold = 0;
  wait_for_all();
  trim_pools();
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which,
                                                       void* value) {
  TENON_EMULATOR_ENTER();
  pool* const p = pool_of(handle);
  if (!p) return fail(cudaErrorInvalidValue);
  if (which == cudaMemPoolAttrReleaseThreshold) p->threshold = *static_cast<std::uint64_t*>(value);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which,
                                                       void* value) {
  TENON_EMULATOR_ENTER();
  pool* const p = pool_of(handle);
  if (!p) return fail(cudaErrorInvalidValue);
  std::size_t kept = 0;
  for (block* b : p->kept) kept += b->capacity;
  if (which == cudaMemPoolAttrReleaseThreshold)
    *static_cast<std::uint64_t*>(value) = p->threshold;
  else if (which == cudaMemPoolAttrReservedMemCurrent)
    *static_cast<std::uint64_t*>(value) = p->reserved;
  else if (which == cudaMemPoolAttrUsedMemCurrent)
    *static_cast<std::uint64_t*>(value) = p->reserved - kept;
  else
    return fail(cudaErrorInvalidValue);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  TENON_EMULATOR_ENTER();
  pool* const p = pool_of(handle);
  if (!p) return fail(cudaErrorInvalidValue);
  auto const threshold = p->threshold;
  p->threshold = keep;
  trim_pools();
  p->threshold = threshold;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* to, int) {
  TENON_EMULATOR_ENTER();
  *to = handle_of(&default_pool());
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* to, int) {
  TENON_EMULATOR_ENTER();
  *to = handle_of(&default_pool());
  return cudaSuccess;
}
