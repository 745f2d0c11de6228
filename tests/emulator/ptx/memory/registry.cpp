// SPDX-License-Identifier: Apache-2.0
// Allocations by address, the address space of shared memory, rows of constants.

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

#include "ptx/memory/registry.hpp"
#include "settings.hpp"

namespace emulator {

std::uint64_t changes_made = 0;

std::uintptr_t hit_from[2] = {1, 1}, hit_to[2] = {0, 0};

static std::mutex& lock() {
  static std::mutex m;
  return m;
}
static std::map<std::uintptr_t, allocation>& all() {
  static auto* m = new std::map<std::uintptr_t, allocation>;
  return *m;
}

void forget_last() { hit_from[0] = hit_from[1] = 1, hit_to[0] = hit_to[1] = 0; }
void allocated(void* at, std::size_t bytes) {
  std::lock_guard<std::mutex> g(lock());
  allocation a;
  a.from = reinterpret_cast<std::uintptr_t>(at);
  a.to = a.from + bytes;
  if (options().finds_unwritten) a.tracks = true, a.written.assign(bytes, 0);
  all()[a.from] = std::move(a);
}
void freed(void* at) {
  std::lock_guard<std::mutex> g(lock());
  all().erase(reinterpret_cast<std::uintptr_t>(at));
  forget_last();
}
allocation* find_allocation(std::uintptr_t at) {
  auto f = all().upper_bound(at);
  if (f == all().begin()) return nullptr;
  --f;
  return at < f->second.to || (at == f->second.from) ? &f->second : nullptr;
}
void written(void* at, std::size_t bytes) {
  if (!options().finds_unwritten) return;
  std::lock_guard<std::mutex> g(lock());
  std::uintptr_t from = reinterpret_cast<std::uintptr_t>(at), to = from + bytes;
  auto f = all().upper_bound(from);
  if (f != all().begin()) --f;
  for (; f != all().end() && f->second.from < to; ++f) {
    allocation& a = f->second;
    std::uintptr_t x = std::max(from, a.from), y = std::min(to, a.to);
    if (x < y && a.tracks) std::memset(a.written.data() + (x - a.from), 1, y - x);
  }
}

unsigned char* high_memory(std::size_t bytes) {
  static unsigned char *at = nullptr, *end = nullptr;
  bytes = (bytes + 63) / 64 * 64;
  if (at == nullptr || at + bytes > end) {
    std::size_t n = 4 << 20;
    void* p = mmap(reinterpret_cast<void*>(1ull << 40), n, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || reinterpret_cast<std::uint64_t>(p) < constant_from)
      throw std::runtime_error("no memory above 4 GB");
    at = static_cast<unsigned char*>(p), end = at + n;
  }
  unsigned char* r = at;
  at += bytes;
  return r;
}

char* shared_arena() {
  static char* at = [] {
    void* p = mmap(nullptr, arena_slots * shared_stride, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error("no address space for shared memory");
    return static_cast<char*>(p);
  }();
  return at;
}
static block* blocks_by_slot[arena_slots];
block* block_of_slot(unsigned slot) { return slot < arena_slots ? blocks_by_slot[slot] : nullptr; }
void set_block_of_slot(unsigned slot, block* b) {
  if (slot >= arena_slots) throw std::runtime_error("too many resident blocks");
  blocks_by_slot[slot] = b;
}

}  // namespace emulator
