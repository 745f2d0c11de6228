// SPDX-License-Identifier: Apache-2.0
// Launches begin; blocks are placed on multiprocessors, and leave them.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ptx/checks/faults.hpp"
#include "ptx/checks/races.hpp"
#include "ptx/decode/kernel.hpp"
#include "ptx/memory/registry.hpp"
#include "ptx/run/scheduler.hpp"
#include "settings.hpp"

namespace emulator {

namespace {

constexpr int fill = 0xcb;
constexpr std::size_t most_local_filled = 65536;  // bytes of a thread
auto& spare_blocks = *new std::vector<std::unique_ptr<block>>;
auto& spare_warps = *new std::vector<std::unique_ptr<warp>>;

unsigned threads_of_warps(grid_run const& g) { return (g.threads + 31) / 32 * 32; }

}  // namespace

scheduler::~scheduler() {
  for (auto& c : resident)
    for (block* b : c->blocks) {
      set_block_of_slot(static_cast<unsigned>(b->slot), nullptr);
      delete b;
    }
  for (auto& g : runs)
    if (!g->complete) freed(g->arguments.data());
}

void scheduler::begin(std::size_t n) {
  launch& l = queue[n];
  auto g = std::make_unique<grid_run>();
  g->what = &l;
  g->code = l.code;
  facts_of(*l.code);
  g->number = static_cast<unsigned>(n);
  g->threads = l.block[0] * l.block[1] * l.block[2];
  g->shared_bytes = std::max(l.code->dynamic_start + l.dynamic_shared_bytes, l.code->shared_end);
  g->arguments = l.arguments;
  if (l.arguments.size() < l.code->facts.parameter_bytes)
    throw fault("kernel " + l.code->facts.name + ": " + std::to_string(l.arguments.size()) +
                " bytes of arguments, not " + std::to_string(l.code->facts.parameter_bytes));
  g->arguments.resize(std::max<std::size_t>(l.arguments.size(), 16));
  allocated(g->arguments.data(), g->arguments.size());
  written(g->arguments.data(), g->arguments.size());
  std::uint64_t cl = 1;
  for (int d = 0; d < 3; ++d) {
    if (l.cluster[d] == 0) l.cluster[d] = 1;
    if (l.code->facts.required_cluster[d] != 0) l.cluster[d] = l.code->facts.required_cluster[d];
    if (l.grid[d] % l.cluster[d] != 0)
      throw fault("kernel " + l.code->facts.name + ": the grid is no multiple of the cluster");
    g->clusters[d] = l.grid[d] / l.cluster[d];
    cl *= g->clusters[d];
  }
  if (g->threads > 1024 || g->threads > l.code->facts.max_threads || g->shared_bytes > shared_most)
    throw fault("kernel " + l.code->facts.name + ": " + std::to_string(g->threads) +
                " threads or " + std::to_string(g->shared_bytes) +
                " bytes of shared memory are too many");
  g->blocks = cl;  // clusters, counted as such
  if (options().seed != 0 && !l.is_cooperative && options().seed % 2 == 0 && cl < (1u << 22)) {
    g->order.resize(cl);
    for (std::uint64_t k = 0; k < cl; ++k) g->order[k] = static_cast<std::uint32_t>(k);
    for (std::uint64_t k = cl; k > 1; --k) std::swap(g->order[k - 1], g->order[random_bits() % k]);
  }
  runs.push_back(std::move(g));
}

int scheduler::room(grid_run const& g) const {
  int best = -1;
  for (std::size_t s = 0; s < sms.size(); ++s) {
    auto const& m = sms[s];
    if (m.threads + threads_of_warps(g) > 2048 || m.blocks >= 32 ||
        m.shared + g.shared_bytes > (228u << 10))
      continue;
    if (best < 0 || m.threads < sms[best].threads) best = static_cast<int>(s);
    if (m.threads == 0) break;
  }
  return best;
}
void scheduler::take(grid_run& g, int s, int sign) {
  sms[s].threads += sign * static_cast<int>(threads_of_warps(g));
  sms[s].blocks += sign;
  sms[s].shared += static_cast<std::size_t>(sign * static_cast<std::ptrdiff_t>(g.shared_bytes));
}

void scheduler::set_up(block& b, grid_run& g) {
  unsigned warps = (g.threads + 31) / 32;
  while (b.warps.size() > warps)
    spare_warps.push_back(std::move(b.warps.back())), b.warps.pop_back();
  while (b.warps.size() < warps) {
    if (spare_warps.empty()) spare_warps.push_back(std::make_unique<warp>());
    b.warps.push_back(std::move(spare_warps.back()));
    spare_warps.pop_back();
  }
  b.alive = warps;
  b.said = b.ended = false;
  b.run = &g;
  for (auto& h : b.bars)
    if (h.any != 0 || h.expected != 0 || b.is_new) h = hardware_barrier{};
  b.is_new = false;
  for (unsigned n = 0; n < warps; ++n) set_up(*b.warps[n], b, n);
  b.shared_bytes = g.shared_bytes;
  int slot;
  if (!free_slots.empty())
    slot = free_slots.back(), free_slots.pop_back();
  else
    slot = static_cast<int>(slots_used++);
  b.slot = slot;
  b.shared = shared_arena() + static_cast<std::size_t>(slot) * shared_stride;
  set_block_of_slot(static_cast<unsigned>(slot), &b);
  if (b.shared_bytes > shared_base)
    std::memset(b.shared + shared_base, fill, b.shared_bytes - shared_base);
  if (checks_accesses) race_begin(b);
}

// Its registers and local memory are filled, so that what nobody wrote is seen.
void scheduler::set_up(warp& w, block& b, unsigned index) {
  grid_run const& g = *b.run;
  launch const& l = *g.what;
  std::size_t const need = l.code->frame_need, stride = l.code->local_need;
  w.of = &b;
  w.index = index;
  if (w.file_bytes < need || w.file == nullptr) {
    std::free(w.file);
    w.file_bytes = std::max<std::size_t>(4096, (need + 4095) / 4096 * 4096);
    w.file = static_cast<char*>(std::aligned_alloc(4096, w.file_bytes));
  }
  std::memset(w.file, fill, std::min<std::size_t>(w.file_bytes, l.code->entry->frame_bytes));
  if (stride != 0 && (w.local == nullptr || w.local_stride < stride)) {
    if (w.local != nullptr) freed(w.local), std::free(w.local);
    w.local_stride = stride;
    w.local = static_cast<char*>(std::aligned_alloc(64, stride * 32));
    allocated(w.local, stride * 32);
    written(w.local, stride * 32);
  }
  if (stride != 0 && stride < most_local_filled) std::memset(w.local, fill, w.local_stride * 32);
  if (w.shape[0] != l.block[0] || w.shape[1] != l.block[1] || w.shape[2] != l.block[2] ||
      w.shape_index != index) {
    w.exists = 0;
    for (unsigned k = 0; k < 32 && index * 32 + k < g.threads; ++k) {
      unsigned const t = index * 32 + k;
      w.exists |= 1u << k;
      w.tid[0][k] = t % l.block[0];
      w.tid[1][k] = t / l.block[0] % l.block[1];
      w.tid[2][k] = t / (l.block[0] * l.block[1]);
    }
    std::copy(l.block, l.block + 3, w.shape);
    w.shape_index = index;
  }
  std::fill(w.lpc, w.lpc + 32, l.code->entry->code.data());
  std::memset(w.lbase, 0, sizeof w.lbase);
  std::memset(w.lframe, 0, sizeof w.lframe);
  std::memset(w.waits, 0, sizeof w.waits);
  std::memset(w.cluster_arrived, 0, sizeof w.cluster_arrived);
  std::memset(w.cluster_phase, 0, sizeof w.cluster_phase);
  if (w.has_calls_or_copies)
    for (lane_state& lane : w.lanes) lane.calls.clear(), lane.copies.clear(), lane.groups.clear();
  w.has_calls_or_copies = false;
  w.ready = w.exists;
  w.exited = w.mask = w.cc = 0;
  w.turn = 0;
}

bool scheduler::place(grid_run& g) {
  std::uint64_t each = g.what->cluster[0] * g.what->cluster[1] * g.what->cluster[2];
  std::vector<int> where;
  for (std::uint64_t k = 0; k < each; ++k) {
    int s = room(g);
    // A cluster that the multiprocessors cannot hold at all is placed all the same when nothing
    // else runs.
    if (s < 0 && each > 1 && resident.empty()) s = static_cast<int>(k % sms.size());
    if (s < 0) {
      for (int t : where) take(g, t, -1);
      return false;
    }
    take(g, s, 1);
    where.push_back(s);
  }
  auto c = std::make_unique<cluster>();
  std::uint64_t number = g.order.empty() ? g.placed : g.order[g.placed];
  launch& l = *g.what;
  for (int d = 0; d < 3; ++d) c->dim[d] = l.cluster[d];
  c->index[0] = static_cast<unsigned>(number % g.clusters[0]);
  c->index[1] = static_cast<unsigned>(number / g.clusters[0] % g.clusters[1]);
  c->index[2] =
      static_cast<unsigned>(number / (static_cast<std::uint64_t>(g.clusters[0]) * g.clusters[1]));
  for (std::uint64_t k = 0; k < each; ++k) {
    std::unique_ptr<block> b;
    if (!spare_blocks.empty())
      b = std::move(spare_blocks.back()), spare_blocks.pop_back();
    else
      b = std::make_unique<block>();
    b->rank = static_cast<unsigned>(k);
    b->index[0] = c->index[0] * l.cluster[0] + static_cast<unsigned>(k % l.cluster[0]);
    b->index[1] =
        c->index[1] * l.cluster[1] + static_cast<unsigned>(k / l.cluster[0] % l.cluster[1]);
    b->index[2] =
        c->index[2] * l.cluster[2] + static_cast<unsigned>(k / (l.cluster[0] * l.cluster[1]));
    b->sm = static_cast<unsigned>(where[k]);
    b->in = c.get();
    set_up(*b, g);
    c->blocks.push_back(b.release());
  }
  c->missing = static_cast<unsigned>(each * g.threads);
  ++g.placed;
  ++changes_made;
  resident.push_back(std::move(c));
  return true;
}

void scheduler::finish(block& b) {
  b.ended = true;
  grid_run& g = *b.run;
  if (!b.said) b.said = true, ++g.said;
  ++g.ended;
  ++changes_made;
  ++b.in->ended;
  take(g, static_cast<int>(b.sm), -1);
}
void scheduler::give_back(std::size_t n) {
  auto& c = resident[n];
  for (block* b : c->blocks) {
    set_block_of_slot(static_cast<unsigned>(b->slot), nullptr);
    free_slots.push_back(b->slot);
    spare_blocks.emplace_back(b);
  }
  c->blocks.clear();
  if (n + 1 != resident.size()) std::swap(resident[n], resident.back());
  resident.pop_back();
}

}  // namespace emulator
