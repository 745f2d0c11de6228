// SPDX-License-Identifier: Apache-2.0
// Waiting, for the members of an instruction and in general; bar.warp.sync.

#include "ptx/synchronisation/members.hpp"
#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/synchronisation/waits.hpp"
#include "settings.hpp"

namespace emulator {

void park(warp& w, std::uint32_t lanes, wait_kind kind, std::uint32_t const* value,
          instruction const* at) {
  each_lane(lanes, [&](unsigned l) {
    w.lpc[l] = at;
    w.lbase[l] = w.base, w.lframe[l] = w.frame;
    w.waits[l] = kind;
    w.wait_value[l] = value != nullptr ? value[l] : 0;
  });
  w.ready &= ~lanes;
  w.mask &= ~lanes;
}
static void run_bar_warp(warp& w, instruction const& i);

bool gather(warp& w, instruction const& i, std::uint64_t mask_operand) {
  std::uint32_t const* m = row<std::uint32_t>(w, mask_operand);
  std::uint32_t alive = w.exists & ~w.exited;
  unsigned first = __builtin_ctz(w.mask);
  bool same = true;
  if (mask_operand < constant_from)
    each_lane(w.mask, [&](unsigned l) { same &= m[l] == m[first]; });
  if (same && (m[first] & alive) == w.mask) return true;
  std::uint32_t left = w.mask, complete = 0, absorbed = 0;
  while (left != 0) {
    unsigned f = __builtin_ctz(left);
    std::uint32_t want = m[f], mine = 0;
    each_lane(left, [&](unsigned l) {
      if (m[l] == want) mine |= 1u << l;
    });
    left &= ~mine;
    if ((mine & ~want) != 0)
      fail(w, __builtin_ctz(mine & ~want), "a thread that is not in its own mask of members");
    std::uint32_t here = 0, elsewhere = 0;
    for (unsigned l = 0; l < 32; ++l) {
      if (!((alive & want) >> l & 1) || w.waits[l] != wait_kind::warp || (w.ready >> l & 1) ||
          w.wait_value[l] != want)
        continue;
      if (w.lpc[l] == &i && w.lbase[l] == w.base && w.lframe[l] == w.frame)
        here |= 1u << l;
      else if (i.fn == run_bar_warp && w.lpc[l]->fn == run_bar_warp)
        elsewhere |= 1u << l;
    }
    std::uint32_t need = want & alive;
    if ((need & ~(mine | here | elsewhere)) != 0) continue;
    complete |= mine | here;
    absorbed |= here;
    each_lane(here, [&](unsigned l) { w.waits[l] = wait_kind::none; });
    w.ready |= here;
    if (checks_accesses && elsewhere != 0) race_warp(w, mine | here | elsewhere);
    each_lane(elsewhere, [&](unsigned l) {
      w.waits[l] = wait_kind::none;
      w.lpc[l] += 1;
    });
    w.ready |= elsewhere;
    if (elsewhere != 0) stop(w);
  }
  std::uint32_t wait = w.mask & ~complete;
  if (wait != 0) park(w, wait, wait_kind::warp, m, &i);
  w.mask = complete;
  if (wait != 0 || absorbed != 0) stop(w);
  if (w.mask == 0) {
    stop(w);
    return false;
  }
  return true;
}
static void run_bar_warp(warp& w, instruction const& i) {
  if (!gather(w, i, i.o[0])) return;
  if (checks_accesses)
    each_mask(w, row<std::uint32_t>(w, i.o[0]), [&](std::uint32_t mine) { race_warp(w, mine); });
}

bool decode_warp_barrier(decoder& d, statement const& s) {
  if (!s.has("warp")) return false;
  instruction i = d.make(run_bar_warp, 0);
  i.o[0] = d.src(s.ops.at(0), dtype::b32);
  d.emit(i);
  return true;
}

}  // namespace emulator
