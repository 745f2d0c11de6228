// SPDX-License-Identifier: Apache-2.0
#pragma once
// The facts of one call → the text that explains it: arguments, graphs, schedule, cost, and what is slower than it could be.

#include "tenon/backend/arguments.hpp"
#include "tenon/ir/print.hpp"
#include "tenon/report/explanation.hpp"
#include "tenon/report/quantity.hpp"
#include "tenon/report/traffic.hpp"

namespace tenon {
namespace detail {

// How one operand of the kernel lies in memory.
struct operand_facts {
  text name = {};
  place where = place::element;
  operand_layout layout = {};
  int element_bytes = 4;
  bool is_aligned = true;
};

// Everything that a report is written from; it holds no type of the expression.
struct call_facts {
  expression_name name = {};
  description const* about = nullptr;
  array_view<argument const> inputs = {};
  char const* space = "cpu";
  bool is_on_device = false;
  text configuration = {};  // how the backend runs it, in its own words
  group_layout rows = {}, columns = {};
  constexpr_vector<operand_facts> operands = {};
};

inline void add_layout(call_facts& facts, bound_layout const& bound) {
  facts.rows = bound.rows;
  facts.columns = bound.columns;
  description const& d = *facts.about;
  for (int k = 0; k < bound.loads.size(); ++k) {
    reading const what = d.space.loads[k].what;
    if (what != reading::element && what != reading::gathered) continue;
    int id = d.space.loads[k].view;
    while (!d.final[id].is<ops::input>()) id = d.final[id].operands[0];
    argument const& given = facts.inputs[static_cast<std::size_t>(d.final[id].bits)];
    unsigned along = 0;
    for (int axis : d.space.loads[k].along)
      if (axis != no_axis) along |= 1u << axis;
    facts.operands.push_back({"x" + to_string(d.final[id].bits), along & d.plan.columns ? place::element : place::row, bound.loads[k],
                              size_of(given.type), reinterpret_cast<std::uintptr_t>(given.data) % 16 == 0});
  }
  for (int k = 0; k < bound.stores.size(); ++k)
    facts.operands.push_back({d.final.outputs.size() > 1 ? "result " + to_string(d.space.stores[k].output) : "the result", d.plan.store_places[k],
                              bound.stores[k], size_of(d.final.outputs[d.space.stores[k].output].type)});
}

// "contiguous", or the strides.
inline text strides_text(tenon::layout const& l) {
  if (is_contiguous(l)) return "contiguous";
  text result = "strides [";
  for (int k = 0; k < l.rank; ++k) result += (k ? ", " : "") + to_string(l.strides[k]);
  return result + ']';
}

// @pre every line ends with a newline
inline text indented(text_view lines) {
  text result;
  bool begins = true;
  for (char c : lines) {
    if (begins) result << "  ";
    result << c;
    begins = c == '\n';
  }
  return result;
}

template <class Description = description>
class explanation_writer {
 public:
  explicit explanation_writer(call_facts const& facts)
      : facts_(facts), d_(*facts.about), lengths_(d_.final, facts.inputs, facts.name), counter_(d_, lengths_, facts.inputs) {}

  explanation write() {
    result_.cost = counter_.count();
    write_heading();
    write_graphs();
    write_schedule();
    write_cost();
    write_slower_paths();
    return std::move(result_);
  }

 private:
  static text line(text const& label, text const& value) { return "  " + padded(label, 12) + value + '\n'; }

  void write_heading() {
    char const* file = facts_.name.location.file_name();
    for (char const* c = file; *c; ++c)
      if (*c == '/') file = c + 1;
    result_.heading += facts_.name.name;
    if (facts_.name.location.line() != 0) result_.heading += "  (" + text(file) + ':' + to_string(facts_.name.location.line()) + ')';
    result_.heading += '\n';
    for (int k = 0; k < d_.final.inputs.size(); ++k) {
      graph_input const& in = d_.final.inputs[k];
      text what = padded(text(tenon::name(in.type)), 5);
      argument const& given = facts_.inputs[static_cast<std::size_t>(k)];
      what += in.is_scalar ? "number, given at the call" : padded(to_string(given.layout), 16) + ' ' + strides_text(given.layout);
      result_.heading += line("x" + to_string(k), what);
    }
    for (graph_output const& o : d_.final.outputs)
      result_.heading += line("result", padded(text(tenon::name(o.type)), 5) + to_string(lengths_(o.dims)));
  }

