// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbolic axis lengths: each distinct length of an expression is one entry of a table, known now
// or when it is called.

#include <cstdint>

#include "tenon/core/config.hpp"
#include "tenon/core/extents.hpp"
#include "tenon/core/text.hpp"
#include "tenon/tensor/slice.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// The most specific first: it represents the others of lengths known to be equal.
enum class dim_kind : std::uint8_t {
  constant,  // a
  named,     // extent of axis b of input a, the first that names it
  input,     // extent of axis b of input a
  slice,     // length of dim a sliced by [b:c:d]
  product,   // dim a * dim b
  quotient,  // dim a / dim b, exact
  sum,       // dim a + dim b
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
  // From now on a table as it was: its entries and the representative of each, which are constants.
  template <int N>
  constexpr void refer_to(static_vector<dim_expression, N> const& entries,
                          static_vector<dim, N> const& representatives) {
    entries_.refer_to(entries);
    parents_.refer_to(representatives);
  }

  constexpr dim constant(long long length) { return add({dim_kind::constant, length}); }
  constexpr dim of_input(int input, int axis, extent e) {
    if (e.is_static()) return constant(e.size);
    dim_expression entry{dim_kind::input, input, axis};
    if (!e.is_named()) return add(entry);
    entry.kind = dim_kind::named;
    for (int i = 0; i < 16; ++i) entry.name[i] = e.name[i];
    for (dim i = 0; i < entries_.size(); ++i)
      if (entries_[i].kind == dim_kind::named && has_name(entries_[i], e)) return i;
    return add(entry);
  }
  constexpr dim sliced(dim d, long long start, long long stop, long long step) {
    d = representative(d);
    if (is_constant(d))
      return constant(detail::resolve_range(entries_[d].a, start, stop, step).count);
    bool const is_whole = start == 0 && stop == detail::open_bound && step == 1;
    bool const is_reversed = start == detail::open_bound && stop == detail::open_bound && step == -1;
    if (is_whole || is_reversed) return d;
    return representative(add({dim_kind::slice, d, start, stop, step}));
  }
  constexpr dim product(dim a, dim b) {
    factors all = factors_of(a);
    all.multiply(factors_of(b));
    return product_of(all);
  }
  constexpr dim quotient(dim a, dim b) {
    factors above = factors_of(a), below = factors_of(b);
    above.cancel(below);
    if (below.constant != 0 && above.constant % below.constant == 0) {
      above.constant /= below.constant;
      below.constant = 1;
    }
    if (below.constant == 1 && below.lengths.empty()) return product_of(above);
    return representative(add({dim_kind::quotient, representative(a), representative(b)}));
  }

  constexpr dim sum(dim a, dim b) {
    a = representative(a), b = representative(b);
    if (is_constant(a) && is_constant(b)) return constant(entries_[a].a + entries_[b].a);
    if (is_constant(a) || (!is_constant(b) && b < a)) std::swap(a, b);  // a number comes last
    if (is_constant(b) && entries_[b].a == 0) return a;
    dim_expression const first = entries_[a];
    if (is_constant(b) && first.kind == dim_kind::sum && is_constant(static_cast<dim>(first.b)))
      return sum(static_cast<dim>(first.a),
                 constant(entries_[static_cast<dim>(first.b)].a + entries_[b].a));
    return representative(add({dim_kind::sum, a, b}));
  }

  constexpr int size() const { return entries_.size(); }
  constexpr dim_expression const& operator[](dim d) const { return entries_[d]; }
  constexpr bool is_constant(dim d) const { return entries_[d].kind == dim_kind::constant; }

  // Two dims that an operation requires to be equal become one; the more specific one represents
  // both.
  constexpr dim representative(dim d) const {
    while (parents_[d] != d) d = parents_[d];
    return d;
  }
  constexpr void unite(dim a, dim b) {
    a = representative(a), b = representative(b);
    if (a == b) return;
    dim_kind kind_a = entries_[a].kind, kind_b = entries_[b].kind;
    // Two numbers are never equal: the call will say so.
    if (kind_a == dim_kind::constant && kind_b == dim_kind::constant) return;
    bool a_represents = kind_a != kind_b ? kind_a < kind_b : a < b;
    parents_[a_represents ? b : a] = a_represents ? a : b;
  }
  // What is computed from equal lengths is equal: slices, products and quotients follow what was
  // united.
  constexpr void close() {
    bool changes = true;
    for (int round = 0; changes && round < max_closing_rounds; ++round) {
      changes = false;
      for (dim d = 0; d < entries_.size(); ++d) {
        dim again = recomputed(d);
        if (representative(again) == representative(d)) continue;
        unite(again, d);
        changes = true;
      }
    }
  }

