// SPDX-License-Identifier: Apache-2.0
// Bulk copies, st.async, red.async.

#include <cstring>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/memory/mbarrier.hpp"

namespace emulator {

static void check_bulk(warp& w, unsigned l, u64 a, u64 b, u64 n) {
  if (a % 16 != 0 || b % 16 != 0 || n % 16 != 0)
    fail(w, static_cast<int>(l), "a bulk copy whose addresses or size are no multiples of 16");
}
static char* range(warp& w, unsigned l, u64 a, u64 n, space where, bool writes) {
  char* first = nullptr;
  for (u64 k = 0; k < n; k += 16) {
    char* p = resolve(w, l, a + k, 16, where, writes);
    if (k == 0) first = p;
  }
  return first;
}
// o[0] destination, o[1] source, o[2] bytes, o[3] barrier, o[4] mask of blocks; k: 1 to
// shared::cta/cluster from global, 2 to global, 3 shared to cluster imm: offset of dst, imm2: of
// source, data: offset of barrier; flags: bits of width: 1 dst 32, 2 src 32, 4 bar 32, 8 multicast
static u64 address_at(warp& w, u64 o, unsigned l, bool narrow, s64 add) {
  return narrow ? static_cast<u32>(row<u32>(w, o)[l] + static_cast<u32>(add))
                : row<u64>(w, o)[l] + static_cast<u64>(add);
}
static void run_bulk(warp& w, instruction const& i) {
  u32 const* bytes = row<u32>(w, i.o[2]);
  each_lane(w.mask, [&](unsigned l) {
    u64 to = address_at(w, i.o[0], l, i.flags & 1, i.imm),
        from = address_at(w, i.o[1], l, i.flags & 2, i.imm2);
    u64 n = bytes[l];
    check_bulk(w, l, to, from, n);
    if (n == 0) return;
    if (i.k == 2) {
      char* s = range(w, l, from, n, space::shared, false);
      char* d = range(w, l, to, n, space::global, true);
      std::memcpy(d, s, n);
      ++changes_made;
      return;
    }
    u64 bar = address_at(w, i.o[3], l, i.flags & 4, reinterpret_cast<s64>(i.data));
    char* s = range(w, l, from, n, i.k == 3 ? space::shared : space::global, false);
    if (i.flags & 8) {
      u32 blocks = row<u16>(w, i.o[4])[l];
      each_lane(blocks, [&](unsigned r) {
        if (r >= w.of->in->blocks.size())
          fail(w, static_cast<int>(l), "multicast to a block that is not in the cluster");
        u64 high = static_cast<u64>(r + 1) << 24;
        char* d = range(w, l, (to & 0xffffff) | high, n, space::shared_cluster, true);
        arrive_later(w, l, i, d, s, n,
                     resolve(w, l, (bar & 0xffffff) | high, 8, space::shared_cluster, true, true));
      });
      return;
    }
    char* d = range(w, l, to, n, space::shared_cluster, true);
    arrive_later(w, l, i, d, s, n, resolve(w, l, bar, 8, space::shared_cluster, true, true));
  });
}
static void run_st_async(
    warp& w, instruction const& i) {  // o[0] address, o[1] barrier, list; k: bytes of an element
  each_lane(w.mask, [&](unsigned l) {
    u64 to = address_at(w, i.o[0], l, i.flags & 1, i.imm),
        bar = address_at(w, i.o[1], l, i.flags & 2, i.imm2);
    unsigned n = i.list_size * i.k;
    char* p = resolve(w, l, to, n, space::shared_cluster, true, true);
    unsigned char bytes[64];
    for (unsigned k = 0; k < i.list_size; ++k) {
      if (i.k == 4)
        std::memcpy(bytes + 4 * k, &row<u32>(w, i.list[k])[l], 4);
      else
        std::memcpy(bytes + 8 * k, &row<u64>(w, i.list[k])[l], 8);
    }
    if ((to >> 24) != (bar >> 24))
      fail(w, static_cast<int>(l),
           "st.async whose barrier is in another block than its destination");
    arrive_later(w, l, i, p, bytes, n, resolve(w, l, bar, 8, space::shared_cluster, true, true));
  });
}
static void run_red_async(warp& w, instruction const& i) {
  each_lane(w.mask, [&](unsigned l) {
    u64 to = address_at(w, i.o[0], l, i.flags & 1, i.imm),
        bar = address_at(w, i.o[1], l, i.flags & 2, i.imm2);
    unsigned n = i.k;
    char* p = resolve(w, l, to, n, space::shared_cluster, true, true);
    if (n == 4) {
      u32 v;
      std::memcpy(&v, p, 4);
      v += row<u32>(w, i.list[0])[l];
      std::memcpy(p, &v, 4);
    } else {
      u64 v;
      std::memcpy(&v, p, 8);
      v += row<u64>(w, i.list[0])[l];
      std::memcpy(p, &v, 8);
    }
    complete_bytes(w, l, resolve(w, l, bar, 8, space::shared_cluster, true, true), n);
  });
}
static void run_bulk_prefetch(warp& w, instruction const& i) {
  u32 const* bytes = row<u32>(w, i.o[2]);
  each_lane(w.mask, [&](unsigned l) {
    u64 a = address_at(w, i.o[1], l, false, i.imm2);
    check_bulk(w, l, 0, a, bytes[l]);
  });
}

static bool decode_bulk_prefetch(decoder& d, statement const& s) {
  instruction i = d.make(run_bulk_prefetch, 0);
  instruction const from = address_alone(d, s.ops.at(0));
  i.o[1] = from.o[0], i.imm2 = from.imm;
  i.o[2] = d.src(s.ops.at(1), dtype::u32);
  d.emit(i);
  return true;
}

// cp.async.bulk.DESTINATION.SOURCE: the spaces are its third and fourth suffix.
bool decode_bulk(decoder& d, statement const& s) {
  auto const& o = s.ops;
  if (!s.has("bulk") || s.has("tensor")) return false;
  if (s.has("commit_group") || s.has("wait_group")) return decode_nothing(d, s);
  if (s.has("prefetch")) return decode_bulk_prefetch(d, s);
  instruction i = d.make(run_bulk, 0);
  instruction const to = address_alone(d, o.at(0)), from = address_alone(d, o.at(1));
  i.o[0] = to.o[0], i.imm = to.imm, i.o[1] = from.o[0], i.imm2 = from.imm;
  i.o[2] = d.src(o.at(2), dtype::u32);
  i.flags = (to.k2 == 4 ? 1u : 0u) | (from.k2 == 4 ? 2u : 0u);
  if (s.mods.size() > 2 && s.mods[2] == "global") {
    i.k = 2;
  } else {
    i.k = s.mods.size() > 3 && s.mods[3] == "global" ? 1 : 3;
    instruction const barrier = address_alone(d, o.at(3));
    i.o[3] = barrier.o[0], i.data = reinterpret_cast<void const*>(barrier.imm);
    if (barrier.k2 == 4) i.flags |= 4;
    if (s.has("multicast::cluster")) i.flags |= 8, i.o[4] = d.src(o.at(4), dtype::b16);
  }
  d.emit(i);
  return true;
}

bool decode_store_async(decoder& d, statement const& s) {
  auto const& o = s.ops;
  if (!s.has("async") || (s.op == "red" && !s.has("add"))) return false;
  instruction i = d.make(s.op == "st" ? run_st_async : run_red_async, 0);
  instruction const to = address_alone(d, o.at(0)), barrier = address_alone(d, o.at(2));
  i.o[0] = to.o[0], i.imm = to.imm, i.o[1] = barrier.o[0], i.imm2 = barrier.imm;
  i.flags = (to.k2 == 4 ? 1u : 0u) | (barrier.k2 == 4 ? 2u : 0u);
  dtype const t = s.type(-1);
  i.k = static_cast<u8>(size_of(t));
  bool const is_vector = o.at(1).k == operand::vec;
  unsigned const n = is_vector ? static_cast<unsigned>(o[1].elems.size()) : 1;
  i.list = d.list(n);
  i.list_size = static_cast<u8>(n);
  for (unsigned k = 0; k < n; ++k) i.list[k] = d.src(is_vector ? o[1].elems[k] : o[1], t);
  d.emit(i);
  return true;
}

// Policies of caches mean nothing here.
bool decode_policy(decoder& d, statement const& s) {
  instruction i = d.make(elementwise<[](u64 a) -> u64 { return a; }, u64, u64>);
  i.o[0] = d.dst(s.ops.at(0), 8), i.o[1] = d.constant(0, 8);
  d.emit(i);
  return true;
}

}  // namespace emulator
