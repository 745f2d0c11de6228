// SPDX-License-Identifier: Apache-2.0
// Barriers of a cluster, launches that begin early, fences.

#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/synchronisation/waits.hpp"
#include "settings.hpp"

namespace emulator {

void cluster_check(cluster& c) {
  if (c.missing != 0) return;
  unsigned alive = 0;
  for (block* b : c.blocks)
    for (auto& w : b->warps) {
      each_lane(w->exists & ~w->exited, [&](unsigned l) {
        ++alive;
        w->cluster_arrived[l] = false;
      });
    }
  if (alive == 0) return;
  ++c.phase;
  ++changes_made;
  c.missing = alive;
  for (block* b : c.blocks)
    for (auto& w : b->warps)
      each_lane(w->exists & ~w->exited, [&](unsigned l) {
        if (w->waits[l] == wait_kind::cluster && !(w->ready >> l & 1))
          w->waits[l] = wait_kind::none, w->ready |= 1u << l;
      });
  if (checks_accesses) race_cluster(c, c.relaxed);
  c.relaxed = false;
}
static void run_cluster_arrive(warp& w, instruction const& i) {
  cluster& c = *w.of->in;
  if (i.k) c.relaxed = true;
  each_lane(w.mask, [&](unsigned l) {
    if (w.cluster_arrived[l])
      fail(w, static_cast<int>(l), "barrier.cluster.arrive twice without a wait between");
    w.cluster_arrived[l] = true;
    w.cluster_phase[l] = c.phase;
  });
  c.missing -= __builtin_popcount(w.mask);
  cluster_check(c);
}
static void run_cluster_wait(warp& w, instruction const&) {
  cluster& c = *w.of->in;
  std::uint32_t wait = 0;
  each_lane(w.mask, [&](unsigned l) {
    if (w.cluster_phase[l] == c.phase) wait |= 1u << l;
  });
  each_lane(wait, [&](unsigned l) {
    if (!w.cluster_arrived[l])
      fail(w, static_cast<int>(l), "barrier.cluster.wait without an arrive before");
  });
  if (wait == 0) return;
  park(w, wait, wait_kind::cluster, nullptr, w.pc);
  stop(w);
}

void wake_mbarriers(cluster& c) {
  if (c.at_mbarriers == 0) return;
  for (block* b : c.blocks)
    for (auto& w : b->warps)
      each_lane(w->exists & ~w->exited & ~w->ready, [&](unsigned l) {
        if (w->waits[l] == wait_kind::mbarrier) w->waits[l] = wait_kind::none, w->ready |= 1u << l;
      });
  c.at_mbarriers = 0;
}

static void run_grid_wait(warp& w, instruction const&) {
  if (before_has_ended(*w.of->run)) return;
  park(w, w.mask, wait_kind::grid, nullptr, w.pc);
  stop(w);
}
static void run_grid_launch(warp& w, instruction const&) {
  if (w.of->said) return;
  w.of->said = true;
  said_dependents(*w.of);
  ++changes_made;
  w.budget = 0;
}
static void run_nanosleep(warp& w, instruction const&) { w.budget -= 1000; }

bool decode_grid(decoder& d, statement const& s) {
  handler const h = s.op == "nanosleep" ? run_nanosleep
                    : s.has("wait")     ? run_grid_wait
                                        : run_grid_launch;
  d.emit(d.make(h, 0));
  return true;
}

bool decode_cluster_barrier(decoder& d, statement const& s) {
  if (!s.has("cluster")) return false;
  instruction i = d.make(s.has("arrive") ? run_cluster_arrive : run_cluster_wait, 0);
  i.k = s.has("relaxed");
  d.emit(i);
  return true;
}

}  // namespace emulator
