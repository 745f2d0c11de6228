// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → a short name of it, which kernels carry: nvcc 13.0 writes five fused kernels as 9 MB
// instead of 16, in 0.2 s less of cicc's 4.3.

#include "tenon/program/traits.hpp"

namespace tenon {

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
// Stands for the program of these operators whose operands and other facts have this hash. Which it
// is follows from a friend that program_definition defines.
template <unsigned long long Hash, class... Ops> struct named_program {
  friend auto program_named(named_program);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// Says which program it is. Two of one name would be two definitions: an error.
template <class Name, class Program> struct program_definition {
  friend auto program_named(Name) { return Program{}; }
};

namespace detail {

template <class... Instructions> constexpr unsigned long long hash_program() {
  unsigned long long hash = 14695981039346656037ull;  // FNV-1a
  auto add = [&](unsigned long long word) { hash = (hash ^ word) * 1099511628211ull; };
  auto add_one = [&](unsigned meta, instruction_facts const& i) {
    add(meta), add(static_cast<unsigned long long>(i.bits));
    add(static_cast<unsigned long long>(i.operand_count));
    for (int n = 0; n < i.operand_count; ++n) add(static_cast<unsigned long long>(i.operands[n]));
  };
  (add_one(instruction_traits<Instructions>::packed, instruction_traits<Instructions>::facts), ...);
  return hash;
}

template <class... Instructions> auto name_program(program<Instructions...>) {
  using name = named_program<hash_program<Instructions...>(),
                             typename instruction_traits<Instructions>::op...>;
  (void)sizeof(program_definition<name, program<Instructions...>>);
  return name{};
}

}  // namespace detail

template <unsigned long long Hash, class... Ops>
struct program_traits<named_program<Hash, Ops...>>
    : program_traits<decltype(program_named(named_program<Hash, Ops...>{}))> {};

}  // namespace tenon
