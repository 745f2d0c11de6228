// SPDX-License-Identifier: Apache-2.0
// Races in shared memory, by clocks of threads. Ordered are: what a barrier of the block or cluster
// lies between; lanes of a warp by bar.warp.sync (shfl orders reads alone, for what is sent on
// depends on them); an arrival at an mbarrier before a wait for it; bar.arrive before bar.sync of
// the same barrier.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "settings.hpp"

namespace emulator {

namespace {
struct stamp {
  instruction const* by;
  u32 e, c, clock;
  std::uint16_t who;  // rank in the cluster << 10 | thread
  std::uint8_t bytes, is_atomic;
};
struct word {
  stamp writes[2], reads[3];
};
using clocks = std::shared_ptr<const std::vector<u32>>;
struct thread_clock {
  u32 clock = 1, e = 0;
  u32 warp[2][32] = {};  // of writes, of reads
  clocks dense;
};
}  // namespace

struct race_state {
  u32 e = 1;  // barriers of the whole block
  std::vector<word> words;
  std::vector<thread_clock> threads;
  struct bar {
    u32 e = 0;
    std::vector<u32> clocks;
  };
  std::map<u32, bar> bars;
};
static std::unordered_map<cluster const*, std::pair<u32, bool>>
    clusters_known;  // epoch, uses mbarriers across blocks

static thread_clock& of_thread(race_state& r, unsigned t) {
  thread_clock& c = r.threads[t];
  if (c.e != r.e) {
    c.e = r.e;
    std::memset(c.warp, 0, sizeof c.warp);
    c.dense.reset();
  }
  return c;
}
static u32 epoch_of(block const& b) {
  auto c = clusters_known.find(b.in);
  return c == clusters_known.end() ? 0 : c->second.first;
}

void race_begin(block& b) {
  if (options().finds_unwritten_shared) b.written.assign(b.shared_bytes, 0);
  if (!options().finds_races) return;
  if (b.race == nullptr) b.race = std::make_shared<race_state>();
  race_state& r = *b.race;
  r.e = 1;
  r.words.assign((b.shared_bytes + 3) / 4, word{});
  r.threads.assign(b.warps.size() * 32, thread_clock{});
  r.bars.clear();
  clusters_known.erase(b.in);
}

// all of a thread's knowledge
static void tell(race_state& r, unsigned t, std::vector<u32>& to) {
  thread_clock& c = of_thread(r, t);
  if (c.dense)
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = std::max(to[k], (*c.dense)[k]);
  unsigned first = t / 32 * 32;
  std::size_t n = r.threads.size();
  for (unsigned h = 0; h < 2; ++h) {
    u32* half = to.data() + h * n;
    for (unsigned l = 0; l < 32; ++l) half[first + l] = std::max(half[first + l], c.warp[h][l]);
    half[t] = std::max(half[t], c.clock);
  }
}

void race_barrier(block& b, std::uint32_t const* arrived, bool whole) {
  if (!options().finds_races) return;
  race_state& r = *b.race;
  if (whole) {
    ++r.e;
    return;
  }
  auto all = std::make_shared<std::vector<u32>>(2 * r.threads.size(), 0);
  for (auto& w : b.warps)
    each_lane(arrived[w->index], [&](unsigned l) { tell(r, w->index * 32 + l, *all); });
  for (auto& w : b.warps)
    each_lane(arrived[w->index], [&](unsigned l) {
      thread_clock& c = of_thread(r, w->index * 32 + l);
      c.dense = all;
      ++c.clock;
    });
}
static void meet(warp& w, std::uint32_t lanes,
                 unsigned from) {  // from 0: writes and reads, 1: reads
  race_state& r = *w.of->race;
  u32 all[2][32] = {};
  bool dense = false;
  each_lane(lanes, [&](unsigned l) {
    thread_clock& c = of_thread(r, w.index * 32 + l);
    for (unsigned h = from; h < 2; ++h) {
      for (unsigned k = 0; k < 32; ++k) all[h][k] = std::max(all[h][k], c.warp[h][k]);
      all[h][l] = std::max(all[h][l], c.clock);
    }
    dense |= c.dense != nullptr;
  });
  std::shared_ptr<std::vector<u32>> d;
  if (dense && from == 0) {
    d = std::make_shared<std::vector<u32>>(2 * r.threads.size(), 0);
    each_lane(lanes, [&](unsigned l) { tell(r, w.index * 32 + l, *d); });
  }
  each_lane(lanes, [&](unsigned l) {
    thread_clock& c = of_thread(r, w.index * 32 + l);
    std::memcpy(c.warp[from], all[from], sizeof all - from * sizeof all[0]);
    if (d) c.dense = d;
    ++c.clock;
  });
}
void race_warp(warp& w, std::uint32_t lanes) {
  if (options().finds_races) meet(w, lanes, 0);
}
void race_warp_reads(warp& w, std::uint32_t lanes) {
  if (options().finds_races) meet(w, lanes, 1);
}
void race_cluster(cluster& c, bool relaxed) {
  if (options().finds_races && !relaxed) ++clusters_known[&c].first;
}
void race_release(warp& w, unsigned lane, block& of, std::uint32_t offset) {
  if (!options().finds_races) return;
  if (&of != w.of) {
    clusters_known[w.of->in].second = true;
    return;
  }
  race_state& r = *of.race;
  auto& m = r.bars[offset];
  if (m.e != r.e || m.clocks.empty()) m.e = r.e, m.clocks.assign(2 * r.threads.size(), 0);
  unsigned t = w.index * 32 + lane;
  tell(r, t, m.clocks);
  ++of_thread(r, t).clock;
}
void race_acquire(warp& w, unsigned lane, block& of, std::uint32_t offset) {
  if (!options().finds_races || &of != w.of) return;
  race_state& r = *of.race;
  auto m = r.bars.find(offset);
  if (m == r.bars.end() || m->second.e != r.e) return;
  thread_clock& c = of_thread(r, w.index * 32 + lane);
  if (!c.dense) {
    c.dense = std::make_shared<std::vector<u32>>(m->second.clocks);
    return;
  }
  auto joined = std::make_shared<std::vector<u32>>(*c.dense);
  for (std::size_t k = 0; k < joined->size(); ++k)
    (*joined)[k] = std::max((*joined)[k], m->second.clocks[k]);
  c.dense = joined;
}

void race_access(warp& w, unsigned lane, block& b, std::uint32_t offset, unsigned bytes,
                 bool writes, bool atomic, bool begins) {
  if (options().finds_unwritten_shared && !begins) {
    if (writes) std::memset(b.written.data() + offset, 1, bytes);
    if (!writes)
      for (unsigned k = 0; k < bytes; ++k)
        if (b.written[offset + k] == 0)
          fail(w, static_cast<int>(lane),
               "a read of shared memory at " + std::to_string(offset + k) +
                   " that nothing has written");
  }
  if (!options().finds_races) return;
  race_state& r = *b.race;
  u32 c = epoch_of(b);
  unsigned mine = w.index * 32 + lane;
  std::uint16_t who = static_cast<std::uint16_t>(w.of->rank << 10 | mine);
  bool far = w.of != &b;
  thread_clock* clock = far ? nullptr : &of_thread(r, mine);
  auto before = [&](stamp const& s, unsigned is_read) {
    if (s.by == nullptr || s.who == who || s.c < c) return true;
    bool other_block = (s.who >> 10) != b.rank;
    if (far || other_block) {  // between blocks: a barrier of the cluster; mbarriers are not
                               // followed there
      auto g = clusters_known.find(b.in);
      return g != clusters_known.end() && g->second.second;
    }
    if (s.e < r.e) return true;
    unsigned t = s.who & 1023;
    if (t / 32 == w.index && clock->warp[is_read][t % 32] >= s.clock) return true;
    return clock->dense != nullptr && (*clock->dense)[is_read * r.threads.size() + t] >= s.clock;
  };
  auto say = [&](stamp const& s, char const* what) {
    block* other = b.in->blocks[s.who >> 10];
    unsigned t = s.who & 1023;
    warp& ow = *other->warps[t / 32];
    unsigned l = t % 32;
    fail(w, static_cast<int>(lane),
         std::string("race in shared memory at ") + std::to_string(offset) + ": " +
             (atomic   ? "an atomic operation"
              : writes ? "a write"
                       : "a read") +
             " here and " + what + " of thread (" + std::to_string(ow.tid[0][l]) + ", " +
             std::to_string(ow.tid[1][l]) + ", " + std::to_string(ow.tid[2][l]) + ")" +
             (other != w.of ? " of block of rank " + std::to_string(s.who >> 10) : "") +
             " before, without a barrier between: " + instruction_text(w, *s.by));
  };
  for (u32 at = offset; at < offset + bytes;) {
    u32 n = std::min<u32>(4 - at % 4, offset + bytes - at);
    std::uint8_t mask = static_cast<std::uint8_t>(((1u << n) - 1) << (at % 4));
    word& x = r.words[at / 4];
    for (stamp& s : x.writes)
      if ((s.bytes & mask) && !(atomic && s.is_atomic) && !before(s, 0))
        say(s, s.is_atomic ? "an atomic operation" : "a write");
    if (writes)
      for (stamp& s : x.reads)
        if ((s.bytes & mask) && !(atomic && s.is_atomic) && !before(s, 1)) say(s, "a read");
    stamp now{
        &w.pc[-1], r.e, c, far ? 0 : clock->clock, who, mask, static_cast<std::uint8_t>(atomic)};
    auto put = [&](stamp* all, int count, unsigned is_read) {
      int to = -1;
      for (int k = 0; k < count && to < 0; ++k)
        if (all[k].by == nullptr || all[k].who == who) to = k;
      for (int k = 0; k < count && to < 0; ++k)
        if (before(all[k], is_read)) to = k;
      if (to < 0) to = static_cast<int>((mine + at) % static_cast<unsigned>(count));
      if (all[to].who == who && all[to].e == now.e && all[to].c == now.c &&
          all[to].clock == now.clock)
        now.bytes |= all[to].bytes;
      all[to] = now;
    };
    if (writes) {
      put(x.writes, 2, 0);
      if (x.reads[0].by != nullptr && !atomic)
        for (stamp& s : x.reads)
          if (before(s, 1) && (s.bytes & ~mask) == 0) s = stamp{};
    } else {
      put(x.reads, 3, 1);
    }
    at += n;
  }
}

}  // namespace emulator
