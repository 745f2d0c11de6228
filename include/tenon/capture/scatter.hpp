// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing at indices that are values: scatter, scatter_add, scatter_mul, scatter_max, scatter_min.
//
// The result is a new value: the base, with the updates at their positions. Each of its elements
// takes the updates that name it in their order, so that it has the same bits in every run.

#include "tenon/capture/remap.hpp"

namespace tenon {
namespace detail {

// What the updates of a position become, and what that does to the base.
template <class Reduction, class Operator> struct combined_update {
  template <dtype D> static constexpr int identity(graph& g) {
    using number = arithmetic_t<D>;
    number const none = Reduction::template identity<number>();
    if constexpr (is_floating(D))
      return build::literal(g, D, static_cast<double>(none));
    else
      return build::integer_literal(g, D, static_cast<long long>(none));
  }
  template <dtype D>
  static constexpr int of(graph& g, int base, int is_for, int updates, int axis) {
    constexpr dtype wide = Reduction::rule.operand(D, 0);
    updates = build::convert(g, updates, wide);
    int const counted =
        build::pointwise(g, op_id<ops::where>, {{is_for, updates, identity<wide>(g)}, 3}, wide);
    int const reduced = build::reduce(g, op_id<Reduction>, counted, 1u << axis);
    return build::pointwise(g, op_id<Operator>, {{base, build::convert(g, reduced, D)}, 2}, D);
  }
};
// The last update takes the place of the base.
struct assigned_update {};

// Lengths of the updates' own axis and of the others, from what is known of each.
template <class Base, class Index, class Updates, int Axis> struct scatter_shapes {
  static constexpr bool is_vector = Index::rank == 1;
  static constexpr bool has_rank = is_vector || Index::rank == Base::rank;
  static constexpr bool is_number = Updates::rank == 0;
  static constexpr int index_axis = is_vector ? 0 : Axis;
  static constexpr bool fit() {
    if constexpr (!has_rank || (!is_number && Updates::rank != Base::rank)) {
      return false;
    } else {
      for (int k = 0; k < Base::rank; ++k) {
        extent const of_base = k == Axis ? Index::extents[index_axis] : Base::extents[k];
        auto const fits = [&](extent e) {
          return are_compatible(e, of_base) &&
                 (k == Axis || e == extent(1) || !(of_base == extent(1)));
        };
        if (!is_number && !fits(Updates::extents[k])) return false;
        if (!is_vector && k != Axis && !fits(Index::extents[k])) return false;
      }
      return true;
    }
  }
};

// Axis `axis` goes to the end, behind an axis of length 1 in its place.
constexpr int axis_last(graph& g, int id, int axis) {
  dim_list dims = g[id].dims;
  attribute map;
  for (int k = 0; k < dims.size(); ++k) map.push_back(k == axis ? dims.size() : k);
  dims.push_back(dims[axis]);
  dims[axis] = unit_dim;
  return build::broadcast(g, id, map, dims);
}

// A vector along the last of rank + 1 axes.
constexpr int along_last(graph& g, int id, int rank) {
  dim_list dims;
  for (int k = 0; k < rank; ++k) dims.push_back(unit_dim);
  dims.push_back(g[id].dims[0]);
  attribute map;
  map.push_back(rank);
  return build::broadcast(g, id, map, dims);
}

// The position along axis `axis` of a base of these dims, ahead of the updates' axis.
constexpr int base_position(graph& g, dim_list const& of_base, int axis) {
  dim_list dims;
  for (int k = 0; k <= of_base.size(); ++k) dims.push_back(k == axis ? of_base[axis] : unit_dim);
  return build::position_along(g, dims, 1u << axis);
}

// The last of the updates that are for an element, by its position among them, or the base.
template <dtype D>
constexpr int assigned(graph& g, int base, int index, int is_for, int updates, int axis) {
  dim_list const dims = g[base].dims;
  int const last_axis = dims.size();
  dim_list along;
  for (int k = 0; k < last_axis; ++k) along.push_back(unit_dim);
  along.push_back(g[index].dims[last_axis]);
  int const number = build::position_along(g, along, 1u << last_axis);
  int const none = build::integer_literal(g, dtype::i64, -1);
  int const numbers = build::pointwise(g, op_id<ops::where>, {{is_for, number, none}, 3});
  int const last = build::broadcast_trailing(
      g, build::reduce(g, op_id<ops::last_update>, numbers, 1u << last_axis), dims);
  int const zero = build::integer_literal(g, dtype::i64, 0);
  int const is_any = build::pointwise(g, op_id<ops::greater_equal>, {{last, zero}, 2});
  int chosen = updates;
  if (g[updates].rank() != 0) {
    attribute map;
    dim_list others = dims, given = g[updates].dims;
    others[axis] = given[axis] = unit_dim;
    dim_list whole = build::broadcast_shapes(g, others, given, op_id<ops::take>);
    whole[axis] = g[updates].dims[axis];
    for (int k = 0; k < last_axis; ++k) map.push_back(k == axis ? -1 : k);
    chosen =
        build::take(g, build::broadcast_trailing(g, updates, whole), map, {{last}, 1}, 0u, dims);
  }
  return build::pointwise(g, op_id<ops::where>, {{is_any, chosen, base}, 3}, D);
}

template <class Update> struct scatter_body {
  template <dtype D, extent... E, int Axis, dtype I, extent... F, class Updates>
  constexpr auto operator()(value<D, E...> const& base, axis_t<Axis>, value<I, F...> const& index,
                            Updates const& updates) const {
    using operand = value<D, E...>;
    using indices = value<I, F...>;
    constexpr bool is_integer = is_index<indices>, has_room = operand::rank < max_rank,
                   has_type = fits_type<D, Updates>();
    static_assert(
        is_integer,
        "tenon: scatter: the index is not an integer; cast it, as in tn::cast<int>(index)");
    static_assert(has_room, "tenon: scatter: the base has more than 7 axes; reshape it to fewer");
    static_assert(has_type,
                  "tenon: scatter: the updates have another type than the base; cast them, as in "
                  "tn::cast<float>(updates)");
    if constexpr (!is_integer || !has_room || !has_type) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank);
      constexpr bool fits = scatter_shapes<operand, indices, shape_and_rank<Updates>, axis>::fit();
      static_assert(fits,
                    "tenon: scatter: the index or the updates do not fit the base; give the index "
                    "one axis, or one for each of the base's, and the updates as many elements "
                    "along the axis as the index, along the others as the base");
      if constexpr (fits)
        return value<D, E...>{base.owner,
                              node<D, indices::rank == 1, axis>(*base.owner, base.id, index.id,
                                                                node_of(*base.owner, updates))};
      else
        return refused{};
    }
  }
  template <class... A> constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>,
                  "tenon: scatter: the arguments are not a base, one axis, an index and updates; "
                  "write tn::scatter_add(base, tn::axis<0>, index, updates)");
    return refused{};
  }

 private:
  template <class T> struct shape_and_rank : shape_of<T> {
    static constexpr int rank = shape_of<T>::extents.size();
  };
  template <dtype D, class Updates> static constexpr bool fits_type() {
    if constexpr (is_value<Updates>)
      return Updates::type == D;
    else
      return is_weakly_typed<Updates>;
  }
  template <dtype D, bool IsVector, int Axis>
  static constexpr int node(graph& g, int base, int index, int updates) {
    dim_list const dims = g[base].dims;
    dim_list length;
    length.push_back(dims[Axis]);
    index = build::convert(g, index, dtype::i64);
    index = IsVector ? along_last(g, index, dims.size()) : axis_last(g, index, Axis);
    int const target = build::pointwise(g, op_id<ops::target_position>,
                                        {{index, build::size(g, length, dtype::i64)}, 2});
    if constexpr (std::is_same_v<Update, assigned_update>) require_length(g, index, updates, Axis);
    // A single update needs no search for those of a position.
    auto const is_one = [&](int id, int axis) {
      return g[id].rank() == 0 || g.dims.representative(g[id].dims[axis]) == unit_dim;
    };
    bool const is_single = is_one(index, g[index].rank() - 1) && is_one(updates, Axis);
    int const is_for =
        build::pointwise(g, is_single ? op_id<ops::equal> : op_id<ops::is_target>,
                         {{target, base_position(g, dims, Axis)}, 2});
    if constexpr (std::is_same_v<Update, assigned_update>) {
      return assigned<D>(g, base, index, is_for, updates, Axis);
    } else {
      if (g[updates].rank() != 0) updates = axis_last(g, updates, Axis);
      return Update::template of<D>(g, base, is_for, updates, dims.size());
    }
  }
  // As many updates as indices, or one for all.
  static constexpr void require_length(graph& g, int index, int updates, int axis) {
    if (g[updates].rank() == 0) return;
    dim const given = g[updates].dims[axis], wanted = g[index].dims[g[index].rank() - 1];
    if (given == wanted || given == unit_dim) return;
    g.checks.push_back({given, wanted, "scatter"});
    g.dims.unite(given, wanted);
  }
};

}  // namespace detail

// scatter(base, axis, index, updates): the base with the updates where the index says, along the
// axis; of several for one place the last one. The index has one axis, for whole slices of the
// base, or the base's axes.
inline constexpr function<detail::scatter_body<detail::assigned_update>> scatter{};
// The same, adding, multiplying, or keeping the greatest or least; the updates of one place are
// combined in their order.
inline constexpr function<detail::scatter_body<detail::combined_update<ops::sum, ops::add>>>
    scatter_add{};
// PyTorch's name of it for an index of one axis.
inline constexpr function<detail::scatter_body<detail::combined_update<ops::sum, ops::add>>>
    index_add{};
inline constexpr function<detail::scatter_body<detail::combined_update<ops::product, ops::mul>>>
    scatter_mul{};
inline constexpr function<
    detail::scatter_body<detail::combined_update<ops::greatest_update, ops::maximum>>>
    scatter_max{};
inline constexpr function<
    detail::scatter_body<detail::combined_update<ops::least_update, ops::minimum>>>
    scatter_min{};

}  // namespace tenon
