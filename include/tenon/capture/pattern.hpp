// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that follow from positions, and views by positions: arange, full_like, eye_like, one_hot, tril, triu, diagonal,
// unfold, select.

#include "tenon/capture/remap.hpp"

namespace tenon {
namespace detail {

template <long long Count>
struct arange_body {
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return positions<1, 0, extent(Count)>(*x.owner, x.owner->dims.constant(Count));
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: arange: the argument is not a value of the expression; write tn::arange<10>(x), where x is any value of it");
    return refused{};
  }
};

struct full_like_body {
  template <dtype D, extent... E, class Number>
  constexpr auto operator()(value<D, E...> const& x, Number number) const {
    constexpr bool is_number = is_literal<Number>;
    static_assert(is_number, "tenon: full_like: the arguments are not a value and a number; write tn::full_like(x, 3), or tn::broadcast_to for a value of rank 0");
    if constexpr (is_number) {
      graph& g = *x.owner;
      int filled = node_of(g, number);
      filled = build::convert(g, filled, D);
      return value<D, E...>{&g, build::broadcast(g, filled, {}, dim_list(g[x.id].dims))};
    } else {
      return refused{};
    }
  }
};

// A number in a shape of its own, and the elements where the column is the row plus an offset.
template <long long... Extents>
struct full_body {
  template <dtype D, extent... E, class Number>
  constexpr auto operator()(value<D, E...> const& x, Number number) const {
    constexpr bool is_number = is_literal<Number>;
    static_assert(is_number, "tenon: full: the arguments are not a value and a number; write tn::full<2, 3>(x, 1.5), where x is any value of the expression");
    if constexpr (is_number) {
      graph& g = *x.owner;
      dim_list dims;
      (dims.push_back(g.dims.constant(Extents)), ...);
      return value<typed<Number>().type, extent(Extents)...>{&g, build::broadcast(g, node_of(g, number), {}, dims)};
    } else {
      return refused{};
    }
  }
};
template <long long Rows, long long Columns>
struct eye_body {
  template <dtype D, extent... E, auto Offset = 0>
  constexpr auto operator()(value<D, E...> const& x, ct_t<Offset> = {}) const {
    auto row = unsqueeze(arange_body<Rows>{}(x), axis<1>);
    auto column = unsqueeze(arange_body<Columns>{}(x), axis<0>);
    return cast<float>(column - row == static_cast<long long>(Offset));
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: eye: the arguments are not a value, or a value and a tn::ct; write tn::eye<3>(x), where x is any value of the expression");
    return refused{};
  }
};

struct one_hot_body {
  template <dtype D, extent... E, auto Count>
  constexpr auto operator()(value<D, E...> const& index, ct_t<Count>) const {
    constexpr bool is_integer = is_index<value<D, E...>> && Count >= 1;
    static_assert(is_integer, "tenon: one_hot: the classes are not integers, or their number is below 1; cast them, as in tn::one_hot(tn::cast<int>(x), tn::ct<10>)");
    if constexpr (!is_integer) {
      return refused{};
    } else {
      auto at = cast<long long>(index);  // whose own type may not hold the count
      return cast<long long>(unsqueeze(where(at < 0, at + Count, at), axis<-1>) == arange_body<Count>{}(index));
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: one_hot: the arguments are not a value and a number of classes; write tn::one_hot(x, tn::ct<10>)");
    return refused{};
  }
};

// Column minus row of every element of the last two axes.
template <class X>
constexpr auto above_diagonal(X const& x) {
  return iota(x, axis<-1>) - iota(x, axis<-2>);
}

// Keeps the elements for which Keep{}(column - row, offset).
template <class Keep>
struct triangle_body {
  template <dtype D, extent... E, auto Offset>
  constexpr auto operator()(value<D, E...> const& x, ct_t<Offset> offset) const {
    static_assert(sizeof...(E) >= 2, "tenon: triangle: the operand has fewer than two axes; tril and triu keep a part of its last two");
    if constexpr (sizeof...(E) >= 2)
      return where(Keep{}(above_diagonal(x), offset), x, zero<D>());
    else
      return refused{};
  }
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return (*this)(x, ct<0>);
  }
  // A diagonal of the call.
  template <dtype D, extent... E, dtype I>
  constexpr auto operator()(value<D, E...> const& x, value<I> const& offset) const {
    return where(Keep{}(above_diagonal(x), offset), x, zero<D>());
  }

