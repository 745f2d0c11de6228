// SPDX-License-Identifier: Apache-2.0
// Blocks of memory with guard space, poisoned when they come and when they go.

#include <sys/mman.h>
#include <cstdlib>
#include <cstring>

#include "runtime/memory.hpp"

namespace emulator::runtime {

std::map<char*, block*> blocks;
std::set<pool*> pools;

namespace {

constexpr std::size_t guard_bytes = 4096;
constexpr unsigned char poison = 0xFB, poison_of_freed = 0xFD;
constexpr std::size_t most_poisoned = std::size_t(1) << 30;

std::size_t used_bytes = 0;  // of the device

}  // namespace

block* make_block(std::size_t bytes, kind of) {
  std::size_t const capacity = (bytes + granule - 1) / granule * granule;
  if (of == kind::device && (capacity < bytes || used_bytes + capacity > options().memory_bytes))
    return nullptr;
  std::size_t const all = guard_bytes + capacity + guard_bytes;
  void* const at = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  char* const data = static_cast<char*>(at) + guard_bytes;
  std::memset(at, poison, guard_bytes);
  std::memset(data + capacity, poison, guard_bytes);
  block* const made = new block;
  made->data = data, made->bytes = made->asked = bytes, made->capacity = capacity, made->of = of;
  blocks[data] = made;
  if (of == kind::device) used_bytes += capacity;
  return made;
}
void destroy_block(block* b) {
  make_gone(*b);
  if (b->of == kind::device) used_bytes -= b->capacity;
  blocks.erase(b->data);
  munmap(b->data - guard_bytes, b->capacity + 2 * guard_bytes);
  delete b;
}

static cudaError_t allocate(void** to, std::size_t bytes, kind of) {
  if (!to) return fail(cudaErrorInvalidValue);
  use_device();
  *to = nullptr;
  if (bytes == 0) return cudaSuccess;
  block* made = make_block(bytes, of);
  if (!made && of == kind::device) {
    wait_for_all();
    trim_pools();
    made = make_block(bytes, of);
  }
  if (!made) return fail(cudaErrorMemoryAllocation);
  made->is_live = true;
  make_ready(*made);
  if (of != kind::device) written(made->data, bytes);  // the host writes it unseen
  *to = made->data;
  return cudaSuccess;
}

static cudaError_t release(void* at, bool is_host) {
  if (!at) return cudaSuccess;
  auto const found = blocks.find(static_cast<char*>(at));
  if (found == blocks.end() || !found->second->is_live ||
      (found->second->of == kind::pinned) != is_host)
    return fail(cudaErrorInvalidValue);
  if (is_unsafe_while_capturing()) return fail(cudaErrorStreamCaptureUnsupported);
  cudaError_t const status = wait_for_all();
  block* const b = found->second;
  b->is_live = false;
  if (b->owner) {
    make_gone(*b);
    b->owner->kept.insert(b);
  } else if (b->is_graphs) {
    make_gone(*b);
  } else {
    destroy_block(b);
  }
  return fail(status);
}

block* block_at(void const* p) {
  auto found = blocks.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (found == blocks.begin()) return nullptr;
  block* const b = std::prev(found)->second;
  return b->is_live && static_cast<char const*>(p) < b->data + b->capacity ? b : nullptr;
}
bool is_usable(void const* p, std::size_t bytes) {
  if (variable_at(p, bytes)) return true;
  block* const b = block_at(p);
  return b && static_cast<char const*>(p) + bytes <= b->data + b->asked;
}
void make_ready(block& b) {
  if (b.is_registered) freed(b.data);
  if (b.capacity <= most_poisoned) std::memset(b.data, poison, b.capacity);
  allocated(b.data, b.bytes);
  b.is_registered = true;
}
void make_gone(block& b) {
  if (!b.is_registered) return;
  freed(b.data);
  b.is_registered = false;
  if (b.capacity <= most_poisoned) std::memset(b.data, poison_of_freed, b.capacity);
}

void note_written(void* at, std::size_t bytes) {
  if (block_at(at) || variable_at(at, bytes)) written(at, bytes);
}

}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API cudaError_t cudaMalloc(void** to, size_t bytes) {
  TENON_EMULATOR_ENTER();
  if (is_unsafe_while_capturing()) return fail(cudaErrorStreamCaptureUnsupported);
  return allocate(to, bytes, kind::device);
}
TENON_EMULATOR_API cudaError_t cudaMallocHost(void** to, size_t bytes) {
  TENON_EMULATOR_ENTER();
  return allocate(to, bytes, kind::pinned);
}
TENON_EMULATOR_API cudaError_t cudaHostAlloc(void** to, size_t bytes, unsigned) {
  TENON_EMULATOR_ENTER();
  return allocate(to, bytes, kind::pinned);
}
TENON_EMULATOR_API cudaError_t cudaHostGetDevicePointer(void** to, void* host, unsigned) {
  TENON_EMULATOR_ENTER();
  if (!block_at(host)) return fail(cudaErrorInvalidValue);
  *to = host;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaMallocManaged(void** to, size_t bytes, unsigned) {
  TENON_EMULATOR_ENTER();
  return allocate(to, bytes, kind::managed);
}
TENON_EMULATOR_API cudaError_t cudaMallocPitch(void** to, size_t* pitch, size_t width,
                                               size_t height) {
  TENON_EMULATOR_ENTER();
  *pitch = (width + granule - 1) / granule * granule;
  return allocate(to, *pitch * height, kind::device);
}
TENON_EMULATOR_API cudaError_t cudaFree(void* at) {
  TENON_EMULATOR_ENTER();
  use_device();
  return release(at, false);
}
TENON_EMULATOR_API cudaError_t cudaFreeHost(void* at) {
  TENON_EMULATOR_ENTER();
  return release(at, true);
}

TENON_EMULATOR_API cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  TENON_EMULATOR_ENTER();
  use_device();
  if (free) *free = options().memory_bytes - used_bytes;
  if (total) *total = options().memory_bytes;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* to, void const* p) {
  TENON_EMULATOR_ENTER();
  if (!to) return fail(cudaErrorInvalidValue);
  *to = {};
  to->type = cudaMemoryTypeUnregistered;
  to->device = -2;
  block* const b = block_at(p);
  bool const is_variable = !b && variable_at(p, 1);
  if (!b && !is_variable) {
    to->hostPointer = const_cast<void*>(p);
    return cudaSuccess;
  }
  if (!uses_device()) return cudaSuccess;  // as to a thread that has not used the device yet
  kind const of = b ? b->of : kind::device;
  to->device = 0;
  to->type = of == kind::device   ? cudaMemoryTypeDevice
             : of == kind::pinned ? cudaMemoryTypeHost
                                  : cudaMemoryTypeManaged;
  to->devicePointer = const_cast<void*>(p);
  to->hostPointer = of == kind::device ? nullptr : const_cast<void*>(p);
  return cudaSuccess;
}
