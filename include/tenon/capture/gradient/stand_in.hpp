// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stand-ins: arguments of their own while a function is differentiated, so that f(x, x) has two gradients, and f(x, 2 * x) none
// by what the second one was made of.

#include "tenon/ir/build.hpp"

namespace tenon {
namespace ops {
// Argument number `bits` of a function that is being differentiated.
struct stand_in : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "stand_in";
};
}  // namespace ops

namespace detail {

class stand_ins {
 public:
  constexpr explicit stand_ins(graph& of) : g_(of), first_(of.size()) {}

  // An argument of the whole expression that is given once stands for itself.
  constexpr int node_for(int id) {
    bool is_given = !g_[id].is<ops::input>() && !g_[id].is<ops::scalar>();
    for (int k = 0; k < given_.size(); ++k) is_given = is_given || given_[k] == id;
    int result = id;
    if (is_given) {
      node n{.op = op_id<ops::stand_in>, .type = g_[id].type, .dims = g_[id].dims, .bits = g_.size()};
      result = g_.intern(n);
    }
    given_.push_back(id), standing_.push_back(result);
    return result;
  }

  // Puts the arguments in the place of what stood for them. @post result[id] is what became of node id
  constexpr constexpr_vector<int> resolve() const {
    constexpr_vector<int> moved;
    int const end = g_.size();
    for (int id = 0; id < first_; ++id) moved.push_back(id);
    for (int id = first_; id < end; ++id) moved.push_back(resolved(id, moved));
    return moved;
  }

 private:
  constexpr int resolved(int id, constexpr_vector<int> const& moved) const {
    for (int k = 0; k < given_.size(); ++k)
      if (standing_[k] == id) return given_[k];
    node n = g_[id];
    for (int& operand : n.operands) operand = moved[operand];
    return n == g_[id] ? id : g_.intern(n);
  }

  graph& g_;
  int first_;
  constexpr_vector<int> given_, standing_;
};

}  // namespace detail
}  // namespace tenon
