// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements at positions: iota, which gives them, and the functions that read a value at indices that
// are values themselves. They cost no kernel: an index becomes part of where an argument is read.

#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"

namespace tenon {
namespace detail {

// The shape of Value with another extent at axis Axis.
template <class Value, int Axis, extent Length>
struct replaced_shape {
  static constexpr type_shape compute() {
    type_shape result = Value::extents;
    result[Axis] = Length;
    return result;
  }
  static constexpr type_shape extents = compute();
};
template <class Shape, int Axis>
struct extent_at {
  static constexpr extent value = Shape::extents[Axis];
};

struct iota_body {
  template <dtype D, extent... E, int Axis>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>) const {
    using operand = value<D, E...>;
    if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank);
      graph& g = *x.owner;
      dim_list dims;
      for (int k = 0; k < operand::rank; ++k) dims.push_back(k == axis ? g[x.id].dims[k] : unit_dim);
      return value_t<dtype::i64, only_axis<operand, axis>>{&g, build::position_along(g, dims, 1u << axis)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: iota: the arguments are not a value and one axis; write tn::iota(x, tn::axis<0>)");
    return refused{};
  }

 private:
  template <class Value, int Axis>
  struct only_axis {
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; k < Value::rank; ++k) result.push_back(k == Axis ? Value::extents[k] : extent(1));
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

enum class index_fault : unsigned char { none, type, rank, extents };

template <class Index>
constexpr bool is_index = Index::type != dtype::boolean && !is_floating(Index::type);

// The operand's axis Axis at `index`, which is broadcast with the operand along the others.
template <class X, class Index, int Axis>
struct along_axis_shape {
  using operand = replaced_shape<X, Axis, extent(1)>;
  using indexed = replaced_shape<Index, Axis, extent(1)>;
  using around = broadcast_of<operand, indexed>;
  static constexpr bool is_valid = around::is_valid;
  static constexpr type_shape compute() {
    type_shape result = around::extents;
    result[Axis] = Index::extents[Axis];
    return result;
  }
  static constexpr type_shape extents = compute();
};

// Which element along `axis`: checked, as the user gave it, or known to be inside.
constexpr int take_along(graph& g, int id, int index, int axis, bool is_checked) {
  dim_list others = g[id].dims, shape = g[index].dims;
  dim const length = others[axis], taken = shape[axis];
  others[axis] = shape[axis] = unit_dim;
  dim_list dims = build::broadcast_shapes(g, others, shape, op_id<ops::take>);
  dim_list whole = dims;
  whole[axis] = length;
  dims[axis] = taken;
  attribute map;
  for (int k = 0; k < dims.size(); ++k) map.push_back(k == axis ? -1 : k);
  index = build::broadcast_trailing(g, build::convert(g, index, dtype::i64), dims);
  return build::take(g, build::broadcast_trailing(g, id, whole), map, {{index}, 1}, is_checked, dims);
}

// IsChecked: the index is the user's, which wraps and is compared with the extent; otherwise an element outside is missing.
template <bool IsChecked>
struct take_along_axis_body {
  template <dtype D, extent... E, dtype I, extent... F, int Axis>
  constexpr auto operator()(value<D, E...> const& x, value<I, F...> const& index, axis_t<Axis>) const {
    using operand = value<D, E...>;
    using indices = value<I, F...>;
    constexpr bool is_integer = is_index<indices>, has_rank = operand::rank == indices::rank;
    static_assert(is_integer, "tenon: take: the index is not an integer; cast it, as in tn::cast<int>(index)");
    static_assert(has_rank, "tenon: take_along_axis: the index has another rank than the operand; give it one axis for each of the operand's, of build-time extent 1 where it repeats");
    if constexpr (!is_integer || !has_rank) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank);
      using result = along_axis_shape<operand, indices, axis>;
      static_assert(result::is_valid, "tenon: take_along_axis: the extents of the operand and the index differ along another axis; give both one length or one name, or build-time 1 to repeat");
      if constexpr (result::is_valid)
        return value_t<D, result>{x.owner, take_along(*x.owner, x.id, index.id, axis, IsChecked)};
      else
        return refused{};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: take_along_axis: the arguments are not a value, an index and one axis; write tn::take_along_axis(x, index, tn::axis<1>)");
    return refused{};
  }
};

// The operand's axis becomes the axes of the index.
struct take_body {
  template <dtype D, extent... E, dtype I, extent... F, int Axis>
  constexpr auto operator()(value<D, E...> const& x, value<I, F...> const& index, axis_t<Axis>) const {
    using operand = value<D, E...>;
    using indices = value<I, F...>;
    constexpr bool is_integer = is_index<indices>, has_room = operand::rank + indices::rank - 1 <= max_rank;
    static_assert(is_integer, "tenon: take: the index is not an integer; cast it, as in tn::cast<int>(index)");
    static_assert(has_room, "tenon: take: the result has more than 8 axes; reshape to fewer first");
    if constexpr (!is_integer || !has_room) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank), more = indices::rank - 1;
      graph& g = *x.owner;
      dim_list dims;
      attribute map, map_of_index;
      for (int k = 0; k < operand::rank; ++k) {
        map.push_back(k == axis ? -1 : k < axis ? k : k + more);
        if (k != axis) {
          dims.push_back(g[x.id].dims[k]);
          continue;
        }
        for (dim d : g[index.id].dims) map_of_index.push_back(dims.size()), dims.push_back(d);
      }
      int at = build::convert(g, index.id, dtype::i64);
      if (indices::rank != 0) at = build::broadcast(g, at, map_of_index, dims);
      return value_t<D, result_shape<operand, indices, axis>>{&g, build::take(g, x.id, map, {{at}, 1}, 1u, dims)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: take: the arguments are not a value, an index and one axis; write tn::take(x, index, tn::axis<0>)");
    return refused{};
  }

