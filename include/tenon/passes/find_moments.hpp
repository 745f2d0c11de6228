// SPDX-License-Identifier: Apache-2.0
#pragma once
// Means and variances that are written out → members of one state, which one pass over the elements
// finds: sum(d * d) of d = x - mean(x) is what the moments of x have second, and mean(x) beside
// such a sum, or beside a variance of x, what they have first.

#include "tenon/ops/moments.hpp"
#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {
namespace detail {

class moments_finder {
 public:
  constexpr explicit moments_finder(graph const& g) : graph_(g) {}

  constexpr bool find() {
    for (int id = 0, all = graph_.size(); id < all; ++id)
      if (graph_[id].is<ops::moments>())
        states_.push_back({graph_[id].operands[0], graph_[id].axes});
      else if (int const x = centred_by(id); x >= 0)
        states_.push_back({x, graph_[id].axes});
    return !states_.empty();
  }
  // @pre find()
  constexpr graph replaced() const {
    constexpr_vector<int> moved;
    return rewrite(graph_, [&](graph& result, node const& n, int id) {
      node const& was = graph_[id];
      int now = -1;
      auto const member = [&](op_info const* op, int x, unsigned axes) {
        return build::project(result, op,
                              build::reduce(result, op_id<ops::moments>, moved[x], axes));
      };
      if (int const x = centred_by(id); x >= 0)
        now = member(op_id<ops::m2_of>, x, was.axes);
      else if (int const of = averaged_by(id);
               of >= 0 && has_state(of, graph_.operand(was, 0).axes))
        now = member(op_id<ops::mean_of>, of, graph_.operand(was, 0).axes);
      else
        now = result.intern(n);
      moved.push_back(now);
      return now;
    });
  }

 private:
  struct state {
    int elements;
    unsigned axes;
  };
  constexpr bool has_state(int elements, unsigned axes) const {
    for (state const& s : states_)
      if (s.elements == elements && s.axes == axes) return true;
    return false;
  }
  // What node `id` is the mean of along some axes, or -1.
  constexpr int averaged_by(int id) const {
    node const& n = graph_[id];
    if (!n.is<ops::div>() || !graph_.operand(n, 0).is<ops::sum>()) return -1;
    node const& total = graph_.operand(n, 0);
    int const x = total.operands[0];
    return is_count(n.operands[1], x, total.axes) ? x : -1;
  }
  constexpr bool is_count(int id, int x, unsigned axes) const {
    node const& n = graph_[id];
    attribute lengths;
    long long known = 1;
    for (int k = 0; k < graph_[x].rank(); ++k) {
      if (!(axes >> k & 1u)) continue;
      dim const d = graph_.dims.representative(graph_[x].dims[k]);
      if (graph_.dims.is_constant(d))
        known *= graph_.dims[d].a;
      else
        lengths.push_back(d);
    }
    if (lengths.empty())
      return n.is<ops::literal>() && literal_number(n.type, n.bits) == static_cast<double>(known);
    return known == 1 && n.is<ops::size>() && graph_.attributes_of(n) == lengths;
  }
  // What node `id` adds the squared deviations of, from its mean along the same axes, or -1.
  constexpr int centred_by(int id) const {
    node const& n = graph_[id];
    if (!n.is<ops::sum>()) return -1;
    node const& square = graph_.operand(n, 0);
    if (!is_square(square) || !graph_.operand(square, 0).is<ops::sub>()) return -1;
    node const& deviation = graph_.operand(square, 0);
    for (int k : {0, 1}) {
      int const x = deviation.operands[k], mean = repeated_along(deviation.operands[1 - k], n.axes);
      if (mean >= 0 && averaged_by(mean) == x && graph_.operand(graph_[mean], 0).axes == n.axes)
        return x;
    }
    return -1;
  }
  constexpr bool is_square(node const& n) const {
    if (n.is<ops::mul>()) return n.operands[0] == n.operands[1];
    if (!n.is<ops::pow>()) return n.is<ops::square>();
    node const& exponent = graph_.operand(n, 1);
    return exponent.is<ops::literal>() && literal_number(exponent.type, exponent.bits) == 2;
  }
  // What node `id` repeats along the axes, or -1 if along others, or in another order.
  constexpr int repeated_along(int id, unsigned axes) const {
    attribute place;  // of each axis of what is repeated
    for (int k = 0; k < graph_[id].rank(); ++k) place.push_back(k);
    while (graph_[id].is<ops::broadcast>()) {
      attribute inner = graph_.attributes_of(graph_[id]);
      for (long long& axis : inner) axis = place[static_cast<int>(axis)];
      place = inner;
      id = graph_[id].operands[0];
    }
    int k = 0;
    for (int axis = 0; k < place.size(); ++axis)
      if (!(axes >> axis & 1u) && place[k++] != axis) return -1;
    return id;
  }

  graph const& graph_;
  constexpr_vector<state> states_;
};

}  // namespace detail

// @post no sum is one of squared deviations from the mean of what it adds, and no mean is a sum
// over a count beside moments of the same elements
constexpr graph find_moments(graph const& g) {
  detail::moments_finder moments(g);
  if (moments.find()) return moments.replaced();
  return g;
}

}  // namespace tenon::passes
