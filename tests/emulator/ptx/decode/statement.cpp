// SPDX-License-Identifier: Apache-2.0
// Types and modifiers of an instruction by their names.

#include "ptx/decode/decoder.hpp"

namespace emulator {

dtype type_named(std::string_view n) {
  static const std::unordered_map<std::string_view, dtype> known = {
      {"pred", dtype::pred},     {"b8", dtype::b8},     {"u8", dtype::u8},
      {"s8", dtype::s8},         {"b16", dtype::b16},   {"u16", dtype::u16},
      {"s16", dtype::s16},       {"b32", dtype::b32},   {"u32", dtype::u32},
      {"s32", dtype::s32},       {"b64", dtype::b64},   {"u64", dtype::u64},
      {"s64", dtype::s64},       {"b128", dtype::b128}, {"f16", dtype::f16},
      {"f16x2", dtype::f16x2},   {"bf16", dtype::bf16}, {"bf16x2", dtype::bf16x2},
      {"f32", dtype::f32},       {"f64", dtype::f64},   {"e4m3x2", dtype::e4m3x2},
      {"e5m2x2", dtype::e5m2x2}, {"tf32", dtype::tf32}, {"u16x2", dtype::u16x2},
      {"s16x2", dtype::s16x2}};
  auto f = known.find(n);
  return f == known.end() ? dtype::none : f->second;
}
unsigned size_of(dtype t) {
  switch (t) {
    case dtype::none:
    case dtype::pred:
      return 0;
    case dtype::b8:
    case dtype::u8:
    case dtype::s8:
      return 1;
    case dtype::b16:
    case dtype::u16:
    case dtype::s16:
    case dtype::f16:
    case dtype::bf16:
    case dtype::e4m3x2:
    case dtype::e5m2x2:
      return 2;
    case dtype::b64:
    case dtype::u64:
    case dtype::s64:
    case dtype::f64:
      return 8;
    case dtype::b128:
      return 16;
    default:
      return 4;
  }
}
dtype bits_of_size(unsigned bytes) {
  switch (bytes) {
    case 1:
      return dtype::b8;
    case 2:
      return dtype::b16;
    case 4:
      return dtype::b32;
    case 8:
      return dtype::b64;
    default:
      return dtype::b128;
  }
}
dtype statement::type(int which) const {
  if (which < 0) {
    for (std::size_t k = mods.size(); k-- > 0;)
      if (dtype t = type_named(mods[k]); t != dtype::none) return t;
    return dtype::none;
  }
  for (auto x : mods)
    if (dtype t = type_named(x); t != dtype::none && which-- == 0) return t;
  return dtype::none;
}
int statement::rounding() const {
  for (auto x : mods) {
    if (x == "rn") return 0;
    if (x == "rz") return 1;
    if (x == "rm") return 2;
    if (x == "rp") return 3;
    if (x == "rna") return 4;
  }
  return -1;
}
int statement::integer_rounding() const {
  for (auto x : mods) {
    if (x == "rni") return 0;
    if (x == "rzi") return 1;
    if (x == "rmi") return 2;
    if (x == "rpi") return 3;
  }
  return -1;
}

}  // namespace emulator
