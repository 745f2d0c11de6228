// SPDX-License-Identifier: Apache-2.0
#pragma once
// An expression and its lengths → what a call moves and computes, in one launch and operator by operator.

#include "tenon/report/explanation.hpp"
#include "tenon/runtime/description.hpp"
#include "tenon/runtime/dim_values.hpp"

namespace tenon {
namespace detail {

// A template, as the writer of explanations is, so that its containers are compiled only where a report is asked for: both
// cost every other translation unit 0.15 s under nvcc 13.0.
template <class Description = description>
class traffic_counter {
 public:
  // @pre inputs are the arguments that the lengths were made from
  traffic_counter(Description const& d, dim_values const& lengths, array_view<argument const> inputs)
      : d_(d), lengths_(lengths), inputs_(inputs) {}

  traffic count() const {
    traffic result;
    count_loads(result);
    for (graph_output const& o : d_.final.outputs) result.bytes_written += elements(o.dims) * size_of(o.type);
    result.launches = result.bytes_written > 0;
    for (instruction const& i : d_.space.instructions)
      if (i.op->kind != op_kind::source)
        result.issue_slots += i.op->cost * static_cast<double>(elements_along(i.axes | i.reduced));
    count_separate(result);
    return result;
  }

  // The sweeps that read load `wanted`, as a mask: sweep p feeds the reductions of phase p, or stores what follows phase p-1.
  unsigned sweeps_of(int wanted) const {
    unsigned sweeps = 0;
    auto const& items = d_.space.instructions;
    for (int k = 0; k < items.size(); ++k)
      if (items[k].op->kind == op_kind::reduction && d_.plan.places[k] == place::row && needs(k, wanted)) sweeps |= 1u << d_.plan.phases[k];
    for (int k = 0; k < d_.space.stores.size(); ++k) {
      int value = d_.space.stores[k].value;
      if (d_.plan.store_places[k] == place::element && needs(value, wanted)) sweeps |= 1u << (d_.plan.phases[value] + 1);
    }
    return sweeps;
  }

 private:
  static long long smaller(long long a, long long b) { return a < b ? a : b; }
  long long elements(dim_list const& dims) const {
    long long result = 1;
    for (dim d : dims) result *= lengths_[d];
    return result;
  }
  long long elements_along(unsigned axes) const {
    long long result = 1;
    for (int axis = 0; axis < d_.space.axes.size(); ++axis)
      if (axes >> axis & 1u) result *= lengths_[d_.space.axes[axis]];
    return result;
  }
  static long long distinct_elements(tenon::layout const& l) {
    long long result = 1;
    for (int k = 0; k < l.rank; ++k)
      if (l.strides[k] != 0 || l.extents[k] == 0) result *= l.extents[k];
    return result;
  }

  // Whether instruction `from` is computed from load `wanted` without a reduction between them.
  bool needs(int from, int wanted) const {
    auto const& items = d_.space.instructions;
    constexpr_vector<int> open;
    if (items[from].op->kind != op_kind::reduction)
      open.push_back(from);
    else
      for (int operand : items[from].operands) open.push_back(operand);
    constexpr_vector<bool> seen(items.size(), false);
    while (!open.empty()) {
      int at = open.back();
      open.pop_back();
      if (seen[at] || d_.plan.places[at] != place::element) continue;
      seen[at] = true;
      if (items[at].op == op_id<ops::load> && items[at].bits == wanted) return true;
      for (int operand : items[at].operands) open.push_back(operand);
    }
    return false;
  }

  // The axes along which elements are read through address `wanted`, or in rows that are gathered.
  unsigned axes_read_from(int wanted) const {
    auto const& items = d_.space.instructions;
    for (instruction const& i : items) {
      if (i.op == op_id<ops::load> && i.bits == wanted && !i.operands.empty()) return i.axes;
      if (i.op != op_id<ops::fetch>) continue;
      int at = i.operands[0];
      while (items[at].op != op_id<ops::address>) at = items[at].operands[0];
      if (items[at].bits == wanted) return i.axes;
    }
    return 0;
  }

  void count_loads(traffic& result) const {
    constexpr_vector<long long> of_argument(static_cast<int>(inputs_.size()), 0);
    graph const& g = d_.final;
    for (int k = 0; k < d_.space.loads.size(); ++k) {
      load const& l = d_.space.loads[k];
      if (l.what == reading::position) continue;
      bool const is_indexed = l.what == reading::address || l.what == reading::gathered;
      unsigned axes = is_indexed ? axes_read_from(k) : 0;
      for (int axis : l.along)
        if (axis != no_axis) axes |= 1u << axis;
      int id = l.view;
      while (!g[id].is<ops::input>()) id = g[id].operands[0];
      int const argument = static_cast<int>(g[id].bits);
      long long bytes = smaller(elements_along(axes), distinct_elements(layout_of(argument))) * size_of(g[id].type);
      of_argument[argument] += bytes;
      int sweeps = __builtin_popcount(sweeps_of(k));
      if (sweeps > 1) result.bytes_read_again += (sweeps - 1) * bytes;
    }
    for (int k = 0; k < of_argument.size(); ++k)
      result.bytes_read += smaller(of_argument[k], distinct_elements(layout_of(k)) * size_of(inputs_[static_cast<std::size_t>(k)].type));
  }
  tenon::layout const& layout_of(int input) const { return inputs_[static_cast<std::size_t>(input)].layout; }

