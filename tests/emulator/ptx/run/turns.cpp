// SPDX-License-Identifier: Apache-2.0
// Turns of warps and blocks.

#include "ptx/memory/mbarrier.hpp"
#include "ptx/run/scheduler.hpp"
#include "settings.hpp"

namespace emulator {

namespace {

constexpr std::int64_t slice = 4000;  // instructions of a turn

// Which lanes of the warp run next; false: none can.
bool pick(warp& w) {
  std::uint32_t ready = w.ready;
  if (ready == 0) return false;
  const std::uint64_t seed = options().seed;
  std::uint32_t best_base = 0;
  instruction const* best = nullptr;
  bool odd = seed != 0 ? (random_bits() & 7) == 0 : false;
  if (w.turn != 0) odd = true, w.turn = 0;  // the last one used up its slice
  unsigned chosen = __builtin_ctz(ready);
  if (odd) {
    unsigned skip = static_cast<unsigned>(random_bits() % __builtin_popcount(ready));
    std::uint32_t r = ready;
    while (skip-- > 0) r &= r - 1;
    chosen = __builtin_ctz(r);
  } else {
    best = w.lpc[chosen], best_base = w.lbase[chosen];
    each_lane(ready, [&](unsigned l) {
      if (w.lbase[l] > best_base || (w.lbase[l] == best_base && w.lpc[l] < best))
        best = w.lpc[l], best_base = w.lbase[l], chosen = l;
    });
  }
  instruction const* pc = w.lpc[chosen];
  std::uint32_t base = w.lbase[chosen], frame = w.lframe[chosen];
  std::uint32_t mask = 0;
  instruction const* limit = reinterpret_cast<instruction const*>(~0ull);
  each_lane(ready, [&](unsigned l) {
    if (w.lpc[l] == pc && w.lbase[l] == base && w.lframe[l] == frame)
      mask |= 1u << l;
    else if (w.lbase[l] == base && w.lpc[l] > pc && w.lpc[l] < limit)
      limit = w.lpc[l];
  });
  if (seed != 0 && (random_bits() & 63) == 0 && (mask & (mask - 1)) != 0) {  // some lag behind
    std::uint32_t part = mask & static_cast<std::uint32_t>(random_bits());
    if (part != 0) mask = part;
  }
  w.mask = mask, w.pc = pc, w.base = base, w.frame = frame, w.limit = limit;
  w.regs = w.file + base;
  return true;
}
void leave(warp& w) {
  each_lane(w.mask,
            [&](unsigned l) { w.lpc[l] = w.pc, w.lbase[l] = w.base, w.lframe[l] = w.frame; });
  w.mask = 0;
}

}  // namespace

bool scheduler::turn(warp& w, std::int64_t instructions_left) {
  bool any = false;
  w.budget = instructions_left;
  std::int64_t done = 0;
  while (w.budget > 0 && pick(w)) {
    any = true;
    std::int64_t n = 0;
    do {
      instruction const* i = w.pc;
      w.pc = i + 1;
      i->fn(w, *i);
      ++n;
    } while (w.pc < w.limit && --w.budget > 0);
    done += n;
    if (w.mask != 0) leave(w);
    if (w.budget <= 0) w.turn = 1;
  }
  instructions += static_cast<std::uint64_t>(done);
  return any;
}
bool scheduler::turn(block& b, int rounds) {
  bool any = false;
  unsigned n = static_cast<unsigned>(b.warps.size());
  for (int r = 0; r < rounds && b.alive != 0; ++r) {
    bool now = false;
    for (unsigned k = 0; k < n; ++k) {
      warp& w = *b.warps[options().seed != 0 ? random_bits() % n : k];
      if (w.ready == 0) continue;
      std::int64_t s =
          options().seed != 0 ? 1 + static_cast<std::int64_t>(random_bits() % 700) : slice;
      bool was = b.said;
      if (turn(w, s)) now = true;
      if (b.said && !was && b.run->next_is_early) return true;
    }
    if (options().seed != 0 && !now)
      for (unsigned k = 0; k < n; ++k) now |= b.warps[k]->ready != 0;
    if (!now) break;
    any = true;
  }
  return any;
}

bool scheduler::step(std::size_t n) {
  cluster& c = *resident[n];
  bool any = false;
  for (block* b : c.blocks) {
    if (b->ended) continue;
    bool was = turn(*b, c.blocks.size() > 1 ? 4 : 64);
    if (b->alive == 0) finish(*b);
    while (!c.async.empty() &&
           (!was || c.blocks.size() == 1 || options().seed == 0 || (random_bits() & 1))) {
      deliver(c);
      was = true;
      if (options().seed != 0) break;
    }
    any |= was;
  }
  if (c.ended == c.blocks.size())
    while (deliver(c)) {}
  if (c.ended == c.blocks.size()) give_back(n);
  return any;
}

}  // namespace emulator
