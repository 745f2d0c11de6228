// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → what the run time asks of it, as plain values: what it does with them is compiled
// once, and not for each program.

#include "tenon/program/traits.hpp"

namespace tenon {

struct program_facts {
  int load_count = 0, store_count = 0, scalar_count = 0, size_count = 0;
  bool has_planes = false;
  dtype const* size_types = nullptr;  // of each size
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

}  // namespace detail

template <class Program>
inline constexpr program_facts facts_of{.load_count = program_traits<Program>::load_count,
                                        .store_count = program_traits<Program>::store_count,
                                        .scalar_count = program_traits<Program>::scalar_count,
                                        .size_count = program_traits<Program>::size_count,
                                        .has_planes = program_traits<Program>::has_planes,
                                        .size_types = detail::size_types<Program>.types};

}  // namespace tenon