  // What only derivatives notice is its first operand.
  static bool is_for_gradients(node const& n) { return n.is<ops::stop_gradient>() || n.is<ops::with_gradient_of>(); }

  // A view costs nothing of its own: reading it reads the elements that it shows. To read at indices
  // that are values is an operator.
  static bool is_view(node const& n, constexpr_vector<bool> const& on_device) {
    bool reads_at_values = false;
    for (int k = 1; n.is<ops::take>() && k < n.operands.size(); ++k)
      reads_at_values = reads_at_values || on_device[n.operands[k]];
    return (n.is(op_kind::movement) && !reads_at_values) || is_for_gradients(n);
  }
  // Which updates of a scatter are for which element is nothing that an operator would store.
  static bool is_gate(node const& n) { return n.is<ops::is_target>(); }
  // -> the gate of the updates `id`; -1: they are none
  static int gate_of(graph const& g, int id) {
    if (!g[id].is<ops::where>()) return -1;
    int gate = g[id].operands[0];
    while (g[gate].is(op_kind::movement)) gate = g[gate].operands[0];
    return is_gate(g[gate]) ? gate : -1;
  }
  long long elements_read(graph const& g, int id, constexpr_vector<bool> const& on_device) const {
    long long result = elements(g[id].dims);
    while (is_view(g[id], on_device) || gate_of(g, id) >= 0) {
      id = g[id].operands[gate_of(g, id) >= 0 ? 1 : 0];
      result = smaller(result, elements(g[id].dims));
    }
    return result;
  }
  // What an operator reads of operand `id` of its own.
  long long bytes_read(graph const& g, node const& n, int id,
                       constexpr_vector<bool> const& on_device) const {
    long long count = elements_read(g, id, on_device);
    if (n.is<ops::take>() && id == n.operands[0]) count = smaller(count, elements(n.dims));
    long long result = count * size_of(g[id].type);
    if (int const gate = gate_of(g, id); gate >= 0) {
      int const target = g[gate].operands[0];
      result += elements_read(g, target, on_device) * size_of(g[target].type);
    }
    return result;
  }

  // The nodes that the values of the outputs need.
  static constexpr_vector<bool> needed(graph const& g) {
    constexpr_vector<bool> result(g.size(), false);
    for (graph_output const& output : g.outputs) result[output.id] = true;
    for (int id = g.size() - 1; id >= 0; --id)
      for (int k = 0; result[id] && k < (is_for_gradients(g[id]) ? 1 : g[id].operands.size()); ++k)
        result[g[id].operands[k]] = true;
    return result;
  }

  // A mean or a variance is one operator: its division by the count is the end of the reduction.
  static bool finishes_reduction(graph const& g, node const& n,
                                 constexpr_vector<bool> const& on_device) {
    if (!n.is<ops::div>() || on_device[n.operands[1]]) return false;
    node const& dividend = g.operand(n, 0);
    return dividend.is(op_kind::reduction) || dividend.is(op_kind::projection);
  }

  // The lambda as it was written, one launch for each operator. Values that follow from numbers
  // alone need none, and the members of a reduction's state are results of its launch.
  void count_separate(traffic& result) const {
    graph const& g = d_.traced;
    constexpr_vector<bool> const is_needed = needed(g);
    constexpr_vector<bool> on_device(g.size(), false);
    for (int id = 0; id < g.size(); ++id) {
      node const& n = g[id];
      bool here = n.is<ops::input>();
      for (int operand : n.operands) here = here || on_device[operand];
      on_device[id] = here;
      if (!here || !is_needed[id] || n.is(op_kind::source) || is_view(n, on_device)) continue;
      if (is_gate(n) || gate_of(g, id) >= 0) continue;
      if (finishes_reduction(g, n, on_device) || elements(n.dims) == 0) continue;
      result.separate_bytes += n.op->has_state ? 0 : elements(n.dims) * size_of(n.type);
      if (n.is(op_kind::projection)) continue;
      ++result.separate_launches;
      for (int k = 0; k < n.operands.size(); ++k) {
        bool is_repeated = false;
        for (int earlier = 0; earlier < k; ++earlier) is_repeated = is_repeated || n.operands[earlier] == n.operands[k];
        if (!is_repeated && on_device[n.operands[k]])
          result.separate_bytes += bytes_read(g, n, n.operands[k], on_device);
      }
    }
  }

  Description const& d_;
  dim_values const& lengths_;
  array_view<argument const> inputs_;
};

}  // namespace detail
}  // namespace tenon
