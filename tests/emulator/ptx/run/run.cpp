// SPDX-License-Identifier: Apache-2.0
// Launches of a queue from the first to the last; deadlocks.

#include <cstdio>
#include <exception>
#include <utility>

#include "ptx/checks/faults.hpp"
#include "ptx/memory/registry.hpp"
#include "ptx/run/scheduler.hpp"
#include "ptx/synchronisation/waits.hpp"

namespace emulator {

namespace {

scheduler const* running = nullptr;

std::uint64_t blocks_of_cluster(grid_run const& g) {
  return g.what->cluster[0] * g.what->cluster[1] * g.what->cluster[2];
}
bool has_all_said(grid_run const& g) {
  return g.placed == g.blocks && g.said == g.blocks * blocks_of_cluster(g);
}
bool is_over(grid_run const& g) {
  return g.placed == g.blocks && g.ended == g.blocks * blocks_of_cluster(g);
}

}  // namespace

void scheduler::stuck(std::string const& why) const {
  std::string r = why;
  int told = 0;
  for (auto& c : resident)
    for (block* b : c->blocks) {
      if (b->ended) continue;
      if (told < 12) r += "\n  kernel " + b->run->code->facts.name.substr(0, 200);
      for (auto& w : b->warps) {
        std::uint32_t alive = w->exists & ~w->exited;
        while (alive != 0 && told < 12) {
          unsigned l = __builtin_ctz(alive);
          std::uint32_t same = 0;
          each_lane(alive, [&](unsigned k) {
            if (w->lpc[k] == w->lpc[l] && w->waits[k] == w->waits[l]) same |= 1u << k;
          });
          alive &= ~same;
          ++told;
          char const* kinds[] = {"runs",
                                 "waits for its warp",
                                 "waits at a barrier",
                                 "waits for its cluster",
                                 "waits for the grid in front",
                                 "waits at an mbarrier"};
          instruction const* at = w->lpc[l];
          if (w->waits[l] == wait_kind::bar || w->waits[l] == wait_kind::cluster ||
              w->waits[l] == wait_kind::grid)
            --at;
          char lanes[32];
          std::snprintf(lanes, sizeof lanes, " lanes %08x ", same);
          r += "\n  " + where_of(*w, static_cast<int>(l)) + lanes +
               kinds[static_cast<int>(w->waits[l])] + ": " + instruction_text(*w, *at);
        }
      }
    }
  throw fault(r);
}

bool scheduler::may_begin() const {
  std::size_t const next = runs.size();
  if (next >= queue.size()) return false;
  if (next == front) return true;
  return queue[next].may_begin_early && has_all_said(*runs.back()) &&
         (options().seed == 0 || (random_bits() & 3) == 0);
}

bool scheduler::begin_what_may() {
  bool any = false;
  for (; may_begin(); any = true) {
    begin(runs.size());
    runs.back()->next_is_early = runs.size() < queue.size() && queue[runs.size()].may_begin_early;
  }
  return any;
}

// Each has a first turn at once. @post is_placed: there were any
bool scheduler::place_new_blocks(bool& is_placed) {
  bool any = false;
  for (std::size_t n = front; n < runs.size(); ++n) {
    grid_run& g = *runs[n];
    if (g.what->is_cooperative && g.placed == 0) {
      while (g.placed < g.blocks && place(g)) {}
      is_placed = true;
      if (g.placed < g.blocks && resident.size() == g.placed)
        throw fault("kernel " + g.code->facts.name + ": a cooperative launch of " +
                    std::to_string(g.blocks) + " blocks, more than are resident at once");
      continue;
    }
    while (g.placed < g.blocks && place(g)) {
      is_placed = any = true;
      step(resident.size() - 1);
    }
    if (g.placed < g.blocks) break;
  }
  return any;
}

bool scheduler::end_what_is_over() {
  bool any = false;
  for (; front < runs.size() && is_over(*runs[front]); ++front) {
    runs[front]->complete = true;
    freed(runs[front]->arguments.data());
    any = true;
    ++changes_made;
  }
  if (!any) return false;
  forget_last();
  for (auto& c : resident)
    for (block* b : c->blocks)
      if (!b->ended && has_ended_before(*b->run))
        for (auto& w : b->warps)
          each_lane(w->exists & ~w->exited & ~w->ready, [&](unsigned l) {
            if (w->waits[l] == wait_kind::grid) w->waits[l] = wait_kind::none, w->ready |= 1u << l;
          });
  return true;
}

void scheduler::run() {
  std::uint64_t last_seen = 0, instructions_then = 0;
  while (front < queue.size()) {
    begin_what_may();
    bool is_placed = false;
    bool any = place_new_blocks(is_placed);
    if (begin_what_may()) continue;  // before those in front go on
    if (options().seed != 0)
      for (std::size_t k = resident.size(); k > 1; --k)
        std::swap(resident[k - 1], resident[random_bits() % k]);
    for (std::size_t n = 0; n < resident.size();) {
      std::size_t const had = resident.size();
      any |= step(n);
      if (resident.size() == had) ++n;  // else another one has its place
    }
    bool const has_ended = end_what_is_over();
    if (!any && !has_ended && !is_placed) stuck("deadlock: no thread can go on");
    std::uint64_t const most = options().instructions_until_deadlock;
    if (changes_made != last_seen)
      last_seen = changes_made, instructions_then = instructions;
    else if (instructions - instructions_then > most)
      stuck("deadlock: " + std::to_string(most) + " instructions without any change");
  }
}

bool before_has_ended(grid_run& g) { return running->has_ended_before(g); }
void said_dependents(block& b) { ++b.run->said; }

std::string run(std::vector<launch>& queue) {
  forget_last();
  scheduler all(queue);
  running = &all;
  std::string result;
  try {
    all.run();
  } catch (std::exception const& e) {
    result = e.what();
    if (result.empty()) result = "an error without a text";
  }
  running = nullptr;
  return result;
}

}  // namespace emulator
