// SPDX-License-Identifier: Apache-2.0
// Additions, subtractions and multiplications with carry.

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/integer_operations.hpp"
#include "ptx/machine.hpp"

namespace emulator {

// carries: bits of w.cc
template <class T, int Op>
static void run_carry(
    warp& w, instruction const& i) {  // 0 add.cc 1 addc 2 sub.cc 3 subc ; flags&1: writes cc
  const T *a = row<T>(w, i.o[1]), *b = row<T>(w, i.o[2]);
  T* d = row<T>(w, i.o[0]);
  each_lane(w.mask, [&](unsigned l) {
    u128 x = a[l], y = b[l];
    u32 c = w.cc >> l & 1;
    u128 r;
    u32 out;
    if constexpr (Op <= 1) {
      r = x + y + (Op == 1 ? c : 0);
      out = static_cast<u32>(r >> (sizeof(T) * 8)) & 1;
    } else {
      r = x - y - (Op == 3 ? c : 0);
      out = static_cast<u32>(r >> (sizeof(T) * 8)) & 1;
    }
    d[l] = static_cast<T>(r);
    if (i.flags & 1) w.cc = (w.cc & ~(1u << l)) | out << l;
  });
}
template <class T>
static void run_mad_carry(
    warp& w, instruction const& i) {  // k: 0 lo 1 hi; flags 1 writes 2 reads; signed: flags 4
  const T *a = row<T>(w, i.o[1]), *b = row<T>(w, i.o[2]), *e = row<T>(w, i.o[3]);
  T* d = row<T>(w, i.o[0]);
  each_lane(w.mask, [&](unsigned l) {
    T m = i.k == 0        ? wrap_mul(a[l], b[l])
          : (i.flags & 4) ? static_cast<T>(mul_hi(static_cast<std::make_signed_t<T>>(a[l]),
                                                  static_cast<std::make_signed_t<T>>(b[l])))
                          : mul_hi(a[l], b[l]);
    u128 r = static_cast<u128>(m) + e[l] + ((i.flags & 2) ? w.cc >> l & 1 : 0);
    d[l] = static_cast<T>(r);
    if (i.flags & 1) w.cc = (w.cc & ~(1u << l)) | (static_cast<u32>(r >> (sizeof(T) * 8)) & 1) << l;
  });
}

template <class T> static handler carry_handler(std::string const& op) {
  if (op == "add") return run_carry<T, 0>;
  if (op == "addc") return run_carry<T, 1>;
  if (op == "sub") return run_carry<T, 2>;
  if (op == "subc") return run_carry<T, 3>;
  return run_mad_carry<T>;
}

bool decode_carry(decoder& d, statement const& s) {
  bool const writes = s.has("cc"), reads = s.op.back() == 'c';
  if (!writes && !reads) return false;
  dtype const t = s.type();
  instruction i = d.make(size_of(t) == 4 ? carry_handler<u32>(s.op) : carry_handler<u64>(s.op));
  i.k = s.has("hi") ? 1 : 0;
  i.flags = (writes ? 1u : 0u) | (reads ? 2u : 0u) | (is_signed(t) ? 4u : 0u);
  i.o[0] = d.dst(s.ops.at(0), size_of(t));
  for (std::size_t n = 1; n < s.ops.size(); ++n) i.o[n] = d.src(s.ops[n], t);
  d.emit(i);
  return true;
}

}  // namespace emulator
