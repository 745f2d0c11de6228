// SPDX-License-Identifier: Apache-2.0
// mbarrier, and what is under way to shared memory.

#include <cstring>
#include <iterator>
#include <utility>

#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/memory/mbarrier.hpp"
#include "ptx/memory/registry.hpp"
#include "ptx/synchronisation/waits.hpp"
#include "settings.hpp"

namespace emulator {

// Of an mbarrier in memory of the host.
static block& owner_of(char const* p, u32& offset) {
  u64 const a = static_cast<u64>(p - shared_arena());
  offset = static_cast<u32>(a % shared_stride);
  return *block_of_slot(static_cast<unsigned>(a / shared_stride));
}

mbarrier_state read_mbarrier(char const* p) {
  u64 v;
  std::memcpy(&v, p, 8);
  mbarrier_state m;
  m.phase = v & 1;
  m.pending = v >> 1 & 0xfffff;
  m.expected = v >> 21 & 0xfffff;
  m.bytes = static_cast<s64>(v) >> 41;
  return m;
}
void write_mbarrier(char* p, mbarrier_state const& m) {
  u64 v = (m.phase & 1) | (m.pending & 0xfffff) << 1 | (m.expected & 0xfffff) << 21 |
          static_cast<u64>(m.bytes) << 41;
  std::memcpy(p, &v, 8);
}
void settle(warp& w, mbarrier_state& m) {
  if (m.pending == 0 && m.bytes == 0) {
    m.phase ^= 1, m.pending = m.expected;
    wake_mbarriers(*w.of->in);
  }
  ++changes_made;
}
void complete_bytes(warp& w, unsigned l, char* p, u64 bytes) {
  if (checks_accesses) {
    u32 off;
    block& of = owner_of(p, off);
    race_release(w, l, of, off);
  }
  mbarrier_state m = read_mbarrier(p);
  m.bytes -= static_cast<s64>(bytes);
  if (m.bytes < -(1 << 20))
    fail(w, static_cast<int>(l), "an mbarrier gets more bytes than it can count");
  settle(w, m);
  write_mbarrier(p, m);
}

void arrive_later(warp& w, unsigned l, instruction const& i, char* to, void const* from,
                  std::size_t n, char* bar) {
  under_way u{to, bar, {}, &w, l, &i};
  u.bytes.assign(static_cast<unsigned char const*>(from),
                 static_cast<unsigned char const*>(from) + n);
  w.of->in->async.push_back(std::move(u));
}
bool deliver(cluster& c) {
  if (c.async.empty()) return false;
  auto all = std::move(c.async);
  c.async.clear();
  if (options().seed != 0) {
    for (std::size_t k = all.size(); k > 1; --k) std::swap(all[k - 1], all[random_bits() % k]);
    std::size_t const now = 1 + random_bits() % all.size();
    c.async.assign(std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(now)),
                   std::make_move_iterator(all.end()));
    all.resize(now);
  }
  for (under_way& u : all) {
    u32 offset;
    block& b = owner_of(u.to, offset);
    if (b.ended) {
      u.by->pc = u.at + 1;
      fail(*u.by, static_cast<int>(u.lane),
           "an asynchronous store or copy into the shared memory of a block that has ended (rank " +
               std::to_string(b.rank) + ")");
    }
    std::memcpy(u.to, u.bytes.data(), u.bytes.size());
    instruction const* pc = u.by->pc;
    u.by->pc = u.at + 1;
    complete_bytes(*u.by, u.lane, u.bar, u.bytes.size());
    u.by->pc = pc;
  }
  return true;
}

