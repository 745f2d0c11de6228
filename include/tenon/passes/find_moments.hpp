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
      if (int const x = centred_by(id); x >= 0)
        now = build::project(result, op_id<ops::m2_of>, moments_of(result, moved[x], was.axes));
      else
        now = result.intern(with_centre(result, n, was, moved));
      moved.push_back(now);
      return now;
    });
  }

 private:
  struct state {
    int elements;
    unsigned axes;
  };
  static constexpr int moments_of(graph& result, int x, unsigned axes) {
    return build::reduce(result, op_id<ops::moments>, x, axes);
  }
  // x - mean(x) along some axes, or the other way round.
  struct deviation {
    int elements = -1;  // x, or none
    unsigned axes = 0;
    int mean = 0;  // which operand that is
  };
  constexpr deviation deviation_of(node const& n) const {
    if (n.is<ops::sub>())
      for (int k : {0, 1}) {
        int const x = n.operands[k], mean = repeated(n.operands[1 - k]);
        if (averaged_by(mean) != x) continue;
        unsigned const axes = graph_.operand(graph_[mean], 0).axes;
        if (is_repeated_along(n.operands[1 - k], axes)) return {x, axes, 1 - k};
      }
    return {};
  }
  // Node n of the result, which is `was`: a deviation is one from the moments' mean if they are
  // there.
  constexpr node with_centre(graph& result, node n, node const& was,
                             constexpr_vector<int> const& moved) const {
    deviation const d = deviation_of(was);
    if (d.elements < 0 || !has_state(d.elements, d.axes)) return n;
    int const centre =
        build::project(result, op_id<ops::mean_of>, moments_of(result, moved[d.elements], d.axes));
    n.operands[d.mean] = repeated_as(result, was.operands[d.mean], centre);
    return n;
  }
  // `what` repeated as node `id` repeats something.
  constexpr int repeated_as(graph& result, int id, int what) const {
    node n = graph_[id];
    if (!n.is<ops::broadcast>()) return what;
    n.operands[0] = repeated_as(result, n.operands[0], what);
    return result.intern(n);
  }
  // What a chain of broadcasts repeats.
  constexpr int repeated(int id) const {
    while (graph_[id].is<ops::broadcast>()) id = graph_[id].operands[0];
    return id;
  }
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
    dim_list along;
    for (int k = 0; k < graph_[x].rank(); ++k)
      if (axes >> k & 1u) along.push_back(graph_[x].dims[k]);
    auto const [known, lengths] = build::count_of(graph_, along);
    if (lengths.empty())
      return n.is<ops::literal>() && literal_number(n.type, n.bits) == static_cast<double>(known);
    return known == 1 && n.is<ops::size>() && graph_.attributes_of(n) == lengths;
  }
  // What node `id` adds the squared deviations of, from its mean along the same axes, or -1.
  constexpr int centred_by(int id) const {
    node const& n = graph_[id];
    if (!n.is<ops::sum>() || !is_square(graph_.operand(n, 0))) return -1;
    deviation const d = deviation_of(graph_.operand(graph_.operand(n, 0), 0));
    return d.axes == n.axes ? d.elements : -1;
  }
  constexpr bool is_square(node const& n) const {
    if (n.is<ops::mul>()) return n.operands[0] == n.operands[1];
    if (!n.is<ops::pow>()) return n.is<ops::square>();
    node const& exponent = graph_.operand(n, 1);
    return exponent.is<ops::literal>() && literal_number(exponent.type, exponent.bits) == 2;
  }
  // Whether what node `id` repeats is so along the axes, in the order of the others.
  constexpr bool is_repeated_along(int id, unsigned axes) const {
    attribute place;  // of each axis of what is repeated
    for (int k = 0; k < graph_[id].rank(); ++k) place.push_back(k);
    for (; graph_[id].is<ops::broadcast>(); id = graph_[id].operands[0]) {
      attribute inner = graph_.attributes_of(graph_[id]);
      for (long long& axis : inner) axis = place[static_cast<int>(axis)];
      place = inner;
    }
    for (int axis = 0, k = 0; k < place.size(); ++axis)
      if (!(axes >> axis & 1u) && place[k++] != axis) return false;
    return true;
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
