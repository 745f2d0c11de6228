// SPDX-License-Identifier: Apache-2.0
// atom, red.

#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/execute/number_formats.hpp"
#include "ptx/machine.hpp"
#include "ptx/memory/access.hpp"

namespace emulator {

enum at : u8 { a_add, a_min, a_max, a_and, a_or, a_xor, a_inc, a_dec, a_exch, a_cas };
template <class T> static T change(int op, T old, T b, T c, dtype t) {
  switch (op) {
    case a_add:
      if (t == dtype::f16x2 || t == dtype::bf16x2) {
        if constexpr (sizeof(T) == 4) {
          T r = 0;
          for (int k = 0; k < 2; ++k) {
            u16 x = static_cast<u16>(old >> (16 * k)), y = static_cast<u16>(b >> (16 * k));
            u16 z = t == dtype::f16x2 ? float_to_half(half_to_float(x) + half_to_float(y))
                                      : float_to_bf16(bf16_to_float(x) + bf16_to_float(y));
            r |= static_cast<T>(z) << (16 * k);
          }
          return r;
        }
      }
      if constexpr (sizeof(T) == 2) {
        if (t == dtype::f16) return float_to_half(half_to_float(old) + half_to_float(b));
        if (t == dtype::bf16) return float_to_bf16(bf16_to_float(old) + bf16_to_float(b));
      }
      if constexpr (sizeof(T) == 4)
        if (t == dtype::f32) return float_bits(bits_float(old) + bits_float(b));
      if constexpr (sizeof(T) == 8)
        if (t == dtype::f64) {
          double x, y;
          std::memcpy(&x, &old, 8), std::memcpy(&y, &b, 8);
          x += y;
          T r;
          std::memcpy(&r, &x, 8);
          return r;
        }
      return static_cast<T>(old + b);
    case a_min:
    case a_max: {
      bool less;
      if (is_signed(t)) {
        if constexpr (sizeof(T) <= 8)
          less = static_cast<std::make_signed_t<T>>(b) < static_cast<std::make_signed_t<T>>(old);
        else
          less = false;
      } else if (is_float(t) && sizeof(T) == 2) {
        float x = t == dtype::f16 ? half_to_float(static_cast<u16>(b))
                                  : bf16_to_float(static_cast<u16>(b));
        float y = t == dtype::f16 ? half_to_float(static_cast<u16>(old))
                                  : bf16_to_float(static_cast<u16>(old));
        less = x < y;
      } else
        less = b < old;
      return (op == a_min) == less ? b : old;
    }
    case a_and:
      return old & b;
    case a_or:
      return old | b;
    case a_xor:
      return old ^ b;
    case a_inc:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case a_dec:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case a_exch:
      return b;
    default:
      return old == b ? c : old;
  }
}
// o: d (or nothing), address o[1], b o[2], c o[3]; k: op; imm2: type
template <class T> static void run_atom(warp& w, instruction const& i) {
  addresses at(w, i, 1);
  const T *b = row<T>(w, i.o[2]), *c = i.k == a_cas ? row<T>(w, i.o[3]) : nullptr;
  T* d = i.writes ? row<T>(w, i.o[0]) : nullptr;
  dtype t = static_cast<dtype>(i.imm2);
  bool changed = false;
  each_lane(w.mask, [&](unsigned l) {
    char* p = resolve(w, l, at[l], sizeof(T), i.where, true, true);
    T old;
    std::memcpy(&old, p, sizeof old);
    T now = change<T>(i.k, old, b[l], c != nullptr ? c[l] : T{}, t);
    changed |= now != old;
    std::memcpy(p, &now, sizeof now);
    if (d != nullptr) d[l] = old;
  });
  if (changed) ++changes_made;
  w.budget -= 60;
}
template <class T>
static void run_atom_vector(
    warp& w, instruction const& i) {  // red.v2/.v4 and atom.v2/.v4 without use of the old values
  addresses at(w, i, 1);
  unsigned n = i.list_size;
  dtype t = static_cast<dtype>(i.imm2);
  each_lane(w.mask, [&](unsigned l) {
    char* p = resolve(w, l, at[l], n * sizeof(T), i.where, true, true);
    for (unsigned k = 0; k < n; ++k) {
      T old;
      std::memcpy(&old, p + k * sizeof(T), sizeof old);
      T now = change<T>(i.k, old, row<T>(w, i.list[k])[l], T{}, t);
      std::memcpy(p + k * sizeof(T), &now, sizeof now);
    }
  });
  ++changes_made;
}

static int operation_of(statement const& s) {
  static std::unordered_map<std::string_view, int> const operations = {
      {"add", a_add}, {"min", a_min}, {"max", a_max}, {"and", a_and},   {"or", a_or},
      {"xor", a_xor}, {"inc", a_inc}, {"dec", a_dec}, {"exch", a_exch}, {"cas", a_cas}};
  for (auto name : s.mods)
    if (auto const found = operations.find(name); found != operations.end()) return found->second;
  return -1;
}

// Their old values are not kept.
static void emit_vector(decoder& d, statement const& s, instruction i, operand const& value,
                        unsigned bytes) {
  if (s.op == "atom")
    for (operand const& each : s.ops[0].elems)
      if (each.k != operand::under) d.error("atom of vectors whose result is used");
  unsigned const n = static_cast<unsigned>(value.elems.size());
  i.list = d.list(n);
  i.list_size = static_cast<u8>(n);
  for (unsigned k = 0; k < n; ++k) i.list[k] = d.src(value.elems[k], bits_of_size(bytes));
  i.fn = bytes == 2   ? run_atom_vector<u16>
         : bytes == 4 ? run_atom_vector<u32>
                      : run_atom_vector<u64>;
  d.emit(i);
}

bool decode_atomic(decoder& d, statement const& s) {
  auto const& o = s.ops;
  int const operation = operation_of(s);
  if (operation < 0) return false;
  dtype const t = s.type(-1);
  bool const has_result = s.op == "atom";
  unsigned const bytes = size_of(t);
  std::size_t const at = has_result ? 1 : 0;
  operand const& value = o.at(at + 1);
  instruction i = d.make(nullptr, 0);
  i.k = static_cast<u8>(operation);
  i.imm2 = static_cast<int>(t);
  i.where = d.space_of(s, space::generic);
  d.address(i, 1, o.at(at));
  if (value.k == operand::vec) {
    emit_vector(d, s, i, value, bytes);
    return true;
  }
  dtype const bits = bits_of_size(bytes);
  i.o[2] = d.src(value, t == dtype::f32 || t == dtype::f64 ? t : bits);
  if (operation == a_cas) i.o[3] = d.src(o.at(at + 2), bits);
  if (has_result) i.o[0] = d.dst(o[0], bytes), i.writes = 1;
  i.fn = bytes == 2   ? run_atom<u16>
         : bytes == 4 ? run_atom<u32>
         : bytes == 8 ? run_atom<u64>
                      : run_atom<u128>;
  d.emit(i);
  return true;
}

}  // namespace emulator
