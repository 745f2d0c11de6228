// SPDX-License-Identifier: Apache-2.0
// An address that was not in the allocation hit last: where it lies, or what is wrong with it.

#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "ptx/memory/access.hpp"

namespace emulator {

static std::string hex(u64 a) {
  char t[32];
  std::snprintf(t, sizeof t, "0x%llx", static_cast<unsigned long long>(a));
  return t;
}

static char* in_shared(warp& w, unsigned l, block& b, u64 off, unsigned bytes, bool writes,
                       bool atomic, u64 shown) {
  if (off < shared_base || off + bytes > b.shared_bytes)
    fail(w, static_cast<int>(l),
         std::string(writes ? "a write" : "a read") + " of " + std::to_string(bytes) +
             " bytes at " + hex(shown) + " outside of the shared memory of the block (" +
             hex(shared_base) + " to " + hex(b.shared_bytes) + ")");
  if (b.ended && &b != w.of)
    fail(w, static_cast<int>(l),
         "an access of the shared memory of a block of the cluster that has ended");
  if (checks_accesses) race_access(w, l, b, static_cast<u32>(off), bytes, writes, atomic, false);
  return b.shared + off;
}

char* resolve_checked(warp& w, unsigned l, u64 a, unsigned bytes, space where, bool writes,
                      bool atomic) {
  if ((a & (bytes - 1)) != 0 && (bytes & (bytes - 1)) == 0)
    fail(w, static_cast<int>(l),
         std::string(writes ? "a write" : "a read") + " of " + std::to_string(bytes) +
             " bytes at " + hex(a) + ", which is misaligned");
  block& b = *w.of;
  switch (where) {
    case space::shared:
      return in_shared(w, l, b, a, bytes, writes, atomic, a);
    case space::shared_cluster: {
      u64 rank = a >> 24;
      if (rank == 0) return in_shared(w, l, b, a, bytes, writes, atomic, a);
      if (rank > b.in->blocks.size())
        fail(w, static_cast<int>(l), "an address of shared::cluster of no block: " + hex(a));
      return in_shared(w, l, *b.in->blocks[rank - 1], a & 0xffffff, bytes, writes, atomic, a);
    }
    case space::local:
      if (a + bytes > w.local_stride)
        fail(w, static_cast<int>(l), "an access outside of local memory at " + hex(a));
      return local_of(w, l) + a;
    case space::frame:
      return local_of(w, l) + w.frame + a;
    case space::entry_param:
      return reinterpret_cast<char*>(b.run->arguments.data()) + a;
    default:
      break;
  }
  if (where == space::generic) {
    u64 arena = reinterpret_cast<u64>(shared_arena());
    if (a >= arena && a < arena + arena_slots * shared_stride) {
      block* of = block_of_slot(static_cast<unsigned>((a - arena) / shared_stride));
      if (of == nullptr || of->in != b.in)
        fail(w, static_cast<int>(l),
             "an access of the shared memory of another block, outside of the cluster, at " +
                 hex(a));
      return in_shared(w, l, *of, (a - arena) % shared_stride, bytes, writes, atomic,
                       (a - arena) % shared_stride);
    }
  }
  allocation* m = find_allocation(a);
  if (m == nullptr || a + bytes > m->to) {
    std::string r = std::string(writes ? "a write" : "a read") + " of " + std::to_string(bytes) +
                    " bytes at " + hex(a) + " outside of all allocations";
    if (m != nullptr)
      r += "; it crosses the end of one of " + std::to_string(m->to - m->from) +
           " bytes that begins at " + hex(m->from);
    else {
      for (u64 back = 1; back <= 1 << 20 && back <= a; back *= 2) {
        allocation* n = find_allocation(a - back);
        if (n != nullptr && a >= n->to) {
          r += "; " + std::to_string(a - n->to) + " bytes behind one of " +
               std::to_string(n->to - n->from) + " bytes that begins at " + hex(n->from);
          break;
        }
      }
    }
    fail(w, static_cast<int>(l), r);
  }
  if (m->tracks) {
    u8* t = m->written.data() + (a - m->from);
    if (writes)
      std::memset(t, 1, bytes);
    else if (!(where == space::generic && w.local != nullptr &&
               m->from == reinterpret_cast<u64>(w.local)))
      for (unsigned k = 0; k < bytes; ++k)
        if (t[k] == 0)
          fail(w, static_cast<int>(l),
               "a read of " + std::to_string(bytes) + " bytes at " + hex(a) +
                   " that nothing has written (byte " + std::to_string(a + k - m->from) +
                   " of an allocation of " + std::to_string(m->to - m->from) + ")");
  }
  if (!checks_accesses) {
    hit_from[1] = hit_from[0], hit_to[1] = hit_to[0];
    hit_from[0] = m->from, hit_to[0] = m->to;
  }
  return reinterpret_cast<char*>(a);
}

}  // namespace emulator