  // Only the passes that changed something have a graph of their own.
  void write_graphs() {
    result_.graphs += "graph as the lambda wrote it\n";
    text before = print(d_.traced);
    result_.graphs += indented(before.view());
    text unchanged;
    passes::run(d_.traced, [&](text_view pass, graph const& g) {
      text after = print(g);
      if (after == before) {
        unchanged += (unchanged.empty() ? "" : ", ") + text(pass);
      } else {
        result_.graphs += "after " + text(pass) + '\n' + indented(after.view());
        before = after;
      }
    });
    if (!unchanged.empty()) result_.graphs += "unchanged by " + unchanged + '\n';
  }

  text axes_text(unsigned axes) const {
    text out;
    bool is_first = true;
    for (int axis = 0; axis < d_.space.axes.size(); ++axis) {
      if (!(axes >> axis & 1u)) continue;
      if (!is_first) out << " * ";
      d_.final.dims.print(out, d_.space.axes[axis]);
      is_first = false;
    }
    return out;
  }
  text group_text(unsigned axes, group_layout const& g) const {
    if (!axes) return "1";
    text result = to_string(g.size), axes_of = axes_text(axes);
    if (axes_of != result) result = padded(result, 10) + " = " + axes_of;
    if (g.dims > 1) {
      result += ", walked as ";
      for (int k = 0; k < g.dims; ++k) result += (k ? " x " : "") + to_string(g.extents[k]);
    }
    return result;
  }

  text reductions_of(place where, int phase) const {
    text result;
    for (int k = 0; k < d_.space.instructions.size(); ++k) {
      instruction const& i = d_.space.instructions[k];
      if (i.op->kind != op_kind::reduction || d_.plan.places[k] != where || (phase > 0 && d_.plan.phases[k] != phase)) continue;
      result += (result.empty() ? "" : " and ") + text(i.op->name);
    }
    return result;
  }

  void write_schedule() {
    family const& chosen = *d_.plan.chosen;
    text refused;
    for (family const* f : schedules::list) {
      if (f == &chosen) break;
      refused += (refused.empty() ? " (does not fit " : ", ") + text(f->name);
    }
    if (!refused.empty()) refused << ')';
    text& out = result_.schedule;
    out += "schedule\n" + line("family", text(chosen.name) + ": " + text(chosen.shape) + refused);
    out += line("rows", group_text(d_.plan.rows, facts_.rows)) + line("columns", group_text(d_.plan.columns, facts_.columns));
    if (d_.plan.sends_total_back) {
      write_phases_with_totals();
    } else {
      for (int phase = 1; phase <= d_.plan.row_phases; ++phase)
        out += line("phase " + to_string(phase), reductions_of(place::row, phase) + " over the columns");
      if (d_.plan.has_column_values) out += line("beside", reductions_of(place::column, 0) + " of the columns' elements over the rows");
      if (d_.plan.has_planes)
        out += line("then", reductions_of(place::plane, 0) + " over the rows along " +
                                axes_text(d_.plan.rows & ~d_.plan.planes));
      if (d_.plan.has_total)
        out += line("then", reductions_of(place::total, 0) + (d_.plan.has_column_values ? " over the rows or columns" : " over the rows"));
    }
    for (int k = 0; k < d_.space.stores.size(); ++k) {
      char const* places[] = {"once",
                              "for every element",
                              "for every row",
                              d_.plan.totals_are_of_planes ? "for every plane of rows, when its rows are done" : "once, when all rows are done",
                              "for every column, when all rows are done",
                              "for every plane of rows, when all rows are done"};
      store const& st = d_.space.stores[k];
      if (st.position > 0) continue;
      text which = d_.final.outputs.size() > 1 ? "result " + to_string(st.output) + ' ' : "";
      if (st.axis >= 0)
        which += (st.along[st.axis] == no_axis ? "position by position along axis " : "piece by piece along axis ") + to_string(st.axis) + ", ";
      bool is_single = !d_.plan.rows && d_.plan.store_places[k] == place::row;
      out += line("stores", which + (is_single ? "once, at the end" : places[static_cast<int>(d_.plan.store_places[k])]));
    }
    out += line("runs on", text(facts_.space) + ": " + facts_.configuration);
  }

  // A phase ends when all blocks (those of a plane) meet: what was reduced over the rows is known to all of them from then on.
  void write_phases_with_totals() {
    text over = " over the rows";
    if (d_.plan.totals_are_of_planes) over += " along " + axes_text(d_.plan.rows & ~d_.plan.planes);
    for (int phase = 1;; ++phase) {
      text over_columns = reductions_of(place::row, phase), over_rows = reductions_of(place::total, phase);
      if (over_columns.empty() && over_rows.empty()) return;
      if (!over_columns.empty()) over_columns += " over the columns";
      if (!over_rows.empty()) over_columns << (over_columns.empty() ? "" : ", ") << over_rows << over;
      result_.schedule += line("phase " + to_string(phase), over_columns);
    }
  }

