// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton of scatter: the updates are sorted by their targets, then each position of the
// result takes in its own, in their order.

#include "tenon/backend/cpu/buffer.hpp"
#include "tenon/backend/cpu/rows.hpp"
#include "tenon/program/updates.hpp"

namespace tenon::cpu_backend {

// The updates of each target one after the other, by counting: those of target t are
// order[starts[t]] to order[starts[t + 1]].
struct sorted_updates {
  buffer<long long> starts, order;

  // @pre targets are below `count`; a negative one names no position
  void sort(buffer<long long> const& targets, long long count) {
    starts.assign(count + 1, 0);
    for (long long target : targets)
      if (target >= 0) ++starts[target + 1];
    for (long long t = 0; t < count; ++t) starts[t + 1] += starts[t];
    order.resize(starts[count]);
    buffer<long long> next = starts;
    for (long long update = 0; update < targets.size(); ++update)
      if (targets[update] >= 0) order[next[targets[update]]++] = update;
  }
};

// The axis of the result that targets are positions of, among the merged axes of the rows.
struct target_axis {
  int dim = -1;  // -1: its length is 1
  long long length = 1, others = 1;
  long long first = 0, step = 1;  // the targets that its positions stand for

  template <class Program> static target_axis of(call<Program> const& c) {
    using position =
        typename program_traits<Program>::template at<tenon::detail::gate<Program>::position>;
    bound_layout const& layout = c.layout;
    target_axis result;
    result.first = c.template position<position>(coordinate{});
    for (int d = 0; d < layout.rows.dims; ++d)
      if (long long const stride = layout.loads[position::bits].row_strides[d])
        result.dim = d, result.step = stride, result.length = layout.rows.extents[d];
    result.others = result.length == 0 ? 0 : layout.rows.size / result.length;
    return result;
  }
  // The position that stands for a target; -1: none does.
  long long position_of(long long target) const {
    long long const further = target - first, position = further / step;
    return further % step == 0 && position >= 0 && position < length ? position : -1;
  }
  // The coordinates of position `target` along the axis, and `other` along the others.
  void locate(group_layout const& rows, long long target, long long other,
              coordinate& where) const {
    where.at[0] = 0;
    for (int d = rows.dims - 1; d >= 0; --d) {
      where.at[d] = d == dim ? target : other % rows.extents[d];
      if (d != dim) other /= rows.extents[d];
    }
  }
};

// @post every store is written; a result's bits are a function of its own updates and their order
struct scattered {
  template <class Program> static void run(call<Program> const& c) {
    row_state<Program> const state = initial_state(c);
    target_axis const axis = target_axis::of(c);
    if constexpr (tenon::detail::target_varies_over_rows<Program>) {
      parallel_for(axis.others, [&](long long other) {
        row_state<Program> mine = state;
        sorted_updates const updates = sorted(c, mine, axis, other);
        for (long long target = 0; target < axis.length; ++target)
          run_row(c, mine, axis, updates, target, other);
      });
    } else {
      if (axis.others == 0 || axis.length == 0) return;
      row_state<Program> first = state;
      sorted_updates const updates = sorted(c, first, axis, 0);
      parallel_for(axis.length, [&](long long target) {
        row_state<Program> mine = state;
        for (long long other = 0; other < axis.others; ++other)
          run_row(c, mine, axis, updates, target, other);
      });
    }
  }

 private:
  template <update_part Part, class Program>
  static void evaluate_at(call<Program> const& c, row_state<Program>& state,
                          registers<Program, place::element>& element, coordinate const& column) {
    frame<Program> const f{state.launch, state.row, element, state.total};
    evaluate_update<Part>(f, [&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      long long const further =
          I::where == place::element
              ? offset_of(c.layout.columns, column, c.layout.loads[I::bits].column_strides)
              : 0;
      if constexpr (I::is_position)
        return c.template position<I>(state.where) + further;
      else
        return static_cast<typename I::value_type>(c.template address<I>(state.where)[further]);
    });
  }

  template <class Program>
  static sorted_updates sorted(call<Program> const& c, row_state<Program>& state,
                               target_axis const& axis, long long other) {
    buffer<long long> targets(c.layout.columns.size);
    axis.locate(c.layout.rows, 0, other, state.where);
    registers<Program, place::element> element{};
    for (long long update = 0; update < c.layout.columns.size; ++update) {
      coordinate column{};
      locate(c.layout.columns, update, column);
      evaluate_at<update_part::target>(c, state, element, column);
      frame<Program> const f{state.launch, state.row, element, state.total};
      targets[update] = axis.position_of(value_of<tenon::detail::gate<Program>::target>(f));
    }
    sorted_updates result;
    result.sort(targets, axis.length);
    return result;
  }

  template <class Program>
  static void run_row(call<Program> const& c, row_state<Program>& state, target_axis const& axis,
                      sorted_updates const& updates, long long target, long long other) {
    using states = reduction_states<Program, place::row, 1>;
    axis.locate(c.layout.rows, target, other, state.where);
    load_values<place::row>(c, state);
    evaluate<place::row, 0, 0>(state.values());
    states identity;
    set_identity(identity);
    pairwise<states, combine_states> taken{combine_states{}};
    registers<Program, place::element> element{};
    for (long long k = updates.starts[target]; k < updates.starts[target + 1]; ++k) {
      coordinate column{};
      locate(c.layout.columns, updates.order[k], column);
      evaluate_at<update_part::value>(c, state, element, column);
      states update = identity;
      accumulate(frame<Program>{state.launch, state.row, element, state.total}, update);
      taken.push(update);
    }
    finish(taken.result(identity), state.row);
    evaluate<place::row, 1, max_nodes>(state.values());
    store_values<place::row>(c, state);
  }
};

}  // namespace tenon::cpu_backend
