// SPDX-License-Identifier: Apache-2.0
// vote, match, redux, elect, activemask: what the lanes of a warp know of each other.

#include <algorithm>

#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/synchronisation/members.hpp"

namespace emulator {

static void run_vote(warp& w, instruction const& i) {
  if (!gather(w, i, i.o[2])) return;
  std::uint32_t p = predicate(w, i.o[1]);
  if (i.flags) p = ~p;
  std::uint32_t const* m = row<std::uint32_t>(w, i.o[2]);
  std::uint32_t whole = w.mask;
  each_mask(w, m, [&](std::uint32_t mine) {
    std::uint32_t yes = p & mine;
    w.mask = mine;
    switch (i.k) {
      case 0:
        set_predicate(w, i.o[0], yes == mine ? ~0u : 0);
        break;
      case 1:
        set_predicate(w, i.o[0], yes != 0 ? ~0u : 0);
        break;
      case 2:
        set_predicate(w, i.o[0], yes == 0 || yes == mine ? ~0u : 0);
        break;
      default:
        each_lane(mine, [&](unsigned l) { row<std::uint32_t>(w, i.o[0])[l] = yes; });
    }
  });
  w.mask = whole;
}
template <class T> static void run_match(warp& w, instruction const& i) {  // o: d, p, a, mask
  if (!gather(w, i, i.o[3])) return;
  const T* a = row<T>(w, i.o[2]);
  std::uint32_t* d = row<std::uint32_t>(w, i.o[0]);
  std::uint32_t const* m = row<std::uint32_t>(w, i.o[3]);
  std::uint32_t whole = w.mask;
  each_mask(w, m, [&](std::uint32_t mine) {
    std::uint32_t r[32];
    bool all = true;
    unsigned first = __builtin_ctz(mine);
    each_lane(mine, [&](unsigned l) {
      r[l] = 0;
      each_lane(mine, [&](unsigned k) {
        if (a[k] == a[l]) r[l] |= 1u << k;
      });
      all &= a[l] == a[first];
    });
    each_lane(mine, [&](unsigned l) { d[l] = i.k == 0 ? r[l] : all ? mine : 0; });
    if (i.k2) {
      w.mask = mine;
      set_predicate(w, i.o[1], all ? ~0u : 0);
    }
  });
  w.mask = whole;
}
static void run_redux(warp& w, instruction const& i) {  // o: d, a, mask
  if (!gather(w, i, i.o[2])) return;
  std::uint32_t const* a = row<std::uint32_t>(w, i.o[1]);
  std::uint32_t* d = row<std::uint32_t>(w, i.o[0]);
  each_mask(w, row<std::uint32_t>(w, i.o[2]), [&](std::uint32_t mine) {
    std::uint32_t r = a[__builtin_ctz(mine)];
    bool first = true;
    each_lane(mine, [&](unsigned l) {
      std::uint32_t x = a[l];
      if (first) {
        first = false;
        return;
      }
      switch (i.k) {
        case 0:
          r += x;
          break;
        case 1:
          r = static_cast<std::uint32_t>(
              std::min(static_cast<std::int32_t>(r), static_cast<std::int32_t>(x)));
          break;
        case 2:
          r = std::min(r, x);
          break;
        case 3:
          r = static_cast<std::uint32_t>(
              std::max(static_cast<std::int32_t>(r), static_cast<std::int32_t>(x)));
          break;
        case 4:
          r = std::max(r, x);
          break;
        case 5:
          r &= x;
          break;
        case 6:
          r |= x;
          break;
        default:
          r ^= x;
      }
    });
    each_lane(mine, [&](unsigned l) { d[l] = r; });
  });
}
static void run_elect(warp& w, instruction const& i) {  // o: d, p, mask
  if (!gather(w, i, i.o[2])) return;
  std::uint32_t whole = w.mask;
  each_mask(w, row<std::uint32_t>(w, i.o[2]), [&](std::uint32_t mine) {
    w.mask = mine;
    unsigned leader = __builtin_ctz(mine);
    each_lane(mine, [&](unsigned l) { row<std::uint32_t>(w, i.o[0])[l] = leader; });
    set_predicate(w, i.o[1], 1u << leader);
  });
  w.mask = whole;
}
static void run_activemask(warp& w, instruction const& i) {
  std::uint32_t m = w.mask;
  each_lane(m, [&](unsigned l) { row<std::uint32_t>(w, i.o[0])[l] = m; });
}

static bool decode_vote(decoder& d, statement const& s) {
  instruction i = d.make(run_vote);
  i.k = s.has("all") ? 0 : s.has("any") ? 1 : s.has("uni") ? 2 : 3;
  i.o[0] = i.k == 3 ? d.dst(s.ops.at(0), 4) : d.dst_pred(s.ops.at(0));
  bool is_inverse;
  i.o[1] = d.src_pred(s.ops.at(1), is_inverse);
  i.flags = is_inverse;
  i.o[2] = d.src(s.ops.at(2), dtype::b32);
  d.emit(i);
  return true;
}
static bool decode_match(decoder& d, statement const& s) {
  instruction i = d.make(s.type() == dtype::b64 ? run_match<u64> : run_match<u32>, 2);
  operand const& to = s.ops.at(0);
  bool const is_pair = to.k == operand::pair;
  i.o[0] = d.dst(is_pair ? to.elems[0] : to, 4);
  i.o[1] = is_pair ? d.dst_pred(to.elems[1]) : d.vid(d.temp(0));
  i.k2 = is_pair;
  i.k = s.has("any") ? 0 : 1;
  i.o[2] = d.src(s.ops.at(1), s.type());
  i.o[3] = d.src(s.ops.at(2), dtype::b32);
  d.emit(i);
  return true;
}
static bool decode_redux(decoder& d, statement const& s) {
  instruction i = d.make(run_redux);
  bool const by_sign = s.type() == dtype::s32;
  i.k = s.has("add")   ? 0
        : s.has("min") ? (by_sign ? 1 : 2)
        : s.has("max") ? (by_sign ? 3 : 4)
        : s.has("and") ? 5
        : s.has("or")  ? 6
                       : 7;
  i.o[0] = d.dst(s.ops.at(0), 4);
  i.o[1] = d.src(s.ops.at(1), dtype::b32), i.o[2] = d.src(s.ops.at(2), dtype::b32);
  d.emit(i);
  return true;
}
static bool decode_elect(decoder& d, statement const& s) {
  instruction i = d.make(run_elect, 2);
  auto const& to = s.ops.at(0).elems;
  i.o[0] = d.dst(to.at(0), 4), i.o[1] = d.dst_pred(to.at(1));
  i.o[2] = d.src(s.ops.at(1), dtype::b32);
  d.emit(i);
  return true;
}

bool decode_votes(decoder& d, statement const& s) {
  if (s.op == "vote") return decode_vote(d, s);
  if (s.op == "match") return decode_match(d, s);
  if (s.op == "redux") return decode_redux(d, s);
  if (s.op == "elect") return decode_elect(d, s);
  instruction i = d.make(run_activemask);
  i.o[0] = d.dst(s.ops.at(0), 4);
  d.emit(i);
  return true;
}

}  // namespace emulator
