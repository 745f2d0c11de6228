// SPDX-License-Identifier: Apache-2.0
#pragma once
// graph → instructions over one iteration space: axes instead of shapes, loads instead of views.
// Every axis of an output, and every reduced axis, becomes an axis of the space; two of them are
// the same axis when their lengths are the same dim, and, where an operand has several of a length,
// when they are the same axis of it. Transposes and broadcasts disappear: they say
// which axis an operand's axis is. A reduction over more axes than another one is nested where it
// can be: sum over rows of a sum over columns.

#include "tenon/ir/build.hpp"
#include "tenon/ops/scan.hpp"
#include "tenon/ops/search.hpp"
#include "tenon/schedule/early_sums.hpp"
#include "tenon/schedule/innermost_axes.hpp"
#include "tenon/schedule/space_windows.hpp"
#include "tenon/schedule/square_axes.hpp"

namespace tenon {

namespace detail {

class space_builder : space_windows {
 public:
  constexpr space_builder(graph const& g, square_axes const& squares) : g_(g), squares_(squares) {}

  constexpr iteration_space build() {
    constexpr_vector<int> wanted;
    for (int k = 0; k < g_.outputs.size(); ++k)
      for (output_part const& part : parts_of(k)) {
        space_.stores.push_back({.output = k, .axis = part.axis, .position = part.position});
        wanted.push_back(want(part.id, choose(g_[part.id].dims, {}, squares_.of(part.id))));
      }
    for (int i = 0; i < demands_.size(); ++i) ask(i);
    innermost_ = innermost_axes{g_, demands_, space_.axes.size()}.smallest_reduction();
    emit_all();
    for (int k = 0; k < wanted.size(); ++k) fill_store(space_.stores[k], demands_[wanted[k]], value(wanted[k]));
    space_.refused = space_.axes.size() > max_axes ? refusal::too_many_axes
                     : g_.refused != refusal::none ? g_.refused
                                                   : refused_;
    return std::move(space_);
  }

 private:
  constexpr dim length(dim d) const { return g_.dims.representative(d); }

  // An iteration axis for each of `dims`: that of the same axis of a square, an existing one of that
  // length that is not one of `along`, else a new one.
  constexpr coordinates choose(dim_list const& dims, coordinates const& along,
                               coordinates const& of_square) {
    unsigned used = 0;
    for (int axis : along)
      if (axis != no_axis) used |= 1u << axis;
    coordinates result;
    for (int k = 0; k < dims.size(); ++k) {
      dim const d = dims[k];
      int found = no_axis;
      if (length(d) != unit_dim) {
        int const wanted = of_square[k], known = wanted == no_axis ? no_axis : of_squares_[wanted];
        bool const is_first = wanted != no_axis && known == no_axis;
        unsigned const taken = is_first ? used | taken_by_squares_ : used;
        if (known != no_axis && !(used >> known & 1u)) found = known;
        for (int axis = 0; axis < space_.axes.size() && found == no_axis; ++axis)
          if (space_.axes[axis] == length(d) && !(taken >> axis & 1u)) found = axis;
        if (found == no_axis) {
          if (space_.axes.size() <= max_axes)
            space_.axes.push_back(length(d));  // one too many is refused
          found = space_.axes.size() - 1;
        }
        used |= 1u << found;
        if (is_first) of_squares_[wanted] = found, taken_by_squares_ |= 1u << found;
      }
      result.push_back(found);
    }
    return result;
  }

  constexpr int want(int id, coordinates const& along) {
    for (int i = heads_[id]; i >= 0; i = next_[i])
      if (demands_[i].along == along) return i;
    demands_.push_back({id, along});
    next_.push_back(heads_[id]);
    return heads_[id] = demands_.size() - 1;
  }

  constexpr int want_operand(int id, coordinates const& along) {
    return want(id, g_[id].rank() == 0 ? coordinates{} : along);
  }

  constexpr void ask(int i) {
    demand d = demands_[i];
    node const& n = g_[d.id];
    if (is_view_node(n) || n.is(op_kind::source)) return;
    if (n.is<ops::take>()) {
      for (int k = 1; k < n.operands.size(); ++k)
        d.sources.push_back(want_operand(n.operands[k], d.along));
    } else if (n.is(op_kind::movement)) {
      d.sources.push_back(want(n.operands[0], relabelled(n, d.along)));
    } else if (n.is(op_kind::reduction)) {
      coordinates along = reduction_coordinates(n, d);
      for (int operand : n.operands) d.sources.push_back(want(operand, along));
    } else {
      for (int operand : n.operands) d.sources.push_back(want_operand(operand, d.along));
    }
    demands_[i] = d;
  }

