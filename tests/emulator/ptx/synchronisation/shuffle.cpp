// SPDX-License-Identifier: Apache-2.0
// shfl.

#include <cstring>

#include "ptx/checks/races.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/synchronisation/members.hpp"
#include "settings.hpp"

namespace emulator {

// o: result, predicate, values, lanes, clamp and segments, members; k: up, down, bfly, idx; k2: the
// predicate is wanted.
static void run_shfl(warp& w, instruction const& i) {
  if (!gather(w, i, i.o[5])) return;
  alignas(64) std::uint32_t a[32];
  std::memcpy(a, row<std::uint32_t>(w, i.o[2]), sizeof a);
  std::uint32_t const* b = row<std::uint32_t>(w, i.o[3]);
  std::uint32_t const* c = row<std::uint32_t>(w, i.o[4]);
  std::uint32_t* d = row<std::uint32_t>(w, i.o[0]);
  std::uint32_t in = 0;
  alignas(64) std::uint32_t r[32];
  std::uint32_t mask = w.mask;
  int kind = i.k;
  std::uint32_t const* members = row<std::uint32_t>(w, i.o[5]);
  auto all = [&](auto find) {
    auto one = [&](unsigned l) {
      int bv = static_cast<int>(b[l] & 31), clamp = static_cast<int>(c[l] & 31),
          seg = static_cast<int>(c[l] >> 8 & 31);
      int most = (static_cast<int>(l) & seg) | (clamp & ~seg), least = static_cast<int>(l) & seg;
      int j = find(static_cast<int>(l), bv, least, seg);
      bool p = kind == 0 ? j >= most : j <= most;
      if (!p) j = static_cast<int>(l);
      // a lane outside of the mask, or that has ended: undefined
      r[l] = (members[l] & mask) >> j & 1 ? a[j] : 0xdeadbeefu;
      in |= static_cast<std::uint32_t>(p) << l;
    };
    each_lane(mask, one);
  };
  switch (kind) {
    case 0:
      all([](int l, int bv, int, int) { return l - bv; });
      break;
    case 1:
      all([](int l, int bv, int, int) { return l + bv; });
      break;
    case 2:
      all([](int l, int bv, int, int) { return l ^ bv; });
      break;
    default:
      all([](int, int bv, int least, int seg) { return least | (bv & ~seg); });
      break;
  }
  each_lane(mask, [&](unsigned l) { d[l] = r[l]; });
  if (i.k2) set_predicate(w, i.o[1], in);
  if (checks_accesses) race_warp_reads(w, mask);
}

bool decode_shuffle(decoder& d, statement const& s) {
  auto const& o = s.ops;
  instruction i = d.make(run_shfl, 2);
  operand const& to = o.at(0);
  if (to.k == operand::pair) {
    i.o[0] = d.dst(to.elems[0], 4), i.o[1] = d.dst_pred(to.elems[1]);
    i.k2 = 1;
  } else {
    i.o[0] = d.dst(to, 4), i.o[1] = d.vid(d.temp(0));
  }
  i.k = s.has("up") ? 0 : s.has("down") ? 1 : s.has("bfly") ? 2 : 3;
  for (int n = 1; n <= 3; ++n) i.o[1 + n] = d.src(o.at(n), dtype::b32);
  i.o[5] = o.size() > 4 ? d.src(o[4], dtype::b32) : d.constant(0xffffffffu, 4);
  d.emit(i);
  return true;
}

}  // namespace emulator
