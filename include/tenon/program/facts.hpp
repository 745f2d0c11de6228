// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → what the run time asks of it, as plain values: what it does with them is compiled
// once, and not for each program.

#include "tenon/program/traits.hpp"

namespace tenon {

// Places, as the bits of their numbers.
using place_set = unsigned char;
constexpr place_set set_of(place where) {
  return static_cast<place_set>(1u << static_cast<int>(where));
}

// The axes along which values at these places vary.
constexpr unsigned axes_of(place_set places, schedule const& of) {
  unsigned axes = 0;
  if (places & set_of(place::element)) axes |= of.rows | of.columns;
  if (places & set_of(place::row)) axes |= of.rows;
  if (places & set_of(place::column)) axes |= of.columns;
  if (places & set_of(place::plane)) axes |= of.planes;
  return axes;
}

struct program_facts {
  int load_count = 0, store_count = 0, scalar_count = 0, size_count = 0;
  dtype const* size_types = nullptr;          // of each size
  place_set const* places_reached = nullptr;  // of each load: where something follows from it
};

namespace detail {

template <class Program> struct size_types_of {
  using traits = program_traits<Program>;
  dtype types[traits::size_count > 0 ? traits::size_count : 1] = {};

  consteval size_types_of() {
    for (instruction_facts const& i : traits::all)
      if (i.is_size) types[i.bits] = i.type;
  }
};
template <class Program> inline constexpr size_types_of<Program> size_types{};

template <class Program> struct places_reached_of {
  using traits = program_traits<Program>;
  place_set places[traits::load_count > 0 ? traits::load_count : 1] = {};

  consteval places_reached_of() {
    place_set reached[traits::size > 0 ? traits::size : 1] = {};
    // Users come after their operands.
    for (int k = traits::size; k-- > 0;) {
      instruction_facts const& i = traits::all[k];
      reached[k] |= set_of(i.where);
      for (int n = 0; n < i.operand_count; ++n) reached[i.operands[n]] |= reached[k];
      if (i.is_read) places[i.bits] |= reached[k];
    }
  }
};
template <class Program> inline constexpr places_reached_of<Program> places_reached{};

}  // namespace detail

template <class Program>
inline constexpr program_facts facts_of{.load_count = program_traits<Program>::load_count,
                                        .store_count = program_traits<Program>::store_count,
                                        .scalar_count = program_traits<Program>::scalar_count,
                                        .size_count = program_traits<Program>::size_count,
                                        .size_types = detail::size_types<Program>.types,
                                        .places_reached = detail::places_reached<Program>.places};

}  // namespace tenon