  void write_cost() {
    traffic const& c = result_.cost;
    result_.costs += "cost                      this call      operator by operator\n";
    auto row = [&](char const* label, text const& here, text const& there) {
      result_.costs += "  " + padded(label, 24) + (there.empty() ? here : padded(here, 15) + there) + '\n';
    };
    double bytes = static_cast<double>(c.minimum_bytes() > 0 ? c.minimum_bytes() : 1);
    row("launches", to_string(c.launches), to_string(c.separate_launches));
    row("bytes moved", bytes_text(c.minimum_bytes()), bytes_text(c.separate_bytes) + "  (" + ratio_text(static_cast<double>(c.separate_bytes) / bytes) + ")");
    row("  read, each input once", bytes_text(c.bytes_read), "");
    row("  written", bytes_text(c.bytes_written), "");
    if (c.bytes_read_again) row("  read again", bytes_text(c.bytes_read_again), "by later phases; from memory only where a row does not fit on chip");
    row("instructions, about", with_prefix(c.issue_slots, "") + ", " + with_prefix(c.issue_slots / bytes, "") + "for every byte moved", "");
  }

  // Nothing is silently slow: what a layout or a shape costs is said here.
  void write_slower_paths() {
    text notes;
    bool const moves_parts = configuration_says("parts of vectors"), moves_single_elements = moves_parts || configuration_says("single elements");
    bool const moves_together = configuration_says("is moved together"), reads_once = configuration_says("operands are read once");
    bool const turns = configuration_says("turned in shared memory");
    bool const moves_backward = turns || configuration_says("from its end") || configuration_says("vectors of rows, in turn");
    text last;  // of several parts of an operand it is said once
    for (operand_facts const& o : facts_.operands) {
      if (o.where != place::element || facts_.columns.size <= 1 || facts_.columns.dims == 0) continue;
      long long stride = o.layout.column_strides[facts_.columns.dims - 1];
      text note;
      if (stride != 0 && stride != 1 && !moves_together && !reads_once && !(stride == -1 && moves_backward) && !(turns && has_neighbours(o)))
        note = "  " + o.name + " has neighbours " + to_string(stride) + " elements apart: they are moved one at a time, out of " +
               "longer pieces of memory; give it with its last axis contiguous\n";
      else if (moves_single_elements && stride == 1 && !is_vectorisable(o))
        note = "  " + o.name + " has rows that do not begin at multiples of 16 bytes: " +
               (moves_parts ? "each vector is a part of two accesses\n" : "elements are moved one at a time\n");
      if (note == last) continue;
      notes += note;
      last = note;
    }
    if (moves_single_elements && notes.empty())
      notes += "  the number of columns is no multiple of what 16 bytes hold: elements are moved one at a time\n";
    if (configuration_says("read again in each phase") && result_.cost.bytes_read_again > 0)
      notes += "  a row is longer than registers hold: it is read again in each phase\n";
    if (facts_.is_on_device && d_.plan.row_phases > 0 && d_.plan.rows && facts_.rows.size < 32 && facts_.columns.size > 32768 &&
        !configuration_says("shared by several blocks"))
      notes += "  only " + plural(facts_.rows.size, "row") + ", each the work of one block or cluster: most of the device is idle\n";
    result_.costs += notes.empty() ? "\nno slower path is taken\n" : "\nslower than it could be\n" + notes;
  }
  bool configuration_says(char const* words) const { return facts_.configuration.view().contains(words); }
  // Whether neighbours lie together along any axis.
  bool has_neighbours(operand_facts const& o) const {
    for (int k = 0; k < facts_.columns.dims; ++k)
      if (o.layout.column_strides[k] == 1 || o.layout.column_strides[k] == -1) return true;
    return false;
  }
  bool is_vectorisable(operand_facts const& o) const {
    if (!o.is_aligned) return false;
    for (int k = 0; k + 1 < facts_.columns.dims; ++k)
      if (o.layout.column_strides[k] * o.element_bytes % 16) return false;
    for (int k = 0; k < facts_.rows.dims; ++k)
      if (o.layout.row_strides[k] * o.element_bytes % 16) return false;
    return true;
  }

  call_facts const& facts_;
  Description const& d_;
  dim_values lengths_;
  traffic_counter<Description> counter_;
  explanation result_;
};

}  // namespace detail
}  // namespace tenon