  constexpr void print(text& out, dim d) const {
    dim_expression const& e = entries_[d];
    switch (e.kind) {
      case dim_kind::constant:
        out << e.a;
        break;
      case dim_kind::input:
        out << 'x' << e.a << '.' << e.b;
        break;
      case dim_kind::named:
        out << e.name;
        break;
      case dim_kind::slice:
        print(out, static_cast<dim>(e.a));
        out << '[';
        if (e.b != detail::open_bound) out << e.b;
        out << ':';
        if (e.c != detail::open_bound) out << e.c;
        if (e.d != 1) out << ':' << e.d;
        out << ']';
        break;
      case dim_kind::product:
        print_pair(out, e, '*');
        break;
      case dim_kind::quotient:
        print_pair(out, e, '/');
        break;
      case dim_kind::sum:
        print_pair(out, e, '+');
        break;
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
  static constexpr bool has_name(dim_expression const& entry, extent const& e) {
    for (int i = 0; i < 16; ++i)
      if (entry.name[i] != e.name[i]) return false;
    return true;
  }
  constexpr void print_pair(text& out, dim_expression const& e, char symbol) const {
    print(out, static_cast<dim>(e.a));
    out << symbol;
    print(out, static_cast<dim>(e.b));
  }

  // Lengths may be united with products of themselves; knowing less than everything is allowed.
  static constexpr int max_closing_rounds = 8;

  // A product in normal form: a number times lengths that are no products, the earliest first.
  struct factors {
    long long constant = 1;
    constexpr_vector<dim> lengths = {};

    constexpr void multiply(dim length) {
      lengths.push_back(length);
      for (int i = lengths.size() - 1; i > 0 && lengths[i] < lengths[i - 1]; --i)
        std::swap(lengths[i], lengths[i - 1]);
    }
    constexpr void multiply(factors const& other) {
      constant *= other.constant;
      for (dim length : other.lengths) multiply(length);
    }
    // Drops what both have in common.
    constexpr void cancel(factors& other) {
      constexpr_vector<dim> mine, others;
      int i = 0, j = 0;
      while (i < lengths.size() && j < other.lengths.size()) {
        if (lengths[i] == other.lengths[j])
          ++i, ++j;
        else if (lengths[i] < other.lengths[j])
          mine.push_back(lengths[i++]);
        else
          others.push_back(other.lengths[j++]);
      }
      while (i < lengths.size()) mine.push_back(lengths[i++]);
      while (j < other.lengths.size()) others.push_back(other.lengths[j++]);
      lengths = mine;
      other.lengths = others;
    }
  };

  constexpr factors factors_of(dim product) const {
    factors result;
    constexpr_vector<dim> left(1, product);
    while (!left.empty()) {
      dim d = representative(left.back());
      left.pop_back();
      if (entries_[d].kind == dim_kind::constant) {
        result.constant *= entries_[d].a;
      } else if (entries_[d].kind == dim_kind::product) {
        left.push_back(static_cast<dim>(entries_[d].a));
        left.push_back(static_cast<dim>(entries_[d].b));
      } else {
        result.multiply(d);
      }
    }
    return result;
  }
  constexpr dim product_of(factors const& all) {
    if (all.constant == 0) return constant(0);
    dim result = unit_dim;
    for (dim length : all.lengths)
      result = result == unit_dim ? length : add({dim_kind::product, result, length});
    if (all.constant != 1 && result != unit_dim)
      return representative(add({dim_kind::product, result, constant(all.constant)}));
    return representative(all.constant != 1 ? constant(all.constant) : result);
  }
  constexpr dim recomputed(dim d) {
    dim_expression const e = entries_[d];  // a copy: the table grows
    dim a = static_cast<dim>(e.a);
    if (e.kind == dim_kind::slice) return sliced(a, e.b, e.c, e.d);
    if (e.kind == dim_kind::product) return product(a, static_cast<dim>(e.b));
    if (e.kind == dim_kind::quotient) return quotient(a, static_cast<dim>(e.b));
    if (e.kind == dim_kind::sum) return sum(a, static_cast<dim>(e.b));
    return d;
  }

  constexpr_vector<dim_expression> entries_;
  constexpr_vector<dim> parents_;
};

}  // namespace tenon
TENON_ONCE_END
