// SPDX-License-Identifier: Apache-2.0
#pragma once
// What runs: warps, blocks, clusters and grids. Threads of a warp at the same instruction run
// together: a register is a row of 32 lanes, a predicate a mask of 32 bits. Lanes that part are
// taken up again by the lowest program counter.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "ptx/program.hpp"

namespace emulator {

struct block;
struct cluster;
struct grid_run;

enum class wait_kind : std::uint8_t { none, warp, bar, cluster, grid, mbarrier };

struct return_record {
  instruction const* pc;
  std::uint32_t base, frame;
  call_plan const* plan;
  function const* callee;
};

struct copy_request {
  char* to;
  char const* from;
  std::uint32_t bytes, from_bytes;
  std::uint32_t to_shared;
  instruction const* by;
};

struct lane_state {
  std::vector<return_record> calls;
  std::vector<copy_request> copies;
  std::vector<std::uint32_t> groups;  // ends of committed groups in copies
};

struct warp {
  // The group of lanes that runs: its frame of registers, its lanes, where it is, where it may meet
  // others, what is left of its turn, and the offsets of its registers and of its local memory.
  char* regs = nullptr;
  std::uint32_t mask = 0;
  instruction const* pc = nullptr;
  instruction const* limit = nullptr;
  std::int64_t budget = 0;
  std::uint32_t base = 0, frame = 0;

  char* file = nullptr;
  std::size_t file_bytes = 0;
  std::uint32_t exists = 0, exited = 0, ready = 0;
  std::uint32_t cc = 0;  // carries
  unsigned index = 0;
  block* of = nullptr;
  char* local = nullptr;
  std::size_t local_stride = 0;

  // Of each lane: where it goes on, with which frames, and what it waits for.
  instruction const* lpc[32];
  std::uint32_t lbase[32], lframe[32];
  wait_kind waits[32];
  std::uint32_t wait_value[32];
  unsigned cluster_phase[32];
  bool cluster_arrived[32];
  lane_state lanes[32];
  std::uint32_t tid[3][32];
  unsigned shape[3] = {0, 0, 0};  // of the block for which tid was found
  unsigned shape_index = 0;
  bool has_calls_or_copies = false;
  unsigned turn = 0;
  ~warp() {
    std::free(file);
    if (local != nullptr) freed(local), std::free(local);
  }
};

struct hardware_barrier {
  std::uint32_t arrived[32] = {};  // lanes of each warp
  unsigned any = 0;                // lanes arrived in all
  unsigned expected = 0;
  unsigned popc = 0;
  bool all = true, some = false;
};

struct block {
  grid_run* run = nullptr;
  cluster* in = nullptr;
  unsigned index[3] = {0, 0, 0};
  unsigned rank = 0;
  unsigned sm = 0;
  char* shared = nullptr;
  std::size_t shared_bytes = 0;  // end of the window
  std::vector<std::unique_ptr<warp>> warps;
  unsigned alive = 0;  // warps
  bool said = false, ended = false, is_new = true;
  hardware_barrier bars[16];
  int slot = -1;
  std::vector<std::uint8_t> written;  // bytes of shared memory, where that is checked
  std::shared_ptr<struct race_state> race;
};

// an asynchronous store or copy into shared memory that is under way
struct under_way {
  char *to, *bar;
  std::vector<unsigned char> bytes;
  warp* by;
  unsigned lane;
  instruction const* at;
};

struct cluster {
  std::vector<under_way> async;
  std::vector<block*> blocks;
  unsigned dim[3] = {1, 1, 1}, index[3] = {0, 0, 0};
  unsigned phase = 0, missing = 0, ended = 0;
  unsigned at_mbarriers = 0;  // lanes
  bool relaxed = false;
};

struct grid_run {
  launch* what = nullptr;
  kernel* code = nullptr;
  std::vector<unsigned char> arguments;
  unsigned number = 0;
  std::uint64_t blocks = 0, placed = 0, said = 0, ended = 0;
  bool complete = false, next_is_early = false;
  unsigned clusters[3];
  unsigned threads = 1;
  std::size_t shared_bytes = 0;
  std::vector<std::uint32_t> order;
};

template <class T> inline T* row(warp& w, std::uint64_t o) {
  return reinterpret_cast<T*>(o < constant_from ? w.regs + o : reinterpret_cast<char*>(o));
}
inline std::uint32_t& predicate(warp& w, std::uint64_t o) {
  return *reinterpret_cast<std::uint32_t*>(o < constant_from ? w.regs + o
                                                             : reinterpret_cast<char*>(o));
}
inline void set_predicate(warp& w, std::uint64_t o, std::uint32_t value) {
  std::uint32_t& p = predicate(w, o);
  p = (p & ~w.mask) | (value & w.mask);
}
template <class F> inline void each_lane(std::uint32_t mask, F&& f) {
  if (mask == ~0u) {
    for (unsigned l = 0; l < 32; ++l) f(l);
    return;
  }
  while (mask) {
    unsigned l = __builtin_ctz(mask);
    mask &= mask - 1;
    f(l);
  }
}

// The group is put together anew before the next instruction.
inline void stop(warp& w) { w.limit = nullptr; }

inline char* local_of(warp& w, unsigned lane) { return w.local + lane * w.local_stride; }
extern std::uint64_t changes_made;  // of memory, barriers passed, threads ended

}  // namespace emulator
