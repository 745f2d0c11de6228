// SPDX-License-Identifier: Apache-2.0
// cp.async and its groups.

#include <cstring>

#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/memory/mbarrier.hpp"
#include "settings.hpp"

namespace emulator {

static void perform(copy_request const& c) {
  if (c.from_bytes != 0) std::memcpy(c.to, c.from, c.from_bytes);
  if (c.from_bytes < c.bytes) std::memset(c.to + c.from_bytes, 0, c.bytes - c.from_bytes);
}
static void copies_until(warp& w, unsigned l, std::size_t n) {
  lane_state& s = w.lanes[l];
  for (std::size_t k = 0; k < n; ++k) {
    copy_request const& c = s.copies[k];
    if (checks_accesses)
      (void)resolve_checked(w, l, c.to_shared, c.bytes, space::shared, true,
                            c.bytes == 4);  // written now; words may come twice
    perform(c);
  }
  s.copies.erase(s.copies.begin(), s.copies.begin() + static_cast<std::ptrdiff_t>(n));
  std::size_t gone = 0;
  while (gone < s.groups.size() && s.groups[gone] <= n) ++gone;
  s.groups.erase(s.groups.begin(), s.groups.begin() + static_cast<std::ptrdiff_t>(gone));
  for (auto& g : s.groups) g -= static_cast<u32>(n);
  ++changes_made;
}
// o[0] shared address, o[1] global address, o[2] source bytes or none, o[3] ignore-src predicate;
// flags 1 has bytes, 2 has predicate
static void run_copy(warp& w, instruction const& i) {
  addresses to(w, i, 0);
  u64 const* from = row<u64>(w, i.o[1]);
  u32 size = i.k;
  w.has_calls_or_copies = true;
  u32 ignore = (i.flags & 2) ? predicate(w, i.o[3]) : 0;
  if (i.flags & 4) ignore = ~ignore;
  each_lane(w.mask, [&](unsigned l) {
    copy_request c;
    c.to_shared = static_cast<u32>(to[l]);
    c.bytes = size;
    c.from_bytes = size;
    if (i.flags & 1) {
      c.from_bytes = row<u32>(w, i.o[2])[l];
      if (c.from_bytes > size)
        fail(w, static_cast<int>(l), "cp.async with more bytes of source than of destination");
    }
    if (ignore >> l & 1) c.from_bytes = 0;
    u64 a = from[l] + static_cast<u64>(i.imm2);
    if (a % size != 0) fail(w, static_cast<int>(l), "cp.async from a misaligned address");
    c.by = &i;
    char* f = nullptr;
    if (c.from_bytes == size)
      f = resolve(w, l, a, size, space::global, false);
    else if (c.from_bytes != 0) {
      for (u32 k = 0; k < c.from_bytes; ++k) (void)resolve(w, l, a + k, 1, space::global, false);
      f = reinterpret_cast<char*>(a);
    }
    c.from = f;
    if (to[l] % size != 0) fail(w, static_cast<int>(l), "cp.async to a misaligned address");
    if (to[l] < shared_base || to[l] + size > w.of->shared_bytes)
      (void)resolve_checked(w, l, to[l], size, space::shared, true, false);
    c.to = w.of->shared + to[l];
    if (checks_accesses) race_access(w, l, *w.of, c.to_shared, size, true, size == 4, true);
    lane_state& s = w.lanes[l];
    s.copies.push_back(c);
    // with a seed some are there early
    if (options().seed % 3 == 1 && s.copies.size() == 1 && (random_bits() & 1)) perform(c);
  });
}
static void run_commit(warp& w, instruction const&) {
  w.has_calls_or_copies = true;
  each_lane(w.mask, [&](unsigned l) {
    w.lanes[l].groups.push_back(static_cast<u32>(w.lanes[l].copies.size()));
  });
}
static void run_wait_group(warp& w, instruction const& i) {
  each_lane(w.mask, [&](unsigned l) {
    lane_state& s = w.lanes[l];
    if (i.k == 1) {
      copies_until(w, l, s.copies.size());
      s.groups.clear();
      return;
    }
    std::size_t keep = static_cast<std::size_t>(i.imm);
    if (s.groups.size() > keep) copies_until(w, l, s.groups[s.groups.size() - 1 - keep]);
  });
}
static void run_copy_arrive(warp& w, instruction const& i) {  // cp.async.mbarrier.arrive
  mbarrier_address const at(w, i);
  each_lane(w.mask, [&](unsigned l) {
    copies_until(w, l, w.lanes[l].copies.size());
    w.lanes[l].groups.clear();
    char* p = at(w, l);
    mbarrier_state m = read_mbarrier(p);
    if (i.flags & 4) {
      if (m.pending == 0)
        fail(w, static_cast<int>(l), "more arrivals at an mbarrier than are pending");
      m.pending -= 1;
      settle(w, m);
      write_mbarrier(p, m);
    }
    // without noinc the arrival was counted as expected, too: nothing changes
  });
}

bool decode_copy_async(decoder& d, statement const& s) {
  auto const& o = s.ops;
  if (!s.has("async") || s.has("bulk")) return false;
  if (s.has("commit_group")) {
    d.emit(d.make(run_commit, 0));
    return true;
  }
  if (s.has("wait_all") || s.has("wait_group")) {
    instruction i = d.make(run_wait_group, 0);
    i.k = s.has("wait_all");
    if (!i.k) i.imm = static_cast<s64>(o.at(0).value.bits);
    d.emit(i);
    return true;
  }
  if (s.has("mbarrier")) {
    instruction i = d.make(run_copy_arrive, 0);
    i.where = d.space_of(s, space::generic);
    if (s.has("noinc")) i.flags |= 4;
    d.address(i, 1, o.at(0));
    d.emit(i);
    return true;
  }
  instruction i = d.make(run_copy, 0);
  instruction const to = address_alone(d, o.at(0)), from = address_alone(d, o.at(1));
  i.o[0] = to.o[0], i.imm = to.imm, i.k2 = to.k2;
  i.o[1] = from.o[0], i.imm2 = from.imm;
  i.k = static_cast<u8>(o.at(2).value.bits);
  std::size_t const n = o.size() - (s.has("L2::cache_hint") ? 1 : 0);
  if (n > 3 && o[3].k == operand::reg && d.sizes[o[3].vreg] == 0) {
    bool is_inverse;
    i.o[3] = d.src_pred(o[3], is_inverse);
    i.flags |= 2 | (is_inverse ? 4u : 0u);
  } else if (n > 3) {
    i.o[2] = d.src(o[3], dtype::u32);
    i.flags |= 1;
  }
  d.emit(i);
  return true;
}

}  // namespace emulator
