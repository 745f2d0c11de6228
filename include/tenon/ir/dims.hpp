// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbolic axis lengths: each distinct length of an expression is one entry of a table, known now or when it is called.

#include <cstdint>

#include "tenon/core/extents.hpp"
#include "tenon/core/text.hpp"
#include "tenon/tensor/slice.hpp"

namespace tenon {

enum class dim_kind : std::uint8_t {
  constant,  // a
  input,     // extent of axis b of input a
  named,     // the same for the first input that names it
  slice,     // length of dim a sliced by [b:c:d]
  product,   // dim a * dim b
  quotient,  // dim a / dim b, exact
};

struct dim_expression {
  dim_kind kind = dim_kind::constant;
  long long a = 0, b = 0, c = 0, d = 0;
  char name[16] = {};
  constexpr bool operator==(dim_expression const&) const = default;
};

// An index into the dim table. Equal numbers are equal lengths; entry 0 is the constant 1.
using dim = int;
inline constexpr dim unit_dim = 0;

class dim_table {
 public:
  constexpr dim_table() { add({dim_kind::constant, 1}); }

  constexpr dim constant(long long length) { return add({dim_kind::constant, length}); }
  constexpr dim of_input(int input, int axis, extent e) {
    if (e.is_static()) return constant(e.size);
    dim_expression entry{dim_kind::input, input, axis};
    if (!e.is_named()) return add(entry);
    entry.kind = dim_kind::named;
    for (int i = 0; i < 16; ++i) entry.name[i] = e.name[i];
    for (dim i = 0; i < entries_.size(); ++i)
      if (entries_[i].kind == dim_kind::named && text(entries_[i].name) == text(entry.name)) return i;
    return add(entry);
  }
  constexpr dim sliced(dim d, long long start, long long stop, long long step) {
    d = representative(d);
    if (is_constant(d)) return constant(detail::resolve_range(entries_[d].a, start, stop, step).count);
    if (start == 0 && stop == detail::open_bound && step == 1) return d;
    return add({dim_kind::slice, d, start, stop, step});
  }
  constexpr dim product(dim a, dim b) {
    a = representative(a), b = representative(b);
    if (a == unit_dim) return b;
    if (b == unit_dim) return a;
    if (is_constant(a) && is_constant(b)) return constant(entries_[a].a * entries_[b].a);
    return a < b ? add({dim_kind::product, a, b}) : add({dim_kind::product, b, a});
  }
  constexpr dim quotient(dim a, dim b) {
    a = representative(a), b = representative(b);
    if (b == unit_dim) return a;
    if (a == b) return unit_dim;
    if (entries_[a].kind == dim_kind::product) {
      if (entries_[a].a == b) return static_cast<dim>(entries_[a].b);
      if (entries_[a].b == b) return static_cast<dim>(entries_[a].a);
    }
    if (is_constant(a) && is_constant(b) && entries_[b].a != 0) return constant(entries_[a].a / entries_[b].a);
    return add({dim_kind::quotient, a, b});
  }

  constexpr int size() const { return entries_.size(); }
  constexpr dim_expression const& operator[](dim d) const { return entries_[d]; }
  constexpr bool is_constant(dim d) const { return entries_[d].kind == dim_kind::constant; }

  // Two dims that an operation requires to be equal become one; the more specific one represents both.
  constexpr dim representative(dim d) const {
    while (parents_[d] != d) d = parents_[d];
    return d;
  }
  constexpr void unite(dim a, dim b) {
    a = representative(a), b = representative(b);
    if (a == b) return;
    if (rank_of(a) > rank_of(b) || (rank_of(a) == rank_of(b) && a > b)) std::swap(a, b);
    parents_[b] = a;
  }

  constexpr void print(text& out, dim d) const {
    dim_expression const& e = entries_[d];
    switch (e.kind) {
      case dim_kind::constant: out << e.a; break;
      case dim_kind::input: out << 'x' << e.a << '.' << e.b; break;
      case dim_kind::named: out << e.name; break;
      case dim_kind::slice:
        print(out, static_cast<dim>(e.a));
        out << '[' << e.b << ':';
        if (e.c != detail::open_bound) out << e.c;
        if (e.d != 1) out << ':' << e.d;
        out << ']';
        break;
      case dim_kind::product: print_pair(out, e, '*'); break;
      case dim_kind::quotient: print_pair(out, e, '/'); break;
    }
  }

 private:
  constexpr dim add(dim_expression const& entry) {
    for (dim i = 0; i < entries_.size(); ++i)
      if (entries_[i] == entry) return i;
    entries_.push_back(entry);
    parents_.push_back(entries_.size() - 1);
    return entries_.size() - 1;
  }
  constexpr void print_pair(text& out, dim_expression const& e, char symbol) const {
    print(out, static_cast<dim>(e.a));
    out << symbol;
    print(out, static_cast<dim>(e.b));
  }
  constexpr int rank_of(dim d) const { return static_cast<int>(entries_[d].kind == dim_kind::input ? dim_kind::named : entries_[d].kind) * 2 + (entries_[d].kind == dim_kind::input); }

  constexpr_vector<dim_expression> entries_;
  constexpr_vector<dim> parents_;
};

}  // namespace tenon
