// SPDX-License-Identifier: Apache-2.0
#pragma once
// Views that keep the row-major order of the elements: reshape, flatten, squeeze, unsqueeze; they cost no kernel.

#include "tenon/capture/function.hpp"

namespace tenon {
namespace detail {

// The static part of a target shape: -1 (inferred) gives a build-time extent when everything else is one.
template <class Value, long long... Extents>
struct reshaped_shape {
  static constexpr long long wanted[] = {Extents..., 0};
  static constexpr int inferred_count = (0 + ... + (Extents == -1));
  static constexpr bool is_well_formed = ((Extents >= -1) && ...) && inferred_count <= 1 && sizeof...(Extents) <= max_rank;
  static constexpr bool is_static = [] {
    for (extent e : Value::extents)
      if (!e.is_static()) return false;
    return true;
  }();
  static constexpr long long operand_size() {
    long long n = 1;
    for (extent e : Value::extents) n *= e.size;
    return n;
  }
  static constexpr long long known = (1LL * ... * (Extents == -1 ? 1 : Extents));
  static constexpr bool fits = !is_static || (inferred_count ? known != 0 && operand_size() % known == 0 : operand_size() == known);
  static constexpr type_shape compute() {
    type_shape result;
    for (int k = 0; is_well_formed && k < static_cast<int>(sizeof...(Extents)); ++k) {
      extent e;
      if (wanted[k] >= 0) e.size = wanted[k];
      if (wanted[k] < 0 && is_static && fits) e.size = operand_size() / known;
      result.push_back(e);
    }
    return result;
  }
  static constexpr type_shape extents = compute();
};

// The result has `dims`; the element counts are compared when they are not known to be equal now.
constexpr int checked_reshape(graph& g, int id, dim_list const& dims) {
  dim total = unit_dim, wanted = unit_dim;
  for (dim d : g[id].dims) total = g.dims.product(total, d);
  for (dim d : dims) wanted = g.dims.product(wanted, d);
  if (total != wanted) g.checks.push_back({total, wanted, op_id<ops::reshape>->name});
  return build::reshape(g, id, dims);
}

// Axis `axis` as two, of lengths `outer` and `inner`. It is the product of these by itself: what
// follows then knows which axes it became, as it would not from the number of all elements.
constexpr int split_axis(graph& g, int id, int axis, dim outer, dim inner, text_view operation) {
  dim_list dims;
  for (int k = 0; k < g[id].rank(); ++k) {
    dim const length = g[id].dims[k];
    if (k == axis) {
      dim const wanted = g.dims.product(outer, inner);
      if (length != wanted) g.checks.push_back({length, wanted, operation});
      dims.push_back(outer);
    }
    dims.push_back(k == axis ? inner : length);
  }
  return build::reshape(g, id, dims);
}

struct reshape_body {
  template <dtype D, extent... E, long long... Extents>
  constexpr auto operator()(value<D, E...> const& x, shape_t<Extents...>) const {
    using result = reshaped_shape<value<D, E...>, Extents...>;
    static_assert(result::is_well_formed, "tenon: reshape: the shape has a negative extent, more than one -1 or more than 8 axes; give at most 8 extents, at most one of them -1");
    static_assert(!result::is_well_formed || result::fits, "tenon: reshape: the number of elements differs; choose extents with the operand's number of elements");
    if constexpr (!result::is_well_formed || !result::fits) {
      return refused{};
    } else {
      graph& g = *x.owner;
      dim total = unit_dim;
      for (dim d : g[x.id].dims) total = g.dims.product(total, d);
      dim inferred = result::inferred_count ? g.dims.quotient(total, g.dims.constant(result::known)) : unit_dim;
      dim_list dims;
      (dims.push_back(Extents < 0 ? inferred : g.dims.constant(Extents)), ...);
      return value_t<D, result>{&g, checked_reshape(g, x.id, dims)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: reshape: the arguments are not a value and a shape; write tn::reshape(x, tn::shape<4, -1>)");
    return refused{};
  }
};

// Merges axes First to Last into one; all of them when none are named.
struct flatten_body {
  template <dtype D, extent... E, int First, int Last>
  constexpr auto operator()(value<D, E...> const& x, axis_t<First, Last>) const {
    constexpr int rank = sizeof...(E);
    if constexpr (!check_axes<rank, First, Last>()) {
      return refused{};
    } else {
      constexpr bool in_order = normalized(First, rank) < normalized(Last, rank);
      static_assert(in_order, "tenon: flatten: the first axis comes after the last; write tn::axis<first, last>");
      if constexpr (in_order)
        return merged<normalized(First, rank), normalized(Last, rank)>(x);
      else
        return refused{};
    }
  }
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return merged<0, static_cast<int>(sizeof...(E)) - 1>(x);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: flatten: the arguments are not a value and two axes; write tn::flatten(x) or tn::flatten(x, tn::axis<0, 1>)");
    return refused{};
  }

 private:
  template <class Value, int First, int Last>
  struct merged_shape {
    static constexpr type_shape compute() {
      type_shape result;
      extent all(1);
      for (int k = 0; k < Value::rank; ++k) {
        extent e = Value::extents[k];
        if (k < First || k > Last) result.push_back(e);
        if (k >= First && k <= Last) {
          if (all.is_static() && e.is_static()) all.size *= e.size;
          else if (all.is_one()) all = e;
          else if (!e.is_one()) all = extent();
        }
        if (k == Last) result.push_back(all);
      }
      if (Value::rank == 0) result.push_back(all);
      return result;
    }
    static constexpr type_shape extents = compute();
  };
  template <int First, int Last, class Value>
  static constexpr auto merged(Value const& x) {
    graph& g = *x.owner;
    dim_list dims;
    for (int k = 0; k < Value::rank; ++k)
      if (k <= First || k > Last) dims.push_back(g[x.id].dims[k]);
      else dims[First] = g.dims.product(dims[First], g[x.id].dims[k]);
    if (Value::rank == 0) dims.push_back(unit_dim);
    return value_t<Value::type, merged_shape<Value, First, Last>>{&g, build::reshape(g, x.id, dims)};
  }
};

struct squeeze_body {
  template <dtype D, extent... E, int... Axes>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axes...>) const {
    using operand = value<D, E...>;
    if constexpr (!check_axes<operand::rank, Axes...>()) {
      return refused{};
    } else {
      constexpr bool ones = (operand::extents[normalized(Axes, operand::rank)].is_one() && ...);
      static_assert(ones, "tenon: squeeze: an axis has an extent other than build-time 1; squeeze axes of extent 1");
      if constexpr (!ones) {
        return refused{};
      } else {
        using result = reduced_shape<operand, Axes...>;
        dim_list dims;
        for (int k = 0; k < operand::rank; ++k)
          if (!(result::mask >> k & 1u)) dims.push_back((*x.owner)[x.id].dims[k]);
        return value_t<D, result>{x.owner, build::reshape(*x.owner, x.id, dims)};
      }
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: squeeze: the arguments are not a value and axes; write tn::squeeze(x, tn::axis<0>)");
    return refused{};
  }
};

// The new axis has position Axis in the result and extent 1.
struct unsqueeze_body {
  template <dtype D, extent... E, int Axis>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>) const {
    using operand = value<D, E...>;
    constexpr bool has_room = operand::rank < max_rank;
    static_assert(has_room, "tenon: unsqueeze: the result has more than 8 axes; merge axes first");
    if constexpr (!has_room) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank + 1, Axis>()) {
      return refused{};
    } else {
      constexpr int position = normalized(Axis, operand::rank + 1);
      return value_t<D, longer_shape<operand, position>>{
          x.owner, restore_axes(*x.owner, x.id, 1u << position, operand::rank + 1)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: unsqueeze: the arguments are not a value and one axis; write tn::unsqueeze(x, tn::axis<0>)");
    return refused{};
  }

 private:
  template <class Value, int Position>
  struct longer_shape {
    static constexpr type_shape compute() {
      type_shape result = Value::extents;
      result.insert(Position, extent(1));
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

}  // namespace detail

// reshape(x, tn::shape<4, -1>): row-major order; the operand's elements, or the tensors they come from, are contiguous.
inline constexpr function<detail::reshape_body> reshape{};
inline constexpr function<detail::flatten_body> flatten{};
inline constexpr function<detail::squeeze_body> squeeze{};
inline constexpr function<detail::unsqueeze_body> unsqueeze{};

}  // namespace tenon
