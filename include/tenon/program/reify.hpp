// SPDX-License-Identifier: Apache-2.0
#pragma once
// graph + schedule → program<...>: the last step of the way from values back to a type.

#include "tenon/capture/trace.hpp"
#include "tenon/program/flat_description.hpp"
#include "tenon/program/instruction.hpp"
#include "tenon/program/lower.hpp"
#include "tenon/schedule/alike_loads.hpp"
#include "tenon/schedule/late_loads.hpp"
#include "tenon/schedule/neighbours.hpp"
#include "tenon/schedule/row_slices.hpp"
#include "tenon/schedule/select.hpp"
#include "tenon/schedule/stencil_planes.hpp"
#include "tenon/schedule/stencils.hpp"
#include "tenon/schedule/stepped_positions.hpp"

namespace tenon {
namespace detail {

struct flat_instruction {
  op_info const* op = nullptr;
  unsigned meta = 0;
  int operand_count = 0;
  int operands[max_operands] = {};
  long long bits = 0;
};

// The program as one plain constant of exactly the members that its type needs.
template <class Capacities> struct flat_program {
  static constexpr int capacity = Capacities::nodes;
  flat_instruction items[capacity] = {};
  int size = 0;
  int argument_count = 0;
  int output_count = 0;
  refusal refused = refusal::none;
  family const* chosen = nullptr;

  constexpr void add(flat_instruction const& i) {
    if (size < capacity) items[size] = i;
    ++size;
  }
  constexpr bool is_complete() const { return size <= capacity && about.is_complete; }

  flat_description<Capacities> about = {};
};

// What store `st` is to write. A store rounds to a half type or float8 itself, so that a cast to it
// would round twice, to the same.
constexpr int value_stored(graph const& g, iteration_space const& space, store const& st) {
  instruction const& i = space.instructions[st.value];
  if (i.op != op_id<ops::cast> || !is_narrow(i.type) || g.outputs[st.output].type != i.type)
    return st.value;
  return space.instructions[i.operands[0]].type == dtype::f32 ? i.operands[0] : st.value;
}

constexpr int innermost_of_results(iteration_space const& space) {
  return last_axis(space.stores[0].along);
}

// Whether a load reads its input from the end of an axis of the space to its beginning because the
// expression says so, as flip does: by slices whose steps come to -1.
constexpr bool is_reversed(graph const& g, load const& from, int along) {
  for (int axis = 0; axis < from.along.size(); ++axis) {
    if (along == no_axis || from.along[axis] != along) continue;
    long long step = 1;
    int view = from.view, of_view = axis;
    for (; g[view].is<ops::slice>() || g[view].is<ops::transpose>(); view = g[view].operands[0]) {
      attribute const numbers = g.attributes_of(g[view]);
      if (g[view].is<ops::slice>()) {
        step *= numbers[3 * of_view + 2];
        continue;
      }
      int const seen = of_view;
      for (int k = 0; k < numbers.size(); ++k)
        if (numbers[k] == seen) of_view = k;
    }
    return step == -1 && g[view].is<ops::input>();
  }
  return false;
}

// @pre select(space) is s and refused nothing
template <class Capacities>
constexpr void flatten(graph const& g, iteration_space const& space, schedule const& s,
                       flat_program<Capacities>& result) {
  result.about = flat_description<Capacities>(g, space, s);
  constexpr_vector<long long> const bits = half_finder(g, space).find(s.places);
  bool const is_pointwise = s.chosen == &schedules::pointwise, is_scan = s.chosen == &schedules::scan,
             is_transposed = s.chosen == &schedules::transposed;
  bool has_vectors = is_pointwise;
  for (place const where : s.store_places)
    has_vectors = has_vectors || (s.chosen == &schedules::rows && where == place::element);
  row_slice_finder const slices(g, space, s);
  alike_finder const alike(g, space);
  late_load_finder const late(space, s);
  stencil_finder const stencil(g, space, s);
  stencil_plane_finder const planes(g, space, stencil);
  for (int k = 0; k < space.instructions.size(); ++k) {
    instruction const& i = space.instructions[k];
    flat_instruction item;
    item.op = i.op;
    item.meta = meta{i.type, s.places[k], s.phases[k], (i.axes & s.rows) != 0}.packed();
    for (int operand : i.operands) item.operands[item.operand_count++] = operand;
    item.bits = bits[k];
    bool const is_element = i.op == op_id<ops::load> && s.places[k] == place::element;
    if (is_element && has_vectors && (i.axes & s.columns) != s.columns) {
      int const innermost = innermost_of_results(space);
      bool const varies = is_pointwise && innermost != no_axis && (i.axes >> innermost & 1) != 0;
      item.bits |= repeats_in_columns | (varies ? 0 : repeats_in_vectors);
    }
    bool const is_of_row = i.op == op_id<ops::load> && s.places[k] == place::row;
    if ((is_element || is_of_row) && s.row_phases > 0 && (i.axes & s.rows) &&
        (i.axes & s.rows) != s.rows)
      item.bits |= repeats_in_rows;
    if (is_element && late.is_late(k)) item.bits |= comes_late;
    if (is_element && is_scan && (space.reversed & s.columns)) item.bits |= reverses_columns;
    if (is_element && (is_pointwise || is_transposed)) {
      load const& from = space.loads[static_cast<int>(i.bits)];
      bool const is_across = is_transposed && is_reversed(g, from, last_axis(from.along));
      if (is_across || is_reversed(g, from, innermost_of_results(space)))
        item.bits |= reverses_columns;
    }
    if (is_element && is_pointwise) {
      int const number = static_cast<int>(i.bits);
      stencil_place const of_stencil = stencil.of_load(number);
      item.bits |= of_stencil.group > 0 ? of_stencil.packed()
                                        : neighbour_finder(g, space).of_load(number).packed();
      item.bits |= planes.of_load(number).packed();
      item.bits |= alike_loads::packed(alike.of_load(number));
    }
    if (is_element && s.chosen == &schedules::rows)
      item.bits |= neighbour_finder(g, space).of_load(static_cast<int>(i.bits)).packed();
    if (is_element) item.bits |= slices.of_load(static_cast<int>(i.bits)).packed();
    if (is_pointwise && i.op == op_id<ops::index> && s.places[k] == place::element)
      item.bits |= stepped_position_of(g, space.loads[static_cast<int>(i.bits)],
                                       innermost_of_results(space))
                       .packed();
    result.add(item);
  }
  for (int k = 0; k < space.stores.size(); ++k) {
    store const& st = space.stores[k];
    flat_instruction item;
    item.op = op_id<ops::store>;
    item.meta =
        meta{g.outputs[st.output].type, s.store_places[k], s.phases[st.value], true}.packed();
    item.operands[item.operand_count++] = value_stored(g, space, st);
    if (st.offset >= 0) item.operands[item.operand_count++] = st.offset;
    item.bits = k | many_axes::packed(space.axes.size());
    if (is_pointwise && s.store_places[k] == place::element)
      item.bits |= neighbour_finder(g, space).of_store(k).packed();
    result.add(item);
  }
}

template <class Capacities> constexpr flat_program<Capacities> flatten(graph const& traced) {
  lowered_graph const lowered = lower(traced);
  flat_program<Capacities> result;
  result.argument_count = lowered.final.inputs.size();
  result.output_count = lowered.final.outputs.size();
  result.refused = lowered.refused;
  if (result.refused != refusal::none) return result;
  result.chosen = lowered.plan.chosen;
  flatten(lowered.final, lowered.space, lowered.plan, result);
  return result;
}

// A member, because nvcc 13.0 crashes on a variable template of this type that is named outside a
// template.
template <class Capacities, class Function, class... Arguments> struct lowered_with {
  static constexpr auto flat = flatten<Capacities>(trace<Function, Arguments...>());
  // All of it that a call reads while the program runs, so that the rest is not emitted.
  static constexpr auto about = flat.about;
};

// Tracing is cheap beside the passes, so a long expression should not go through them twice.
template <class Function, class... Arguments> consteval bool is_likely_common() {
  return trace<Function, Arguments...>().size() <= 2 * common_capacities::nodes;
}

// A function of Function and argument types, known as a constant: what reify and the reports of
// compile time read.
template <class Function, class... Arguments> struct lowered {
  using likely = std::conditional_t<is_likely_common<Function, Arguments...>(), common_capacities,
                                    largest_capacities>;
  using capacities =
      std::conditional_t<lowered_with<likely, Function, Arguments...>::flat.is_complete(), likely,
                         largest_capacities>;
  using chosen = lowered_with<capacities, Function, Arguments...>;
  static constexpr auto const& flat = chosen::flat;
};

template <class Lowered> struct flat_items {
  struct list {
    flat_instruction at[Lowered::flat.size + 1];
  };
  static consteval list compute() {
    list result;
    for (int k = 0; k < Lowered::flat.size; ++k) result.at[k] = Lowered::flat.items[k];
    return result;
  }
  static constexpr list all = compute();
};
template <class Lowered, int I> struct flat_item {
  static constexpr flat_instruction value = flat_items<Lowered>::all.at[I];
};
template <class Lowered, int I, int... J> auto reify_instruction(std::integer_sequence<int, J...>) {
  using item = flat_item<Lowered, I>;
  return ins<op_of<item::value.op>, item::value.meta, item::value.bits,
             item::value.operands[J]...>{};
}
template <class Lowered, int... I> auto reify_all(std::integer_sequence<int, I...>) {
  return program<decltype(reify_instruction<Lowered, I>(
      std::make_integer_sequence<int, flat_items<Lowered>::all.at[I].operand_count>{}))...>{};
}

}  // namespace detail

// @pre the expression was not refused. The program is obtained by deduction: spelled through a
// member alias it would drag the lambda's closure type into the kernel's stub, which nvcc 13.0
// refuses.
template <class Function, class... Arguments> auto to_program() {
  using source = detail::lowered<Function, Arguments...>;
  return detail::reify_all<source>(std::make_integer_sequence<int, source::flat.size>{});
}

}  // namespace tenon