 private:
  // A literal that leaves the dtype as it is.
  template <dtype D>
  static constexpr auto zero() {
    return std::conditional_t<D == dtype::boolean, bool, int>(0);
  }
};
struct keep_below {
  constexpr auto operator()(auto distance, auto offset) const { return distance <= offset; }
};
struct keep_above {
  constexpr auto operator()(auto distance, auto offset) const { return distance >= offset; }
};

struct eye_like_body {
  template <dtype D, extent... E, auto Offset>
  constexpr auto operator()(value<D, E...> const& x, ct_t<Offset> offset) const {
    static_assert(sizeof...(E) == 2, "tenon: eye_like: the operand has not two axes; give a matrix");
    if constexpr (sizeof...(E) == 2)
      return cast<storage_t<D>>(above_diagonal(x) == offset);
    else
      return refused{};
  }
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return (*this)(x, ct<0>);
  }
};

// Axes A and B become one at the end: the elements whose positions along them are equal.
struct diagonal_body {
  template <dtype D, extent... E, int A, int B>
  constexpr auto operator()(value<D, E...> const& x, axis_t<A, B>) const {
    using operand = value<D, E...>;
    if constexpr (!check_axes<operand::rank, A, B>()) {
      return refused{};
    } else {
      constexpr int first = normalized(A, operand::rank), second = normalized(B, operand::rank);
      constexpr bool is_square = are_compatible(operand::extents[first], operand::extents[second]);
      static_assert(is_square, "tenon: diagonal: the two axes differ in length; slice the longer one first");
      if constexpr (is_square) {
        graph& g = *x.owner;
        dim one = dim_of(x, first), other = dim_of(x, second);
        if (g.dims.representative(one) != g.dims.representative(other)) {
          g.checks.push_back({one, other, op_id<ops::take>->name});
          g.dims.unite(one, other);
        }
        attribute map;
        dim_list dims;
        for (int k = 0; k < operand::rank; ++k) {
          bool is_joined = k == first || k == second;
          map.push_back(is_joined ? operand::rank - 2 : dims.size());
          if (!is_joined) dims.push_back(g[x.id].dims[k]);
        }
        dims.push_back(g.dims.representative(one));
        return value_t<D, joined_shape<operand, first, second>>{&g, build::take(g, x.id, map, {}, 0, dims)};
      } else {
        return refused{};
      }
    }
  }
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return (*this)(x, axis<0, 1>);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: diagonal: the arguments are not a value and two axes; write tn::diagonal(x, tn::axis<0, 1>)");
    return refused{};
  }

 private:
  template <class X, int A, int B>
  struct joined_shape {
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; k < X::rank; ++k)
        if (k != A && k != B) result.push_back(X::extents[k]);
      result.push_back(X::extents[A].is_static() || X::extents[A].is_named() ? X::extents[A] : X::extents[B]);
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

