// SPDX-License-Identifier: Apache-2.0
#pragma once
// Views by name: transpose, slice, reshape and the like; they record where an element comes from and cost no kernel.

#include "tenon/capture/function.hpp"

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
    return permuted(x, axis<(Value::rank - 1 - I)...>);
  }
};

struct slice_body {
  template <dtype D, extent... E, int Axis, long long Start, long long Stop, long long Step>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, range_t<Start, Stop, Step>) const {
    constexpr int rank = sizeof...(E);
    if constexpr (!check_axes<rank, Axis>()) {
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

 private:
  template <class Value, int Axis, long long Start, long long Stop, long long Step>
  struct sliced_shape {
    static constexpr type_shape compute() {
      type_shape result = Value::extents;
      extent& e = result[Axis];
      bool whole = Start == 0 && Stop == detail::open_bound && Step == 1;
      if (e.is_static())
        e.size = detail::resolve_range(e.size, Start, Stop, Step).count;
      else if (!whole)
        e = extent();
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

// The static part of a target shape: -1 (inferred) gives a build-time extent when everything else is one.
template <class Value, long long... Extents>
struct reshaped_shape {
  static constexpr long long wanted[] = {Extents..., 0};
  static constexpr int inferred_count = (0 + ... + (Extents == -1));
  static constexpr bool is_well_formed = ((Extents >= -1) && ...) && inferred_count <= 1;
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
    for (int k = 0; k < static_cast<int>(sizeof...(Extents)); ++k) {
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
  if (total != wanted) g.checks.push_back({total, wanted, op_id<ops::reshape>});
  return build::reshape(g, id, dims);
}

struct reshape_body {
  template <dtype D, extent... E, long long... Extents>
  constexpr auto operator()(value<D, E...> const& x, shape_t<Extents...>) const {
    using result = reshaped_shape<value<D, E...>, Extents...>;
    static_assert(result::is_well_formed, "tenon: reshape: an extent is negative, or more than one is -1; give at most one -1");
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
};

// Merges axes First to Last into one; all of them when none are named.
struct flatten_body {
  template <dtype D, extent... E, int First, int Last>
  constexpr auto operator()(value<D, E...> const& x, axis_t<First, Last>) const {
    constexpr int rank = sizeof...(E);
    if constexpr (!check_axes<rank, First, Last>())
      return refused{};
    else
      return merged<normalized(First, rank), normalized(Last, rank)>(x);
  }
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return merged<0, static_cast<int>(sizeof...(E)) - 1>(x);
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
};

// The new axis has position Axis in the result and extent 1.
struct unsqueeze_body {
  template <dtype D, extent... E, int Axis>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>) const {
    using operand = value<D, E...>;
    if constexpr (!check_axes<operand::rank + 1, Axis>()) {
      return refused{};
    } else {
      constexpr int position = normalized(Axis, operand::rank + 1);
      return value_t<D, longer_shape<operand, position>>{
          x.owner, restore_axes(*x.owner, x.id, 1u << position, operand::rank + 1)};
    }
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

// NumPy's broadcast_to; -1 keeps the operand's own extent.
struct broadcast_to_body {
  template <dtype D, extent... E, long long... Extents>
  constexpr auto operator()(value<D, E...> const& x, shape_t<Extents...>) const {
    using result = target_shape<value<D, E...>, Extents...>;
    static_assert(result::is_valid, "tenon: broadcast_to: the operand does not broadcast to the shape; trailing extents must be equal, build-time 1, or -1");
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

 private:
  template <class Value, long long... Extents>
  struct target_shape {
    static constexpr int rank = sizeof...(Extents), missing = rank - Value::rank;
    static constexpr long long wanted[] = {Extents..., 0};
    static constexpr bool check() {
      if (missing < 0) return false;
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
      for (int k = 0; k < rank; ++k) {
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
// reshape(x, tn::shape<4, -1>): row-major order; the operand's elements, or the tensors they come from, are contiguous.
inline constexpr function<detail::reshape_body> reshape{};
inline constexpr function<detail::flatten_body> flatten{};
inline constexpr function<detail::squeeze_body> squeeze{};
inline constexpr function<detail::unsqueeze_body> unsqueeze{};
inline constexpr function<detail::broadcast_to_body> broadcast_to{};

}  // namespace tenon
