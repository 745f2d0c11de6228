// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call's shapes and strides → the layout that a kernel walks: views become strides, neighbouring axes become one.

#include "tenon/backend/arguments.hpp"
#include "tenon/core/config.hpp"
#include "tenon/program/facts.hpp"
#include "tenon/runtime/bound_views.hpp"
#include "tenon/runtime/spaced_operand.hpp"
#include "tenon/runtime/stored_part.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

using axis_order = static_vector<int, max_axes>;

// Cold, because it runs once for each plan: compiled for size it takes 0.3 s less of g++ -O3 for each translation unit.
class binder : bound_views {
 public:
  // @pre outputs[k] has the shape of the expression's output k
  [[gnu::cold]] binder(description const& d, array_view<argument const> inputs, array_view<argument const> outputs, expression_name const& name)
      : bound_views(d, inputs, name), outputs_(outputs) {
    for (load const& l : d_.space.loads) loads_.push_back(spaced_load(l));
    for (store const& s : d_.space.stores) {
      bool const is_window = s.offset >= 0;
      tenon::layout const whole = is_window ? outputs_[static_cast<std::size_t>(s.output)].layout : target_of(s.output);
      targets_.push_back(spaced(whole, s.along, s.output));
      parts_.push_back(stored_part::of(s, d_.space, lengths_, whole));
      targets_[targets_.size() - 1].offset += parts_[parts_.size() - 1].offset();
      stores_.push_back(is_window ? whole_output(s.output) : targets_[targets_.size() - 1]);
    }
    for (spaced_operand& o : loads_) reverse(o);
    for (spaced_operand& o : stores_) reverse(o);
  }

  [[gnu::cold]] bound_layout layout(program_facts const& program) const {
    bound_layout result(program.load_count, program.store_count, program.size_count);
    set_group(row_axes(), result.rows, result, &operand_layout::row_strides);
    set_group(ordered_axes(d_.plan.columns), result.columns, result, &operand_layout::column_strides);
    if (d_.plan.planes) {
      result.planes = positions_along(d_.plan.planes);
      result.rows_per_plane = positions_along(d_.plan.rows & ~d_.plan.planes);
      if (result.rows_per_plane == 0) result.rows_per_plane = 1;
    }
    for (int k = 0; k < program.load_count; ++k) {
      result.loads[k].place_step = loads_[k].place_step;
      result.loads[k].is_nowhere = loads_[k].what == reading::gathered && loads_[k].first == loads_[k].beyond;
    }
    for (int k = 0; k < program.size_count; ++k)
      result.sizes[k] = number_word(program.size_types[k], static_cast<double>(value_of(d_.space.sizes[k])));
    return result;
  }

  operand_range range_of_load(int k) const { return range_of(loads_[k], inputs_); }
  operand_range range_of_store(int k) const { return range_of(stores_[k], outputs_); }
  int scalar_input(int k) const { return d_.space.scalars[k]; }

  // Whether store i may overwrite what load j reads: each element must be read where it is written, and nowhere else, since
  // some rows are done before others begin.
  [[gnu::cold]] bool may_alias(int i, int j, place_set reached) const {
    spaced_operand const& written = stores_[i];
    spaced_operand const& read = loads_[j];
    if (written.is_whole) return false;
    if (read.what != reading::element) return false;
    unsigned const used = axes_of(reached, d_.plan);
    for (int axis = 0; axis < d_.space.axes.size(); ++axis) {
      if (lengths_[d_.space.axes[axis]] == 1) continue;
      bool const is_repeated = written.strides[axis] == 0 && (used >> axis & 1u);
      if (read.strides[axis] != written.strides[axis] || is_repeated) return false;
    }
    bool const is_there = read.offset == written.offset || parts_[i].has_other_at(read.offset - written.offset);
    return is_there && size_of(inputs_[static_cast<std::size_t>(read.argument)].type) ==
                           size_of(outputs_[static_cast<std::size_t>(written.argument)].type);
  }

 private:
  // An output may be presented in another shape than it is computed in.
  [[gnu::cold]] tenon::layout target_of(int output) const {
    graph_output const& o = d_.final.outputs[output];
    tenon::layout const& given = outputs_[static_cast<std::size_t>(output)].layout;
    axis_list extents = lengths_(d_.final[o.id].dims);
    maybe<tenon::layout> result = reshaped(given, extents);
    if (!result) refuse_reshape(-1, given, extents);
    return o.dims == d_.final[o.id].dims ? given : *result;
  }

