// SPDX-License-Identifier: Apache-2.0
#pragma once
// The graph: nodes in dependence order, each distinct one once, with the dims, checks and outputs
// of the expression.

#include "tenon/ir/node.hpp"

namespace tenon {

struct graph_output {
  int id = -1;
  dtype type = dtype::f32;  // the dtype it is stored in; the node itself may be computed wider
  dim_list dims = {};       // the shape it is presented in: the node's, or a reshape of it
  int window = no_attribute;  // start, stop and step of every axis, where a part is presented
};

// Node `id` is what an output has at one position along an axis, along which the node has extent 1,
// or piece `position` of several that are as long along it as the node.
struct output_part {
  int id = -1;
  int output = -1;
  int axis = 0;
  int position = 0;
};

// Why an expression cannot be one kernel. Each has a message of its own (runtime/refusals.hpp) and
// a row in docs/errors.md.
enum class refusal : unsigned char {
  none,
  too_many_nodes,
  several_spaces,             // outputs over unrelated iteration spaces
  several_axis_groups,        // reductions over axis sets that are neither equal nor nested
  column_values_are_reduced,  // those of all rows, which are reduced, too
  positions_beside_columns,   // values of columns over rows that are reduced, too, and indices
  several_levels,             // rows reduced over some of their axes, and more than that
  too_many_axes,
  scans_along_two_axes,       // or along one axis in both directions
  scan_is_moved,              // a view changes the scanned axis of a scan's result
  scatter_is_used_elsewhere,  // its result is reduced or seen by position, or there are two
  searched_is_computed,       // the sequence of a search does not lie in memory
  derivative_of_indices,      // several indices at once, or updates that are not added, have no way back
};

// Two dims that must turn out equal when the expression is called, and the operator that asked for
// it.
struct dim_check {
  dim a = unit_dim, b = unit_dim;
  text_view operation =
      {};  // the name alone: calls keep it, and would compile the operator's folding
};

// An argument of the expression as the graph knows it.
struct graph_input {
  dtype type = dtype::f32;
  dim_list dims = {};
  bool is_scalar = false;  // a run-time scalar, passed by value
};

class graph {
 public:
  constexpr_vector<node> nodes;
  constexpr_vector<attribute> attributes;
  constexpr_vector<graph_input> inputs;
  constexpr_vector<graph_output> outputs;
  constexpr_vector<output_part> parts;  // of outputs that are stored position by position, all
  constexpr_vector<dim_check> checks;
  dim_table dims;
  refusal refused = refusal::none;
  // Reshapes that cannot go to the arguments are taken by position, and none is done last.
  bool takes_reshapes_by_position = false;
  // Reductions of few rows to one are written out.
  bool writes_out_few_rows = false;

  // The id of a node equal to `n`, which is added when there is none yet: value numbering. More
  // nodes than max_nodes are refused here, so that the message comes before the compiler's own
  // limits; far beyond, nothing is added.
  constexpr int intern(node const& n) {
    if (nodes.size() >= max_nodes) refused = refusal::too_many_nodes;
    if (nodes.size() >= 2 * max_nodes) return nodes.size() - 1;
    if (2 * (nodes.size() + 1) > slots_.size()) rehash();
    unsigned slot = find_slot(n);
    if (slots_[static_cast<int>(slot)] >= 0) return slots_[static_cast<int>(slot)];
    nodes.push_back(n);
    return slots_[static_cast<int>(slot)] = nodes.size() - 1;
  }
  constexpr int intern(attribute const& a) {
    for (int i = 0; i < attributes.size(); ++i)
      if (attributes[i] == a) return i;
    attributes.push_back(a);
    return attributes.size() - 1;
  }

  [[gnu::always_inline]] constexpr node const& operator[](int id) const { return nodes[id]; }
  [[gnu::always_inline]] constexpr int size() const { return nodes.size(); }
  [[gnu::always_inline]] constexpr node const& operand(node const& n, int k) const {
    return nodes[n.operands[k]];
  }
  [[gnu::always_inline]] constexpr attribute const& attributes_of(node const& n) const {
    return attributes[n.attributes];
  }

  // The same arguments, dims and checks without nodes: where a pass starts to build its result.
  constexpr graph without_nodes() const {
    graph result;
    result.attributes = attributes;
    result.inputs = inputs;
    result.checks = checks;
    result.dims = dims;
    result.refused = refused;
    result.takes_reshapes_by_position = takes_reshapes_by_position;
    result.writes_out_few_rows = writes_out_few_rows;
    return result;
  }

 private:
  constexpr unsigned find_slot(node const& n) const {
    unsigned mask = static_cast<unsigned>(slots_.size()) - 1, slot = n.hash() & mask;
    while (slots_[static_cast<int>(slot)] >= 0 && !(nodes[slots_[static_cast<int>(slot)]] == n))
      slot = (slot + 1) & mask;
    return slot;
  }
  constexpr void rehash() {
    slots_ = constexpr_vector<int>(slots_.empty() ? 64 : 4 * slots_.size(), -1);
    for (int id = 0; id < nodes.size(); ++id) slots_[static_cast<int>(find_slot(nodes[id]))] = id;
  }

  constexpr_vector<int> slots_;  // open addressing; -1 is free; its size is a power of two
};

}  // namespace tenon