 private:
  template <class X, class Index, int Axis>
  struct result_shape {
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; k < X::rank; ++k)
        if (k != Axis)
          result.push_back(X::extents[k]);
        else
          for (extent e : Index::extents) result.push_back(e);
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

// How many numbers the last axis of an index holds; 0 where the types do not say.
template <class Index>
constexpr int coordinate_count() {
  if constexpr (Index::rank == 0) return 0;
  else return Index::extents[Index::rank - 1].is_static() ? static_cast<int>(Index::extents[Index::rank - 1].size) : 0;
}
// Number k of each index, in the shape of its other axes.
constexpr int coordinate(graph& g, int index, int k) {
  int const last = g[index].rank() - 1;
  dim_list around;
  attribute numbers;
  for (int axis = 0; axis <= last; ++axis) {
    if (axis != last) around.push_back(g[index].dims[axis]);
    numbers.push_back(axis == last ? k : 0);
    numbers.push_back(axis == last ? k + 1 : open_bound);
    numbers.push_back(1);
  }
  return build::reshape(g, build::slice(g, build::convert(g, index, dtype::i64), numbers), around);
}

// The last axis of the index names a position along each of the operand's first axes.
struct gather_nd_body {
  template <dtype D, extent... E, dtype I, extent... F>
  constexpr auto operator()(value<D, E...> const& x, value<I, F...> const& index) const {
    using operand = value<D, E...>;
    using indices = value<I, F...>;
    constexpr bool is_integer = is_index<indices>, has_count = coordinate_count<indices>() >= 1 && coordinate_count<indices>() <= build::max_indices && coordinate_count<indices>() <= operand::rank;
    static_assert(is_integer, "tenon: take: the index is not an integer; cast it, as in tn::cast<int>(index)");
    static_assert(has_count, "tenon: gather_nd: the last extent of the index is not a build-time number from 1 to 8 within the operand's rank; give it one, as in tn::reshape(index, tn::shape<-1, 2>)");
    if constexpr (!is_integer || !has_count) {
      return refused{};
    } else {
      constexpr int taken = coordinate_count<indices>(), kept = indices::rank - 1;
      graph& g = *x.owner;
      dim_list dims, around;
      for (int k = 0; k < kept; ++k) around.push_back(g[index.id].dims[k]);
      dims = around;
      for (int k = taken; k < operand::rank; ++k) dims.push_back(g[x.id].dims[k]);
      attribute map, map_of_index;
      static_vector<int, build::max_indices> at;
      for (int k = 0; k < kept; ++k) map_of_index.push_back(k);
      for (int k = 0; k < operand::rank; ++k) map.push_back(k < taken ? -1 - k : kept + k - taken);
      for (int k = 0; k < taken; ++k) {
        int const one = coordinate(g, index.id, k);
        at.push_back(kept == 0 ? one : build::broadcast(g, one, map_of_index, dims));
      }
      return value_t<D, result_shape<operand, indices>>{&g, build::take(g, x.id, map, at, (1u << taken) - 1, dims)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: gather_nd: the arguments are not a value and an index; write tn::gather_nd(x, index)");
    return refused{};
  }

 private:
  template <class X, class Index>
  struct result_shape {
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; k + 1 < Index::rank; ++k) result.push_back(Index::extents[k]);
      for (int k = coordinate_count<Index>(); k < X::rank; ++k) result.push_back(X::extents[k]);
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

}  // namespace detail

// 0, 1, 2, ... along an axis of x, i64, with extent 1 along the others: it broadcasts with x.
inline constexpr function<detail::iota_body> iota{};
// NumPy's take_along_axis: result[i][j] = x[i][index[i][j]] along axis 1. A negative index counts from the end.
inline constexpr function<detail::take_along_axis_body<true>> take_along_axis{};
// PyTorch's name of it.
inline constexpr function<detail::take_along_axis_body<true>> gather{};
// NumPy's take: the axis of x is replaced by the axes of the index.
inline constexpr function<detail::take_body> take{};
// index_select(x, index, tn::axis<0>): take with an index of rank 1.
inline constexpr function<detail::take_body> index_select{};
// embedding(table, index): the rows of the table that the index names.
inline constexpr function embedding{[](auto table, auto index) { return take(table, index, axis<0>); }};
// gather_nd(x, index): x at the positions that the last axis of the index holds.
inline constexpr function<detail::gather_nd_body> gather_nd{};

}  // namespace tenon
