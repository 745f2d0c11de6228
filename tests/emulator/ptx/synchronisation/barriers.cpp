// SPDX-License-Identifier: Apache-2.0
// Barriers of a block; threads that end.

#include <cstring>
#include <string>

#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/synchronisation/waits.hpp"
#include "settings.hpp"

namespace emulator {

enum class barrier_kind : u8 { sync, arrive, popc, all, any };

void barrier_check(block& b, unsigned id) {
  hardware_barrier& h = b.bars[id];
  if (h.any == 0) return;
  unsigned sum = 0;
  bool all = true;
  for (auto& w : b.warps) {
    std::uint32_t alive = w->exists & ~w->exited;
    std::uint32_t a = h.arrived[w->index];
    bool covers = a != 0 && (alive & ~a) == 0;
    if (covers) sum += 32;
    if (alive != 0 && !covers) all = false;
  }
  if (h.expected == 0 ? !all : sum < h.expected) return;
  if (h.expected != 0 && sum > h.expected) {
    warp& w = *b.warps[0];
    fail(w, -1,
         "barrier " + std::to_string(id) + ": " + std::to_string(sum) + " threads arrived where " +
             std::to_string(h.expected) + " are expected");
  }
  for (auto& w : b.warps) {
    each_lane(h.arrived[w->index] & w->exists & ~w->exited, [&](unsigned l) {
      if (w->waits[l] != wait_kind::bar || w->wait_value[l] != id || (w->ready >> l & 1)) return;
      const instruction& i = w->lpc[l][-1];
      char* mine = w->file + w->lbase[l];
      auto kind = static_cast<barrier_kind>(i.k);
      if (kind == barrier_kind::popc) reinterpret_cast<std::uint32_t*>(mine + i.o[0])[l] = h.popc;
      if (kind == barrier_kind::all || kind == barrier_kind::any) {
        std::uint32_t& p = *reinterpret_cast<std::uint32_t*>(mine + i.o[0]);
        bool v = kind == barrier_kind::all ? h.all : h.some;
        p = (p & ~(1u << l)) | (static_cast<std::uint32_t>(v) << l);
      }
      w->waits[l] = wait_kind::none;
      w->ready |= 1u << l;
    });
  }
  if (checks_accesses) race_barrier(b, h.arrived, all);
  std::memset(h.arrived, 0, sizeof h.arrived);
  h.any = h.expected = h.popc = 0;
  h.all = true, h.some = false;
  ++changes_made;
}
static void run_bar(
    warp& w,
    instruction const& i) {  // o[0]: result (writes) ; o[1]: id, o[2]: count or 0, o[3]: predicate
  block& b = *w.of;
  std::uint32_t const* ids = row<std::uint32_t>(w, i.o[1]);
  unsigned first = __builtin_ctz(w.mask);
  unsigned id = ids[first];
  std::uint32_t mine = 0;
  each_lane(w.mask, [&](unsigned l) {
    if (ids[l] == id) mine |= 1u << l;
  });
  if (mine != w.mask) {  // others later
    std::uint32_t other = w.mask & ~mine;
    each_lane(other, [&](unsigned l) {
      w.lpc[l] = &i;
      w.lbase[l] = w.base;
      w.lframe[l] = w.frame;
    });
    w.mask = mine;
  }
  if (id > 15) fail(w, static_cast<int>(first), "barrier " + std::to_string(id) + " of 0 to 15");
  hardware_barrier& h = b.bars[id];
  unsigned count = 0;
  if (i.imm == 1) {
    count = row<std::uint32_t>(w, i.o[2])[first];
    if (count % 32 != 0 || count == 0)
      fail(w, static_cast<int>(first),
           "a barrier of " + std::to_string(count) + " threads, not a multiple of 32");
    if (h.any != 0 && h.expected != count)
      fail(w, static_cast<int>(first),
           "barrier " + std::to_string(id) + " is waited for with counts " +
               std::to_string(h.expected) + " and " + std::to_string(count));
  } else if (h.any != 0 && h.expected != 0) {
    fail(w, static_cast<int>(first),
         "barrier " + std::to_string(id) + " is waited for with a count and without");
  }
  if ((h.arrived[w.index] & mine) != 0)
    fail(w, static_cast<int>(first),
         "barrier " + std::to_string(id) + " is arrived at twice by a thread");
  h.expected = count;
  h.arrived[w.index] |= mine;
  h.any += __builtin_popcount(mine);
  auto kind = static_cast<barrier_kind>(i.k);
  if (kind == barrier_kind::popc || kind == barrier_kind::all || kind == barrier_kind::any) {
    std::uint32_t p = predicate(w, i.o[3]);
    if (i.flags & 1) p = ~p;
    p &= mine;
    h.popc += __builtin_popcount(p);
    if (p != mine) h.all = false;
    if (p != 0) h.some = true;
  }
  if (kind != barrier_kind::arrive) {
    std::uint32_t values[32];
    for (auto& v : values) v = id;
    // an aligned one is waited for by a whole warp at one place
    if (i.flags & 2) {
      each_lane(w.exists & ~w.exited & ~mine, [&](unsigned l) {
        if (w.waits[l] == wait_kind::bar && !(w.ready >> l & 1) && w.lpc[l] != w.pc &&
            (w.lpc[l][-1].flags & 2) && w.wait_value[l] == id)
          fail(w, static_cast<int>(first),
               "an aligned barrier is waited for by one warp at two places; the other: " +
                   instruction_text(w, w.lpc[l][-1]));
      });
    }
    instruction const* next = w.pc;
    park(w, mine, wait_kind::bar, values, next);
    stop(w);
  }
  barrier_check(b, id);
}

void threads_exit(warp& w, std::uint32_t lanes) {
  block& b = *w.of;
  w.exited |= lanes;
  w.ready &= ~lanes;
  w.mask &= ~lanes;
  ++changes_made;
  // those that wait for this one look again
  each_lane(w.exists & ~w.exited & ~w.ready, [&](unsigned l) {
    if (w.waits[l] == wait_kind::warp) w.waits[l] = wait_kind::none, w.ready |= 1u << l;
  });
  unsigned gone = 0;
  each_lane(lanes, [&](unsigned l) {
    if (!w.cluster_arrived[l]) ++gone;
    w.cluster_arrived[l] = false;
  });
  if (w.exited == w.exists) --b.alive;
  for (unsigned id = 0; id < 16; ++id)
    if (b.bars[id].any != 0) barrier_check(b, id);
  if (b.in != nullptr) {
    b.in->missing -= gone;
    if (b.in->blocks.size() > 1 || gone == 0)
      cluster_check(*b.in);
    else if (b.in->missing == 0)
      cluster_check(*b.in);
  }
}

bool decode_barrier(decoder& d, statement const& s) {
  auto const& o = s.ops;
  bool const reduces = s.has("red");
  instruction i = d.make(run_bar, reduces ? 1 : 0);
  auto const kind = s.has("arrive") ? barrier_kind::arrive
                    : !reduces      ? barrier_kind::sync
                    : s.has("popc") ? barrier_kind::popc
                    : s.has("and")  ? barrier_kind::all
                                    : barrier_kind::any;
  i.k = static_cast<u8>(kind);
  std::size_t const at = reduces ? 1 : 0;
  if (reduces) {
    i.o[0] = kind == barrier_kind::popc ? d.dst(o.at(0), 4) : d.dst_pred(o.at(0));
    bool is_inverse;
    i.o[3] = d.src_pred(o.back(), is_inverse);
    if (is_inverse) i.flags |= 1;
  }
  if (s.op == "bar" || s.has("aligned")) i.flags |= 2;
  i.o[1] = d.src(o.at(at), dtype::b32);
  if (o.size() - at > at + 1) i.o[2] = d.src(o[at + 1], dtype::b32), i.imm = 1;
  d.emit(i);
  return true;
}

}  // namespace emulator
