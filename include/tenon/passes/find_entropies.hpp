// SPDX-License-Identifier: Apache-2.0
#pragma once
// sum(exp(l) * l) of l = log_softmax(x), or sum(softmax(x) * l), as entropies are written → a
// member of one state, which one pass over the elements finds, and with it the maximum and the sum
// that l is made of.

#include "tenon/ops/entropy.hpp"
#include "tenon/passes/log_of_softmax.hpp"

namespace tenon::passes {
namespace detail {

class entropy_finder {
 public:
  constexpr explicit entropy_finder(graph const& g) : graph_(g) {}

  constexpr bool find() {
    for (int id = 0, all = graph_.size(); id < all; ++id)
      if (entropy const e = entropy_at(id); e.total >= 0) entropies_.push_back(e);
    return !entropies_.empty();
  }
  // @pre find()
  constexpr graph replaced() const {
    constexpr_vector<int> moved;
    return rewrite(graph_, [&](graph& result, node const& n, int id) {
      int now = -1;
      for (entropy const& e : entropies_) {
        op_info const* const member = member_at(e, id);
        if (member == nullptr) continue;
        now = build::project(
            result, member,
            build::reduce(result, op_id<ops::sum_of_logarithms>, moved[e.elements], e.axes));
        break;
      }
      if (now < 0) now = result.intern(n);
      moved.push_back(now);
      return now;
    });
  }

 private:
  // Node `total` is sum(p * l), p = exp(l), l = elements - largest - log(sum); -1: it is no
  // entropy.
  struct entropy {
    int total = -1, elements = -1, largest = -1, sum = -1;
    unsigned axes = 0;
  };
  constexpr op_info const* member_at(entropy const& e, int id) const {
    if (id == e.total) return op_id<ops::mean_logarithm_of>;
    if (id == e.largest) return op_id<ops::max_part>;
    return id == e.sum && is_only_in_logarithms(id) ? op_id<ops::shifted_sum_part> : nullptr;
  }
  // What broadcasts, and logarithms, are made of.
  constexpr int beneath(int id) const {
    while (graph_[id].is<ops::broadcast>() || graph_[id].is<ops::log>())
      id = graph_[id].operands[0];
    return id;
  }
  constexpr entropy entropy_at(int id) const {
    node const& n = graph_[id];
    // Exponentials of eight bytes beside each other have no registers.
    if (!n.is<ops::sum>() || n.type == dtype::f64 || !graph_.operand(n, 0).is<ops::mul>())
      return {};
    node const& product = graph_.operand(n, 0);
    for (int k : {0, 1}) {
      int const l = product.operands[k];
      if (!graph_[l].is<ops::sub>()) continue;
      int const sum = beneath(graph_[l].operands[1]);
      if (!graph_[sum].is<ops::sum>() || graph_[sum].axes != n.axes) continue;
      int const e = graph_[sum].operands[0], d = graph_[l].operands[0];
      if (!graph_[e].is<ops::exp>() || graph_[e].operands[0] != d || !graph_[d].is<ops::sub>())
        continue;
      int const x = graph_[d].operands[0];
      unsigned axes = n.axes;
      if (graph_[x].dims == graph_[d].dims && graph_[x].type == n.type &&
          is_share(product.operands[1 - k], l, e) &&
          is_of_own_row<ops::maximum_of>(graph_, graph_[d].operands[1], x, axes, false) &&
          is_of_own_row<ops::sum, ops::log>(graph_, graph_[l].operands[1], e, axes, true))
        return {id, x, beneath(graph_[d].operands[1]), sum, axes};
    }
    return {};
  }
  // Whether node `id` is exp(l), or e / sum(e): -inf as its logarithm is one as l in both.
  constexpr bool is_share(int id, int l, int e) const {
    node const& n = graph_[id];
    if (n.is<ops::exp>()) return n.operands[0] == l;
    if (n.is<ops::div>()) return n.operands[0] == e && are_softmax(graph_, e, n.operands[1], false);
    for (int k : {0, 1})
      if (n.is<ops::mul>() && n.operands[k] == e)
        return are_softmax(graph_, e, n.operands[1 - k], true);
    return false;
  }
  // Shares by the state's sum, whose terms are off by more, would not add up to 1 as closely.
  constexpr bool is_only_in_logarithms(int sum) const {
    constexpr_vector<bool> is_it(graph_.size(), false);
    is_it[sum] = true;
    for (int id = sum + 1; id < graph_.size(); ++id)
      for (int operand : graph_[id].operands)
        if (is_it[operand]) {
          if (graph_[id].is<ops::log>()) continue;
          if (!graph_[id].is<ops::broadcast>()) return false;
          is_it[id] = true;
        }
    for (graph_output const& output : graph_.outputs)
      if (is_it[output.id]) return false;
    return true;
  }

  graph const& graph_;
  constexpr_vector<entropy> entropies_;
};

}  // namespace detail

// @post no sum is one of p * l, l a log_softmax along the same axes and p the softmax
constexpr graph find_entropies(graph const& g) {
  detail::entropy_finder entropies(g);
  if (entropies.find()) return entropies.replaced();
  return g;
}

}  // namespace tenon::passes
