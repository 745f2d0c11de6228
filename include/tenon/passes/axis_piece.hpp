// SPDX-License-Identifier: Apache-2.0
#pragma once
// One of several equally long pieces of an axis: what follows from the positions in it, whose
// length need not be known.

#include "tenon/ir/build.hpp"
#include "tenon/ops/arithmetic.hpp"
#include "tenon/ops/comparison.hpp"

namespace tenon::passes::detail {

// Piece `number` of `length` elements each; of length 1 it is one position.
struct axis_piece {
  int axis = 0;
  long long number = 0;
  dim length = unit_dim;
};

// A whole number that is so many times the length of a piece and some more, and that many positions
// more than at the first one of the piece.
struct piece_number {
  bool is_known = false, goes_on = false;
  long long lengths = 0, more = 0;
};

class piece_positions {
 public:
  constexpr piece_positions(graph const& g, axis_piece const& piece)
      : g_(g), piece_(piece), length_(g.dims.representative(piece.length)) {}

  // Of node `id`, if it is known.
  constexpr piece_number number_of(int id) const {
    node const& n = g_[id];
    if (is_floating(n.type)) return {};
    if (n.is<ops::literal>()) return {true, false, 0, n.bits};
    if (n.is<ops::size>()) return size_of_node(n);
    if (n.rank() == 0) return {};
    if (n.is<ops::index>()) return {true, true, piece_.number, 0};
    if (n.is<ops::broadcast>() || n.is<ops::transpose>()) {
      int const axis = axis_under(n);
      return axis < 0 ? piece_number{} : under(axis).number_of(n.operands[0]);
    }
    if (n.is<ops::where>()) {
      int const known = decision(n.operands[0]);
      return known < 0 ? piece_number{} : number_of(n.operands[known != 0 ? 1 : 2]);
    }
    if (n.is<ops::add>() || n.is<ops::sub>()) return sum(n, n.is<ops::add>() ? 1 : -1);
    return {};
  }

  // What condition `id` says of all positions of the piece: 0, 1, or -1 if that is not known.
  constexpr int decision(int id) const {
    node const& n = g_[id];
    if (n.is<ops::literal>()) return n.bits != 0;
    if (n.is<ops::broadcast>()) {
      int const axis = axis_under(n);
      return axis < 0 ? -1 : under(axis).decision(n.operands[0]);
    }
    if (n.is<ops::logical_and>() || n.is<ops::logical_or>()) {
      int const decides = n.is<ops::logical_or>(), a = decision(n.operands[0]),
                b = decision(n.operands[1]);
      if (a == decides || b == decides) return decides;
      return a < 0 || b < 0 ? -1 : 1 - decides;
    }
    if (n.is<ops::less>()) return is_less(n, 0, 1, 0);
    if (n.is<ops::greater>()) return is_less(n, 1, 0, 0);
    if (n.is<ops::less_equal>()) return is_less(n, 0, 1, 1);
    return n.is<ops::greater_equal>() ? is_less(n, 1, 0, 1) : -1;
  }

  // Of how many pieces an axis of that length is; 0: that is not known, or not a whole number.
  constexpr long long pieces_of(dim d) const {
    d = g_.dims.representative(d);
    if (d == length_) return 1;
    dim_expression const& e = g_.dims[d];
    if (g_.dims.is_constant(d) && g_.dims.is_constant(length_)) {
      long long const length = g_.dims[length_].a;
      return length > 0 && e.a % length == 0 ? e.a / length : 0;
    }
    if (e.kind != dim_kind::sum) return 0;
    long long const a = pieces_of(static_cast<dim>(e.a)), b = pieces_of(static_cast<dim>(e.b));
    return a > 0 && b > 0 ? a + b : 0;
  }
  // The number of the piece of another axis that begins there; -1: none does.
  constexpr long long piece_at(piece_number const& x) const {
    if (!x.is_known || (!x.goes_on && length_ != unit_dim)) return -1;
    if (x.more == 0) return x.lengths;
    if (!g_.dims.is_constant(length_)) return -1;
    long long const length = g_.dims[length_].a;
    return length > 0 && x.more % length == 0 ? x.lengths + x.more / length : -1;
  }

 private:
  // Numbers beyond are not compared with lengths that are not known.
  static constexpr long long most = 1ll << 30, longest = 1ll << 31;

  constexpr piece_positions under(int axis) const {
    return {g_, {axis, piece_.number, piece_.length}};
  }
  // The operand's axis that becomes the piece's.
  constexpr int axis_under(node const& n) const {
    attribute const& map = g_.attributes_of(n);
    for (int k = 0; k < map.size(); ++k)
      if (map[k] == piece_.axis) return k;
    return -1;
  }
  constexpr piece_number size_of_node(node const& n) const {
    attribute const& counted = g_.attributes_of(n);
    long long const pieces = counted.size() == 1 ? pieces_of(static_cast<dim>(counted[0])) : 0;
    return {pieces > 0, false, pieces, 0};
  }
  constexpr piece_number sum(node const& n, int sign) const {
    piece_number const a = number_of(n.operands[0]), b = number_of(n.operands[1]);
    if (!a.is_known || !b.is_known || (b.goes_on && (a.goes_on || sign < 0))) return {};
    return {true, a.goes_on || b.goes_on, a.lengths + sign * b.lengths, a.more + sign * b.more};
  }
  // Whether operand j of n is less than k, or at most as large if `or_equal`: what the shortest and
  // the longest piece say at both ends all others say, too.
  constexpr int is_less(node const& n, int j, int k, long long or_equal) const {
    piece_number const a = number_of(n.operands[j]), b = number_of(n.operands[k]);
    if (!a.is_known || !b.is_known || (b.goes_on && a.goes_on)) return -1;
    bool const is_constant = g_.dims.is_constant(length_);
    long long const more = a.more - b.more;
    if (!is_constant && (more < -most || more > most)) return -1;
    int count = 0, true_ones = 0;
    for (long long length :
         {is_constant ? g_.dims[length_].a : 1, is_constant ? g_.dims[length_].a : longest})
      for (long long position : {0ll, length - 1}) {
        long long const further = a.goes_on ? position : b.goes_on ? -position : 0;
        ++count;
        true_ones += (a.lengths - b.lengths) * length + more + further < or_equal;
      }
    return true_ones == 0 ? 0 : true_ones == count ? 1 : -1;
  }

  graph const& g_;
  axis_piece piece_;
  dim length_;
};

}  // namespace tenon::passes::detail
