// SPDX-License-Identifier: Apache-2.0
// mov: registers, and vectors that are packed and unpacked.

#include <cstring>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"

namespace emulator {

template <class W, class P> static void run_pack(warp& w, instruction const& i) {  // list: parts
  W* d = row<W>(w, i.o[0]);
  unsigned n = i.list_size;
  each_lane(w.mask, [&](unsigned l) {
    W r;
    P parts[sizeof(W) / sizeof(P)] = {};
    for (unsigned k = 0; k < n; ++k) parts[k] = row<P>(w, i.list[k])[l];
    std::memcpy(&r, parts, sizeof r);
    d[l] = r;
  });
}
template <class W, class P> static void run_unpack(warp& w, instruction const& i) {
  const W* a = row<W>(w, i.o[0]);
  unsigned n = i.list_size;
  each_lane(w.mask, [&](unsigned l) {
    P parts[sizeof(W) / sizeof(P)] = {};
    W v = a[l];
    std::memcpy(parts, &v, sizeof v);
    for (unsigned k = 0; k < n; ++k) row<P>(w, i.list[k])[l] = parts[k];
  });
}
template <class W, class P> static void run_pack_two(warp& w, instruction const& i) {
  elementwise_rows<[](P lo, P hi) -> W {
    return static_cast<W>(static_cast<W>(lo) | static_cast<W>(hi) << (sizeof(P) * 8));
  },
                   W, P, P>(w, row<W>(w, i.o[0]), row<P>(w, i.list[0]), row<P>(w, i.list[1]));
}
template <class W, class P> static void run_unpack_two(warp& w, instruction const& i) {
  const W* a = row<W>(w, i.o[0]);
  P *lo = row<P>(w, i.list[0]), *hi = row<P>(w, i.list[1]);
  if (w.mask == ~0u) {
    alignas(64) P x[32], y[32];
    for (int l = 0; l < 32; ++l)
      x[l] = static_cast<P>(a[l]), y[l] = static_cast<P>(a[l] >> (sizeof(P) * 8));
    std::memcpy(lo, x, sizeof x), std::memcpy(hi, y, sizeof y);
  } else {
    each_lane(w.mask, [&](unsigned l) {
      W v = a[l];
      lo[l] = static_cast<P>(v), hi[l] = static_cast<P>(v >> (sizeof(P) * 8));
    });
  }
}
template <class W> static handler packing(unsigned part, bool pack) {
  switch (part) {
    case 1:
      return pack ? run_pack<W, u8> : run_unpack<W, u8>;
    case 2:
      if constexpr (sizeof(W) > 2)
        return pack ? run_pack<W, u16> : run_unpack<W, u16>;
      else
        return nullptr;
    case 4:
      if constexpr (sizeof(W) > 4)
        return pack ? run_pack<W, u32> : run_unpack<W, u32>;
      else
        return nullptr;
    case 8:
      if constexpr (sizeof(W) > 8)
        return pack ? run_pack<W, u64> : run_unpack<W, u64>;
      else
        return nullptr;
    default:
      return nullptr;
  }
}
static handler packing(unsigned whole, unsigned part, bool pack) {
  if (whole == 8 && part == 4) return pack ? run_pack_two<u64, u32> : run_unpack_two<u64, u32>;
  if (whole == 4 && part == 2) return pack ? run_pack_two<u32, u16> : run_unpack_two<u32, u16>;
  switch (whole) {
    case 2:
      return packing<u16>(part, pack);
    case 4:
      return packing<u32>(part, pack);
    case 8:
      return packing<u64>(part, pack);
    case 16:
      return packing<u128>(part, pack);
    default:
      return nullptr;
  }
}

// The parts of a vector are a list of operands.
static bool decode_vector_move(decoder& d, statement const& s) {
  auto const& o = s.ops;
  bool const packs = o[1].k == operand::vec;
  auto const& elements = packs ? o[1].elems : o[0].elems;
  unsigned const whole = size_of(s.type()), n = static_cast<unsigned>(elements.size());
  unsigned const part = whole / n;
  instruction i = d.make(packing(whole, part, packs), packs ? 1 : 0);
  if (i.fn == nullptr) d.error("mov of a vector of this shape");
  i.list = d.list(n);
  i.list_size = static_cast<u8>(n);
  i.list_written = !packs;
  dtype const of = part == 1   ? dtype::b8
                   : part == 2 ? dtype::b16
                   : part == 4 ? dtype::b32
                               : dtype::b64;
  for (unsigned k = 0; k < n; ++k)
    i.list[k] = packs ? d.src(elements[k], of) : d.dst(elements[k], part);
  i.o[0] = packs ? d.dst(o[0], whole) : d.src(o[1], s.type());
  d.emit(i);
  return true;
}

template <class T> constexpr handler copy_of = elementwise<[](T a) -> T { return a; }, T, T>;

bool decode_move(decoder& d, statement const& s) {
  if (s.ops.at(0).k == operand::vec || s.ops.at(1).k == operand::vec)
    return decode_vector_move(d, s);
  dtype const t = s.type();
  switch (size_of(t)) {
    case 2:
      return d.emit(copy_of<u16>, t, {t});
    case 4:
      return d.emit(copy_of<u32>, t, {t});
    case 8:
      return d.emit(copy_of<u64>, t, {t});
    case 16:
      return d.emit(copy_of<u128>, t, {t});
    default:
      return false;
  }
}

}  // namespace emulator
