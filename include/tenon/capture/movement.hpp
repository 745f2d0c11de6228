// SPDX-License-Identifier: Apache-2.0
#pragma once
// Views that move, cut or repeat axes: transpose, slice, broadcast_to; they record where an element comes from and cost
// no kernel. Those that keep the order of the elements are in reshape.hpp.

#include "tenon/capture/function.hpp"
#include "tenon/capture/reshape.hpp"

namespace tenon {
namespace detail {

struct transpose_body {
  template <dtype D, extent... E, int... Axes>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axes...> order) const {
    constexpr int rank = sizeof...(E);
    static_assert(sizeof...(Axes) == rank, "tenon: transpose: the order does not name every axis; name each axis once");
    if constexpr (sizeof...(Axes) != rank) {
      return refused{};
    } else if constexpr (!check_axes<rank, Axes...>()) {
      return refused{};
    } else {
      return permuted(x, order);
    }
  }
  // Without an order the axes are reversed.
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return reversed(x, std::make_integer_sequence<int, sizeof...(E)>{});
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: transpose: the arguments are not a value and an order; write tn::transpose(x) or tn::transpose(x, tn::axis<1, 0>)");
    return refused{};
  }

 private:
  template <class Value, int... Axes>
  struct permuted_shape {
    static constexpr type_shape extents{{Value::extents[normalized(Axes, Value::rank)]...}, Value::rank};
  };
  template <class Value>
  struct permuted_shape<Value> : Value {};
  template <class Value, int... Axes>
  static constexpr auto permuted(Value const& x, axis_t<Axes...>) {
    graph& g = *x.owner;
    attribute map;
    for (int k = 0; k < Value::rank; ++k) map.push_back(0);
    dim_list dims;
    int position = 0;
    ((map[normalized(Axes, Value::rank)] = position++, dims.push_back(g[x.id].dims[normalized(Axes, Value::rank)])), ...);
    return value_t<Value::type, permuted_shape<Value, Axes...>>{&g, build::broadcast(g, x.id, map, dims)};
  }
  template <class Value, int... I>
  static constexpr auto reversed(Value const& x, std::integer_sequence<int, I...>) {
    // Not axis<...>: nvcc would spell every later axis<1, 0> of the user by this expression, whose parameters are unknown there.
    return permuted(x, axis_t<(Value::rank - 1 - I)...>{});
  }
};

struct slice_body {
  template <dtype D, extent... E, int Axis, long long Start, long long Stop, long long Step>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, range_t<Start, Stop, Step>) const {
    constexpr int rank = sizeof...(E);
    static_assert(Step != 0, "tenon: slice: the step is zero; use a positive or negative step");
    if constexpr (Step == 0) {
      return refused{};
    } else if constexpr (!check_axes<rank, Axis>()) {
      return refused{};
    } else {
      constexpr int sliced = normalized(Axis, rank);
      attribute numbers;
      for (int k = 0; k < rank; ++k) {
        numbers.push_back(k == sliced ? Start : 0);
        numbers.push_back(k == sliced ? Stop : detail::open_bound);
        numbers.push_back(k == sliced ? Step : 1);
      }
      return value_t<D, sliced_shape<value<D, E...>, sliced, Start, Stop, Step>>{
          x.owner, build::slice(*x.owner, x.id, numbers)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: slice: the arguments are not a value, one axis and a range; write tn::slice(x, tn::axis<0>, tn::range<0, 4>)");
    return refused{};
  }

 private:
  template <class Value, int Axis, long long Start, long long Stop, long long Step>
  struct sliced_shape {
    static constexpr type_shape compute() {
      type_shape result = Value::extents;
      extent& e = result[Axis];
      bool whole = (Start == 0 && Stop == detail::open_bound && Step == 1) ||
                   (Start == detail::open_bound && Stop == detail::open_bound && Step == -1);
      if (e.is_static())
        e.size = detail::resolve_range(e.size, Start, Stop, Step).count;
      else if (!whole)
        e = extent();
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

// NumPy's broadcast_to; -1 keeps the operand's own extent.
struct broadcast_to_body {
  template <dtype D, extent... E, long long... Extents>
  constexpr auto operator()(value<D, E...> const& x, shape_t<Extents...>) const {
    using result = target_shape<value<D, E...>, Extents...>;
    static_assert(result::is_valid, "tenon: broadcast_to: the operand does not broadcast to the shape; give each axis the length of the operand's, or -1; only build-time 1 is repeated, to at most 8 axes");
    if constexpr (!result::is_valid) {
      return refused{};
    } else {
      graph& g = *x.owner;
      constexpr int missing = result::extents.size() - value<D, E...>::rank;
      long long wanted[] = {Extents...};
      dim_list dims;
      for (int k = 0; k < result::extents.size(); ++k)
        dims.push_back(wanted[k] < 0 ? g[x.id].dims[k - missing] : g.dims.constant(wanted[k]));
      dims = build::broadcast_shapes(g, dims, dim_list(g[x.id].dims), op_id<ops::broadcast>);
      attribute map;
      for (int k = missing; k < dims.size(); ++k) map.push_back(k);
      return value_t<D, result>{&g, build::broadcast(g, x.id, map, dims)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: broadcast_to: the arguments are not a value and a shape; write tn::broadcast_to(x, tn::shape<4, -1>)");
    return refused{};
  }

 private:
  template <class Value, long long... Extents>
  struct target_shape {
    static constexpr int rank = sizeof...(Extents), missing = rank - Value::rank;
    static constexpr long long wanted[] = {Extents..., 0};
    static constexpr bool check() {
      if (missing < 0 || rank > max_rank) return false;
      for (int k = 0; k < rank; ++k) {
        if (wanted[k] < -1 || (wanted[k] < 0 && k < missing)) return false;
        if (k < missing || wanted[k] < 0) continue;
        extent e = Value::extents[k - missing];
        if (e.is_named() || (e.is_static() && !e.is_one() && e.size != wanted[k])) return false;
      }
      return true;
    }
    static constexpr bool is_valid = check();
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; is_valid && k < rank; ++k) {
        extent e;
        if (wanted[k] >= 0) e.size = wanted[k];
        else if (k >= missing) e = Value::extents[k - missing];
        result.push_back(e);
      }
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

}  // namespace detail

// transpose(x) reverses the axes; transpose(x, tn::axis<1, 0, 2>) puts operand axis Axes[k] at position k.
inline constexpr function<detail::transpose_body> transpose{};
// slice(x, tn::axis<0>, tn::range<start, stop, step>): Python's rules, build-time bounds.
inline constexpr function<detail::slice_body> slice{};
// NumPy's broadcast_to; -1 keeps the operand's own extent.
inline constexpr function<detail::broadcast_to_body> broadcast_to{};

}  // namespace tenon