  [[gnu::cold]] spaced_operand spaced(tenon::layout const& l, coordinates const& along, int argument) const {
    spaced_operand result{.offset = l.offset, .argument = argument};
    for (int k = 0; k < l.rank; ++k)
      if (along[k] != no_axis) result.strides[along[k]] += l.strides[k];
    return result;
  }

  [[gnu::cold]] spaced_operand spaced_load(load const& l) const {
    if (l.view == no_view) {
      spaced_operand positions{.what = reading::position};
      for (int k = 0; k < l.along.size(); ++k)
        if (l.along[k] != no_axis)
          positions.strides[l.along[k]] += l.output < 0 ? 1 : outputs_[static_cast<std::size_t>(l.output)].layout.strides[k];
      return positions;
    }
    tenon::layout const view = view_of(l.view);
    spaced_operand result = spaced(view, l.along, input_under(l.view));
    result.what = l.what;
    if (l.what != reading::address && l.what != reading::gathered) return result;
    std::int64_t const bytes = size_of(d_.final[l.view].type);
    result.first = result.beyond = result.offset * bytes;
    if (l.what == reading::address) {
      for (std::int64_t& stride : result.strides) stride *= bytes;
      result.offset *= bytes;
    }
    for (int k = 0; k < view.rank; ++k)
      if (l.along[k] == no_axis && view.extents[k] > 1) result.place_step |= view.strides[k];
    for (int k = 0; k < view.rank; ++k) {
      if (view.extents[k] == 0) return result;
      (view.strides[k] < 0 ? result.first : result.beyond) += (view.extents[k] - 1) * view.strides[k] * bytes;
    }
    result.beyond += bytes;
    return result;
  }

  [[gnu::cold]] operand_range range_of(spaced_operand const& o, array_view<argument const> arrays) const {
    if (o.what == reading::position) return {-1, o.offset, 0, 0};
    argument const& array = arrays[static_cast<std::size_t>(o.argument)];
    bool const is_empty = tenon::size(array.layout) == 0;
    std::int64_t bytes = size_of(array.type), low = o.offset, high = o.offset;
    if (o.what == reading::address || o.what == reading::gathered)
      return {o.argument, o.offset * (o.what == reading::address ? 1 : bytes), is_empty ? 0 : o.first, is_empty ? 0 : o.beyond};
    if (is_empty) return {o.argument, o.offset * bytes, 0, 0};
    if (o.is_whole)
      for (int k = 0; k < array.layout.rank; ++k)
        (array.layout.strides[k] < 0 ? low : high) += (array.layout.extents[k] - 1) * array.layout.strides[k];
    for (int axis = 0; axis < d_.space.axes.size(); ++axis) {
      std::int64_t length = lengths_[d_.space.axes[axis]];
      if (length == 0 && o.strides[axis] != 0) return {o.argument, o.offset * bytes, 0, 0};
      (o.strides[axis] < 0 ? low : high) += length == 0 ? 0 : (length - 1) * o.strides[axis];
    }
    return {o.argument, o.offset * bytes, low * bytes, (high + 1) * bytes};
  }

  [[gnu::cold]] std::int64_t value_of(quantity const& q) const {
    if (q.what >= quantity::kind::window_start) return value_of_window(q);
    if (q.what == quantity::kind::extent) return view_of(q.of).extents[q.axis];
    if (q.what == quantity::kind::stride)
      return view_of(q.of).strides[q.axis] * (input_under(q.of) < 0 ? 1 : size_of(d_.final[q.of].type));
    std::int64_t result = 1;
    for (long long d : d_.final.attributes[q.of]) result *= lengths_[static_cast<dim>(d)];
    return result;
  }

  [[gnu::cold]] std::int64_t value_of_window(quantity const& q) const {
    tenon::layout const& given = outputs_[static_cast<std::size_t>(q.of)].layout;
    if (q.what == quantity::kind::window_extent) return given.extents[q.axis];
    if (q.what == quantity::kind::window_stride) return given.strides[q.axis];
    graph_output const& o = d_.final.outputs[q.of];
    attribute const& numbers = d_.final.attributes[o.window];
    return detail::resolve_range(lengths_[d_.final[o.id].dims[q.axis]], numbers[3 * q.axis],
                                 numbers[3 * q.axis + 1], numbers[3 * q.axis + 2])
        .start;
  }