  constexpr coordinates relabelled(node const& n, coordinates const& along) const {
    attribute const& map = g_.attributes_of(n);
    coordinates result;
    for (int k = 0; k < map.size(); ++k)
      result.push_back(
          length(g_.operand(n, 0).dims[k]) == unit_dim ? no_axis : along[static_cast<int>(map[k])]);
    return result;
  }

  constexpr coordinates reduction_coordinates(node const& n, demand& d) {
    node const& operand = g_.operand(n, 0);
    dim_list reduced;
    coordinates of_square;
    for (int axis = 0; axis < operand.rank(); ++axis)
      if (n.axes >> axis & 1u) {
        reduced.push_back(operand.dims[axis]);
        of_square.push_back(squares_.of(n.operands[0])[axis]);
      }
    coordinates fresh = choose(reduced, d.along, of_square), result;
    for (int axis : fresh)
      if (axis != no_axis) d.reduced |= 1u << axis;
    for (int axis = 0, kept = 0, gone = 0; axis < operand.rank(); ++axis)
      result.push_back(n.axes >> axis & 1u ? fresh[gone++] : d.along[kept++]);
    return result;
  }

  constexpr void emit_all() {
    // Operands have smaller ids, so ascending ids are a dependence order.
    for (int id = 0; id < g_.size(); ++id)
      for (int i = heads_[id]; i >= 0; i = next_[i]) demands_[i].result = emit(demands_[i]);
  }

  constexpr int emit(demand const& d) {
    node const& n = g_[d.id];
    if (is_view_node(n))
      return emit_load(d.id, d.along, is_of_index(d.id) ? reading::position : reading::element);
    if (n.is<ops::take>()) return emit_take(n, d);
    if (n.is(op_kind::movement)) return demands_[d.sources[0]].result;
    if (n.op->is_search) return emit_search(n, d);
    instruction result{n.op, n.type, {}, 0, d.reduced, n.bits};
    for (int source : d.sources) {
      int const operand = value(source);
      result.operands.push_back(operand);
      result.axes |= space_.instructions[operand].axes;
    }
    if (n.is(op_kind::reduction)) return emit_reduction(result);
    if (n.is(op_kind::scan)) return emit_scan(result, n, d.along);
    if (n.is<ops::scalar>()) result.bits = position(space_.scalars, static_cast<int>(n.bits));
    if (n.is<ops::size>())
      result.bits = position(space_.sizes, quantity{quantity::kind::count, n.attributes, -1, n.type});
    return add(result);
  }

  constexpr int emit_reduction(instruction wanted) {
    bool is_nested = innermost_ && wanted.op->merges_with_itself && wanted.reduced != innermost_ &&
                     (wanted.reduced & innermost_) == innermost_;
    if (is_nested) {
      instruction inner = wanted;
      inner.reduced = innermost_;
      inner.axes &= ~innermost_;
      wanted.axes = inner.axes;
      wanted.reduced &= ~innermost_;
      wanted.operands = {{add(inner)}, 1};
    }
    wanted.axes &= ~wanted.reduced;
    return add(wanted);
  }

  constexpr int emit_scan(instruction result, node const& n, coordinates const& along) {
    for (int k = 0; k < along.size(); ++k)
      if ((n.axes >> k & 1u) && along[k] != no_axis) result.reduced = 1u << along[k];
    if (result.reduced == 0 && !n.op->is_sort)
      return add_of(n.op->of_one[n.bits & ops::scan_excludes], n.type, result.operands);
    result.axes |= result.reduced;
    (n.bits & ops::scan_reverses ? space_.reversed : forward_) |= result.reduced;
    if (space_.reversed & forward_) refused_ = refusal::scans_along_two_axes;
    result.bits = n.bits & ~ops::scan_reverses;
    return add(result);
  }

  constexpr bool is_of_index(int view) const {
    while (g_[view].is(op_kind::movement)) view = g_[view].operands[0];
    return g_[view].is<ops::index>();
  }

