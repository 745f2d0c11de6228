// SPDX-License-Identifier: Apache-2.0
#pragma once
// graph → text: one line per node, the form that tests, documentation and reports share.

#include "tenon/ir/graph.hpp"
#include "tenon/ops/source.hpp"

namespace tenon {
namespace detail {

constexpr void print_type(text& out, graph const& g, node const& n) {
  out << name(n.type) << '[';
  for (int k = 0; k < n.rank(); ++k) {
    if (k) out << ", ";
    g.dims.print(out, g.dims.representative(n.dims[k]));
  }
  out << ']';
}

constexpr void print_attributes(text& out, graph const& g, node const& n) {
  if (n.is<ops::literal>()) {
    if (n.type == dtype::f64)
      out << ' ' << literal_number(n.type, n.bits);
    else if (is_floating(n.type))
      out << ' ' << static_cast<float>(literal_number(n.type, n.bits));
    else
      out << ' ' << n.bits;
  }
  if (n.is<ops::input>() || n.is<ops::scalar>()) out << ' ' << static_cast<int>(n.bits);
  if (n.is(op_kind::scan) && n.bits != 0) out << " mode " << static_cast<int>(n.bits);
  if (n.is(op_kind::reduction) || n.is(op_kind::scan)) {
    out << " axes";
    for (int k = 0; k < max_rank; ++k)
      if (n.axes >> k & 1u) out << ' ' << k;
  }
  if (n.attributes == no_attribute) return;
  out << " [";
  attribute const& numbers = g.attributes_of(n);
  for (int k = 0; k < numbers.size(); ++k) {
    if (k) out << ' ';
    if (n.is<ops::size>())
      g.dims.print(out, g.dims.representative(static_cast<dim>(numbers[k])));
    else if (numbers[k] == detail::open_bound)
      out << '_';
    else
      out << numbers[k];
  }
  out << ']';
}

constexpr void print_output(text& out, graph const& g, graph_output const& output) {
  out << " %" << output.id << ':' << name(output.type);
  if (output.window == no_attribute) return;
  out << " of [";
  bool is_first = true;
  for (long long number : g.attributes[output.window]) {
    out << (is_first ? "" : " ");
    number == open_bound ? out << '_' : out << number;
    is_first = false;
  }
  out << ']';
}

}  // namespace detail

constexpr text print(graph const& g) {
  text out;
  for (int id = 0; id < g.size(); ++id) {
    node const& n = g[id];
    out << '%' << id << " = " << n.op->name;
    for (int operand : n.operands) out << " %" << operand;
    detail::print_attributes(out, g, n);
    out << " : ";
    detail::print_type(out, g, n);
    out << '\n';
  }
  out << "return";
  for (graph_output const& output : g.outputs) detail::print_output(out, g, output);
  out << '\n';
  return out;
}

}  // namespace tenon