  // The output of a store that finds its place itself.
  [[gnu::cold]] spaced_operand whole_output(int output) const {
    tenon::layout const& given = outputs_[static_cast<std::size_t>(output)].layout;
    return {.offset = given.offset, .argument = output, .is_whole = true};
  }

  // Axes that are walked from their end begin there.
  [[gnu::cold]] void reverse(spaced_operand& o) const {
    for (int axis = 0; axis < d_.space.axes.size(); ++axis) {
      if (!(d_.space.reversed >> axis & 1u)) continue;
      std::int64_t const length = lengths_[d_.space.axes[axis]];
      if (length > 0) o.offset += (length - 1) * o.strides[axis];
      o.strides[axis] = -o.strides[axis];
    }
  }

  // Axes of the group from the largest stride to the smallest, by the operand that varies over most of them.
  [[gnu::cold]] axis_order ordered_axes(unsigned group) const {
    axis_order axes;
    for (int axis = 0; axis < d_.space.axes.size(); ++axis)
      if ((group >> axis & 1u) && lengths_[d_.space.axes[axis]] != 1) axes.push_back(axis);
    spaced_operand const* widest = nullptr;
    int most = -1;
    for (constexpr_vector<spaced_operand> const* operands : {&targets_, &loads_})
      for (spaced_operand const& o : *operands) {
        int varying = 0;
        for (int axis : axes) varying += o.strides[axis] != 0;
        if (varying > most) most = varying, widest = &o;
      }
    // By insertion, which keeps the order of equal strides.
    auto stride = [&](int axis) { return widest->strides[axis] < 0 ? -widest->strides[axis] : widest->strides[axis]; };
    for (int i = 1; i < axes.size(); ++i)
      for (int k = i; k > 0 && stride(axes[k - 1]) < stride(axes[k]); --k) std::swap(axes[k - 1], axes[k]);
    return axes;
  }

  // The rows of a plane are neighbours.
  [[gnu::cold]] axis_order row_axes() const {
    if (!d_.plan.planes) return ordered_axes(d_.plan.rows);
    axis_order result = ordered_axes(d_.plan.planes);
    for (int axis : ordered_axes(d_.plan.rows & ~d_.plan.planes)) result.push_back(axis);
    return result;
  }
  std::int64_t positions_along(unsigned axes) const {
    std::int64_t result = 1;
    for (int axis = 0; axis < d_.space.axes.size(); ++axis)
      if (axes >> axis & 1u) result *= lengths_[d_.space.axes[axis]];
    return result;
  }

  // @post loads[k] and stores[k] have the strides of loads_[k] and stores_[k] along the merged axes
  [[gnu::cold]] void set_group(axis_order const& axes, group_layout& result, bound_layout& operands,
                               long long (operand_layout::*strides)[max_rank]) const {
    for (int axis : axes) {
      std::int64_t length = lengths_[d_.space.axes[axis]];
      result.size *= length;
      // Without rows there are planes all the same, which are found by the rows' extents.
      if (length == 0 && d_.plan.planes && !(d_.plan.planes >> axis & 1u)) length = 1;
      bool merges = result.dims > 0;
      each_operand(operands, [&](operand_layout& to, spaced_operand const& o) {
        if (result.dims > 0) merges = merges && (to.*strides)[result.dims - 1] == o.strides[axis] * length;
      });
      if (!merges && result.dims == max_rank) refuse_rank();
      int at = merges ? result.dims - 1 : result.dims++;
      result.extents[at] = merges ? result.extents[at] * length : length;
      each_operand(operands, [&](operand_layout& to, spaced_operand const& o) { (to.*strides)[at] = o.strides[axis]; });
    }
  }
  template <class Visit>
  void each_operand(bound_layout& operands, Visit const& visit) const {
    for (int k = 0; k < loads_.size(); ++k) visit(operands.loads[k], loads_[k]);
    for (int k = 0; k < stores_.size(); ++k) visit(operands.stores[k], stores_[k]);
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_rank() const {
    raise({.operation = "call",
           .problem = text("the operands' strides leave more than ") << max_rank << " axes",
           .remedy = "make the operands contiguous"},
          name_);
  }

  array_view<argument const> outputs_;
  constexpr_vector<spaced_operand> loads_, stores_;
  // As the stores, with the strides of the results also where a store finds its place itself.
  constexpr_vector<spaced_operand> targets_;
  constexpr_vector<stored_part> parts_;  // of each store
};

}  // namespace tenon::detail
TENON_ONCE_END