enum : u8 { mb_init, mb_inval, mb_arrive, mb_drop, mb_expect, mb_complete, mb_test, mb_pending };
// o[0]: result, o[1]: address, o[2]: count, state or parity; flags: 1 the state is a result, 2
// bytes are expected, 8 o[2] is a parity, 16 o[2] is a count, 32 waits.
static void run_mbarrier(warp& w, instruction const& i) {
  if (i.k == mb_pending) {
    u64 const* st = row<u64>(w, i.o[1]);
    each_lane(w.mask,
              [&](unsigned l) { row<u32>(w, i.o[0])[l] = static_cast<u32>(st[l] >> 1 & 0xfffff); });
    return;
  }
  mbarrier_address const at(w, i);
  u32 const* count = (i.flags & 16) ? row<u32>(w, i.o[2]) : nullptr;
  u32 result = 0;
  std::uint32_t failed = 0;
  each_lane(w.mask, [&](unsigned l) {
    char* p = at(w, l);
    mbarrier_state m = read_mbarrier(p);
    u32 n = count != nullptr ? count[l] : 1;
    switch (i.k) {
      case mb_init:
        if (n == 0 || n > 0xfffff)
          fail(w, static_cast<int>(l), "mbarrier.init with count " + std::to_string(n));
        m.phase = 0, m.pending = m.expected = n, m.bytes = 0;
        break;
      case mb_inval:
        m = {0, 0xfffff, 0xfffff, 0};
        break;
      case mb_arrive:
      case mb_drop: {
        u64 state;
        std::memcpy(&state, p, 8);
        if (i.flags & 1) row<u64>(w, i.o[0])[l] = state;
        if (i.flags & 2) {
          m.bytes += n;
          n = 1;
        }
        if (m.pending < n)
          fail(w, static_cast<int>(l),
               "more arrivals at an mbarrier than are pending (" + std::to_string(m.pending) + ")");
        m.pending -= n;
        if (i.k == mb_drop) m.expected -= n;
        settle(w, m);
        break;
      }
      case mb_expect:
        m.bytes += n;
        settle(w, m);
        break;
      case mb_complete:
        m.bytes -= n;
        settle(w, m);
        break;
      case mb_test: {
        u64 old = (i.flags & 8) ? row<u32>(w, i.o[2])[l] & 1 : row<u64>(w, i.o[2])[l] & 1;
        bool done = m.phase != old;
        if (done)
          result |= 1u << l;
        else
          failed |= 1u << l;
        return;
      }
    }
    write_mbarrier(p, m);
  });
  if (i.k == mb_test) {
    if (failed != 0 && (i.flags & 32)) {  // try_wait: these look again when a phase ends
      w.of->in->at_mbarriers += __builtin_popcount(failed);
      park(w, failed, wait_kind::mbarrier, nullptr, &i);
      stop(w);
      if (w.mask == 0) return;
    } else if (failed != 0) {
      w.budget -= 500;
    }
    set_predicate(w, i.o[0], result);
    if (checks_accesses)
      each_lane(result & w.mask, [&](unsigned l) {
        u32 off;
        block& of = owner_of(at(w, l), off);
        race_acquire(w, l, of, off);
      });
  } else if (checks_accesses && (i.k == mb_arrive || i.k == mb_drop)) {
    each_lane(w.mask, [&](unsigned l) {
      u32 off;
      block& of = owner_of(at(w, l), off);
      race_release(w, l, of, off);
    });
  }
}

static bool decode_arrive(decoder& d, statement const& s, instruction i) {
  auto const& o = s.ops;
  i.k = s.has("arrive_drop") ? mb_drop : mb_arrive;
  bool const has_result = o.at(0).k != operand::addr;
  if (o[0].k == operand::reg) i.o[0] = d.dst(o[0], 8), i.writes = 1, i.flags |= 1;
  std::size_t const at = has_result ? 1 : 0;
  d.address(i, 1, o.at(at));
  if (s.has("expect_tx")) i.flags |= 2;
  if (o.size() > at + 1) i.o[2] = d.src(o[at + 1], dtype::u32), i.flags |= 16;
  d.emit(i);
  return true;
}

bool decode_mbarrier(decoder& d, statement const& s) {
  auto const& o = s.ops;
  instruction i = d.make(run_mbarrier, 0);
  i.where = d.space_of(s, space::generic);
  if (s.has("arrive") || s.has("arrive_drop")) return decode_arrive(d, s, i);
  if (s.has("pending_count")) {
    i.k = mb_pending, i.writes = 1;
    i.o[0] = d.dst(o.at(0), 4), i.o[1] = d.src(o.at(1), dtype::b64);
  } else if (s.has("inval")) {
    i.k = mb_inval;
    d.address(i, 1, o.at(0));
  } else if (s.has("init") || s.has("expect_tx") || s.has("complete_tx")) {
    i.k = s.has("init") ? mb_init : s.has("expect_tx") ? mb_expect : mb_complete;
    d.address(i, 1, o.at(0));
    i.o[2] = d.src(o.at(1), dtype::u32), i.flags |= 16;
  } else if (s.has("test_wait") || s.has("try_wait")) {
    i.k = mb_test, i.writes = 1;
    i.o[0] = d.dst_pred(o.at(0));
    d.address(i, 1, o.at(1));
    i.flags = (s.has("parity") ? 8u : 0u) | (s.has("try_wait") ? 32u : 0u);
    i.o[2] = d.src(o.at(2), s.has("parity") ? dtype::u32 : dtype::b64);
  } else {
    return false;
  }
  d.emit(i);
  return true;
}

}  // namespace emulator