// Windows of Size elements along an axis, Step apart: the axis counts windows, a last axis the elements of one.
struct unfold_body {
  template <dtype D, extent... E, int Axis, auto Size, auto Step>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, ct_t<Size>, ct_t<Step>) const {
    using operand = value<D, E...>;
    constexpr bool is_valid = Size >= 1 && Step >= 1 && operand::rank < max_rank;
    static_assert(is_valid, "tenon: unfold: the window or the step is below 1, or there are 8 axes already; give both at least 1");
    if constexpr (!is_valid) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank), rank = operand::rank + 1;
      constexpr long long stop = Size > 1 ? 1 - static_cast<long long>(Size) : open_bound;
      constexpr extent count = 
          static_extent(operand::extents[axis].is_static(), resolve_range(operand::extents[axis].size, 0, stop, Step).count);
      graph& g = *x.owner;
      dim windows = g.dims.sliced(dim_of(x, axis), 0, stop, Step);
      auto at = positions<rank, axis, count>(g, windows) * Step + positions<rank, rank - 1, extent(Size)>(g, g.dims.constant(Size));
      dim_list dims = g[x.id].dims;
      dims[axis] = windows;
      dims.push_back(g.dims.constant(Size));
      attribute map;
      for (int k = 0; k < operand::rank; ++k) map.push_back(k == axis ? -1 : k);
      int index = build::broadcast_trailing(g, at.id, dims);
      return value_t<D, window_shape<operand, axis, count, Size>>{&g, build::take(g, x.id, map, {{index}, 1}, 0, dims)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: unfold: the arguments are not a value, one axis, a window and a step; write tn::unfold(x, tn::axis<0>, tn::ct<3>, tn::ct<1>)");
    return refused{};
  }

 private:
  template <class X, int Axis, extent Count, long long Size>
  struct window_shape {
    static constexpr type_shape compute() {
      type_shape result = X::extents;
      result[Axis] = Count;
      result.push_back(static_extent(true, Size));
      return result;
    }
    static constexpr type_shape extents = compute();
  };
};

// One position of an axis, which is dropped.
struct select_body {
  template <dtype D, extent... E, int Axis, auto Position>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, ct_t<Position>) const {
    if constexpr (!check_axes<sizeof...(E), Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, sizeof...(E));
      graph& g = *x.owner;
      value<dtype::i64> at{&g, build::integer_literal(g, dtype::i64, Position)};
      return take_body{}(x, at, tenon::axis<axis>);
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: select: the arguments are not a value, one axis and a tn::ct; write tn::select(x, tn::axis<0>, tn::ct<2>)");
    return refused{};
  }
};

}  // namespace detail

// arange<N>(x): 0 to N - 1 as i64, of rank 1; x is any value of the expression.
template <long long Count>
inline constexpr function<detail::arange_body<Count>> arange{};
// full<2, 3>(x, number): the number in that shape, in the dtype of such a literal; x is any value of the expression.
template <long long... Extents>
inline constexpr function<detail::full_body<Extents...>> full{};
// eye<N>(x), eye<N, M>(x), with tn::ct<offset> or without: 1 where the column is the row plus the offset (0), else 0, f32.
template <long long Rows, long long Columns = Rows>
inline constexpr function<detail::eye_body<Rows, Columns>> eye{};
// A number everywhere, in the shape and dtype of x.
inline constexpr function<detail::full_like_body> full_like{};
inline constexpr function zeros_like{[](auto x) { return full_like(x, 0); }};
inline constexpr function ones_like{[](auto x) { return full_like(x, 1); }};
// 1 where the column is the row plus tn::ct<offset> (0), else 0.
inline constexpr function<detail::eye_like_body> eye_like{};
// one_hot(classes, tn::ct<10>): a last axis with 1 at the class, i64; a negative class counts from the end.
inline constexpr function<detail::one_hot_body> one_hot{};
// The elements on and below, or on and above, diagonal tn::ct<offset> (0) of the last two axes, 0 elsewhere.
inline constexpr function<detail::triangle_body<detail::keep_below>> tril{};
inline constexpr function<detail::triangle_body<detail::keep_above>> triu{};
inline constexpr function<detail::diagonal_body> diagonal{};
inline constexpr function<detail::unfold_body> unfold{};
// select(x, axis, tn::ct<i>): position i of the axis, without the axis.
template <class X, int Axis, auto Position>
constexpr auto select(X const& x, axis_t<Axis> along, ct_t<Position> at) {
  return function<detail::select_body>{}(x, along, at);
}

}  // namespace tenon
