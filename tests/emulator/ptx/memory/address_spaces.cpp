// SPDX-License-Identifier: Apache-2.0
// cvta, isspacep, mapa, getctarank: addresses of one space seen from another.

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/memory/registry.hpp"

namespace emulator {

static void run_to_generic(warp& w,
                           instruction const& i) {  // k: 0 copy, 1 shared, 2 local, 3 param, 4 from
                                                    // generic shared, 5 local, 6 param
  u64* d = row<u64>(w, i.o[0]);
  u64 const* a = row<u64>(w, i.o[1]);
  block& b = *w.of;
  each_lane(w.mask, [&](unsigned l) {
    u64 x = a[l];
    switch (i.k) {
      case 1: {
        u64 rank = x >> 24;
        if (rank == 0)
          x += reinterpret_cast<u64>(b.shared);
        else {
          if (rank > b.in->blocks.size())
            fail(w, static_cast<int>(l), "cvta of an address of no block of the cluster");
          x = (x & 0xffffff) + reinterpret_cast<u64>(b.in->blocks[rank - 1]->shared);
        }
        break;
      }
      case 2:
        x += reinterpret_cast<u64>(local_of(w, l));
        break;
      case 3:
        x += reinterpret_cast<u64>(b.run->arguments.data());
        break;
      case 4: {
        u64 arena = reinterpret_cast<u64>(shared_arena());
        block* of = x >= arena ? block_of_slot(static_cast<unsigned>((x - arena) / shared_stride))
                               : nullptr;
        u64 off = (x - arena) % shared_stride;
        if (of == nullptr || of->in != b.in)
          fail(w, static_cast<int>(l), "cvta.to.shared of an address that is not in shared memory");
        x = of == &b ? off : off | static_cast<u64>(of->rank + 1) << 24;
        break;
      }
      case 5:
        x -= reinterpret_cast<u64>(local_of(w, l));
        break;
      case 6:
        x -= reinterpret_cast<u64>(b.run->arguments.data());
        break;
      default:
        break;
    }
    d[l] = x;
  });
}
static void run_isspacep(warp& w, instruction const& i) {
  u64 const* a = row<u64>(w, i.o[1]);
  u32 r = 0;
  block& b = *w.of;
  each_lane(w.mask, [&](unsigned l) {
    u64 x = a[l], arena = reinterpret_cast<u64>(shared_arena());
    u64 local = reinterpret_cast<u64>(w.local);
    block* of = x >= arena && x < arena + arena_slots * shared_stride
                    ? block_of_slot(static_cast<unsigned>((x - arena) / shared_stride))
                    : nullptr;
    bool shared = of == &b, any = of != nullptr && of->in == b.in;
    bool is_local = w.local != nullptr && x >= local && x < local + 32 * w.local_stride;
    u64 args = reinterpret_cast<u64>(b.run->arguments.data());
    bool param = x >= args && x < args + b.run->arguments.size();
    bool v = i.k == 0   ? !any && !is_local && of == nullptr
             : i.k == 1 ? shared
             : i.k == 2 ? any
             : i.k == 3 ? is_local
             : i.k == 4 ? param
                        : false;
    r |= static_cast<u32>(v) << l;
  });
  set_predicate(w, i.o[0], r);
}

static void run_mapa(warp& w,
                     instruction const& i) {  // o: d, a, rank; k: 1 of 32 bits shared::cluster, 2
                                              // of 64 bits shared::cluster, 0 generic
  u32 const* rank = row<u32>(w, i.o[2]);
  block& b = *w.of;
  each_lane(w.mask, [&](unsigned l) {
    if (rank[l] >= b.in->blocks.size())
      fail(
          w, static_cast<int>(l),
          "mapa of rank " + std::to_string(rank[l]) + " of " + std::to_string(b.in->blocks.size()));
    if (i.k == 1)
      row<u32>(w, i.o[0])[l] = (row<u32>(w, i.o[1])[l] & 0xffffff) | (rank[l] + 1) << 24;
    else if (i.k == 2)
      row<u64>(w, i.o[0])[l] = (row<u64>(w, i.o[1])[l] & 0xffffff) | static_cast<u64>(rank[l] + 1)
                                                                         << 24;
    else {
      u64 arena = reinterpret_cast<u64>(shared_arena());
      row<u64>(w, i.o[0])[l] = reinterpret_cast<u64>(b.in->blocks[rank[l]]->shared) +
                               (row<u64>(w, i.o[1])[l] - arena) % shared_stride;
    }
  });
}
static void run_getrank(warp& w, instruction const& i) {
  each_lane(w.mask, [&](unsigned l) {
    u64 a = i.k == 4 ? row<u32>(w, i.o[1])[l] : row<u64>(w, i.o[1])[l];
    u32 r;
    if (i.flags)
      r = (a >> 24) == 0 ? w.of->rank : static_cast<u32>((a >> 24) - 1);
    else {
      block* of = block_of_slot(
          static_cast<unsigned>((a - reinterpret_cast<u64>(shared_arena())) / shared_stride));
      r = of != nullptr ? of->rank : 0;
    }
    row<u32>(w, i.o[0])[l] = r;
  });
}

static bool decode_cvta(decoder& d, statement const& s) {
  bool const to_space = s.has("to");
  instruction i = d.make(run_to_generic);
  if (s.has("shared") || s.has("shared::cta") || s.has("shared::cluster"))
    i.k = to_space ? 4 : 1;
  else if (s.has("local"))
    i.k = to_space ? 5 : 2;
  else if (s.has("param") || s.has("param::entry"))
    i.k = to_space ? 6 : 3;
  i.o[0] = d.dst(s.ops.at(0), 8), i.o[1] = d.src(s.ops.at(1), dtype::u64);
  d.emit(i);
  return true;
}
static bool decode_isspacep(decoder& d, statement const& s) {
  instruction i = d.make(run_isspacep);
  i.k = s.has("global")                           ? 0
        : s.has("shared") || s.has("shared::cta") ? 1
        : s.has("shared::cluster")                ? 2
        : s.has("local")                          ? 3
        : s.has("param") || s.has("param::entry") ? 4
                                                  : 5;
  i.o[0] = d.dst_pred(s.ops.at(0)), i.o[1] = d.src(s.ops.at(1), dtype::u64);
  d.emit(i);
  return true;
}

bool decode_address_space(decoder& d, statement const& s) {
  if (s.op == "cvta") return decode_cvta(d, s);
  if (s.op == "isspacep") return decode_isspacep(d, s);
  auto const& o = s.ops;
  bool const in_window = s.has("shared::cluster"), is_narrow = s.type(-1) == dtype::u32;
  dtype const t = is_narrow ? dtype::u32 : dtype::u64;
  instruction i = d.make(s.op == "mapa" ? run_mapa : run_getrank);
  if (s.op == "mapa") {
    i.k = in_window ? (is_narrow ? 1 : 2) : 0;
    i.o[0] = d.dst(o.at(0), size_of(t)), i.o[1] = d.src(o.at(1), t);
    i.o[2] = d.src(o.at(2), dtype::u32);
  } else {
    i.flags = in_window;
    i.k = is_narrow ? 4 : 8;
    i.o[0] = d.dst(o.at(0), 4), i.o[1] = d.src(o.at(1), t);
  }
  d.emit(i);
  return true;
}

}  // namespace emulator