  constexpr int emit_load(int view, coordinates const& along, reading what, unsigned axes = 0) {
    op_info const* const ops[] = {op_id<ops::load>, op_id<ops::address>, op_id<ops::index>};
    dtype const type = what == reading::element ? g_[view].type : dtype::i64;
    int const number = position(space_.loads, load{view, along, what, -1, what == reading::address ? axes : 0});
    instruction result{ops[static_cast<int>(what)], type, {}, axes, 0, number};
    for (int axis : along)
      if (axis != no_axis) result.axes |= 1u << axis;
    return add(result);
  }

  // The address of the view's element along the axes that no index names moves by each index.
  constexpr int emit_take(node const& n, demand const& d) {
    int const view = n.operands[0];
    bool const is_position = is_of_index(view);
    attribute const& map = g_.attributes_of(n);
    coordinates along;
    for (int k = 0; k < map.size(); ++k) {
      bool const is_one = map[k] < 0 || length(g_[view].dims[k]) == unit_dim;
      along.push_back(is_one ? no_axis : d.along[static_cast<int>(map[k])]);
    }
    if (n.operands.size() == 1)
      return emit_load(view, along, is_position ? reading::position : reading::element);
    // At the place of the indices, so that there is no address where there is no index.
    unsigned axes = 0;
    for (int source : d.sources) axes |= space_.instructions[value(source)].axes;
    int at = emit_load(view, along, is_position ? reading::position : reading::address, axes);
    for (int k = 0; k < map.size(); ++k) {
      if (map[k] >= 0) continue;
      int const number = static_cast<int>(-1 - map[k]);
      bool const is_checked = n.axes >> number & 1u;
      op_info const* const op =
          is_position ? (is_checked ? op_id<ops::advance_position_checked> : op_id<ops::advance_position>)
                      : (is_checked ? op_id<ops::advance_checked> : op_id<ops::advance>);
      at = add_of(
          op, dtype::i64,
          {{at, value(d.sources[number]), add_quantity({quantity::kind::stride, view, k}),
            add_quantity({quantity::kind::extent, view, k})},
           4});
    }
    return at;
  }
  // What a demand came to; of a take that is an address, from which the element is fetched.
  constexpr int value(int demanded) {
    int const at = demands_[demanded].result;
    op_info const* const op = space_.instructions[at].op;
    bool const is_address = op == op_id<ops::advance> || op == op_id<ops::advance_checked>;
    return is_address ? add_of(op_id<ops::fetch>, g_[demands_[demanded].id].type, {{at}, 1}) : at;
  }
  // From the address of the first element on, with the stride and extent of the axis that leads there.
  constexpr int emit_search(node const& n, demand const& d) {
    int const first = demands_[d.sources[0]].result;
    int at = first;
    while (space_.instructions[space_.instructions[at].operands[1]].op != op_id<ops::search_start>)
      at = space_.instructions[at].operands[0];
    auto const along = space_.instructions[at].operands;
    return add_of(n.op, n.type, {{first, value(d.sources[1]), along[2], along[3]}, 4});
  }
  // Of an output that is stored as a whole itself.
  constexpr constexpr_vector<output_part> parts_of(int output) const {
    constexpr_vector<output_part> result;
    for (output_part const& part : g_.parts)
      if (part.output == output) result.push_back(part);
    if (result.empty()) result.push_back({g_.outputs[output].id, output, no_axis, 0});
    return result;
  }
  constexpr void fill_store(store& st, demand const& d, int value) {
    st.value = value, st.along = d.along;
    if (g_.outputs[st.output].window != no_attribute) st.offset = add_window(g_, st.output, d.along);
  }

  graph const& g_;
  square_axes const& squares_;
  coordinates of_squares_ = square_axes::none(max_rank);  // the space's axis of each of theirs
  unsigned taken_by_squares_ = 0;
  constexpr_vector<demand> demands_;
  constexpr_vector<int> heads_ = constexpr_vector<int>(g_.size(), -1);  // first demand of each node
  constexpr_vector<int> next_;                                          // the node's next demand
  unsigned innermost_ = 0;
  unsigned forward_ = 0;  // axes of scans that are not reversed
  refusal refused_ = refusal::none;
};

}  // namespace detail

// @pre g comes out of the passes. @post instructions are in dependence order and distinct
constexpr iteration_space make_iteration_space(graph const& g, detail::square_axes const& squares) {
  return with_early_sums(detail::space_builder(g, squares).build());
}
constexpr iteration_space make_iteration_space(graph const& g) {
  return make_iteration_space(g, detail::square_axes(g));
}

}  // namespace tenon
