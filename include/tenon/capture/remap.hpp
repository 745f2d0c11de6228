// SPDX-License-Identifier: Apache-2.0
#pragma once
// What views are written with whose elements lie elsewhere along one axis: positions along the new axis, the axis' length
// as a value, and the element at a position.

#include "tenon/capture/indexing.hpp"

namespace tenon::detail {

// One axis of several, the others of extent 1.
template <int Rank, int Axis, extent Length>
struct single_axis {
  static constexpr type_shape compute() {
    type_shape result;
    for (int k = 0; k < Rank; ++k) result.push_back(k == Axis ? Length : extent(1));
    return result;
  }
  static constexpr type_shape extents = compute();
};

// 0, 1, 2, ... along axis Axis, whose length is `length`; Length is what the types know of it.
template <int Rank, int Axis, extent Length>
constexpr auto positions(graph& g, dim length) {
  dim_list dims;
  for (int k = 0; k < Rank; ++k) dims.push_back(k == Axis ? length : unit_dim);
  return value_t<dtype::i64, single_axis<Rank, Axis, Length>>{&g, build::position_along(g, dims, 1u << Axis)};
}

template <class X>
constexpr dim dim_of(X const& x, int axis) {
  return (*x.owner)[x.id].dims[axis];
}
// The length of an axis as an i64.
template <class X>
constexpr auto length_of(X const& x, int axis) {
  dim_list counted;
  counted.push_back(dim_of(x, axis));
  return value<dtype::i64>{x.owner, build::size(*x.owner, counted, dtype::i64)};
}

// As take_along_axis, for positions known to be inside, or whose element is not used where they are not.
inline constexpr function<take_along_axis_body<false>> take_inside{};

// Asks at the call for a length, where the types do not say that this is it.
constexpr void require_length(graph& g, dim found, long long length, text_view operation) {
  dim const wanted = g.dims.constant(length);
  if (found != wanted) g.checks.push_back({found, wanted, operation});
}
// Asks at the call for at least `count` elements along an axis.
template <class X>
constexpr void require_at_least(X const& x, int axis, long long count, text_view operation) {
  graph& g = *x.owner;
  require_length(g, g.dims.sliced(dim_of(x, axis), 0, count, 1), count, operation);
}
// Asks at the call for at most as many.
template <class X>
constexpr void require_at_most(X const& x, int axis, long long count, text_view operation) {
  graph& g = *x.owner;
  require_length(g, g.dims.sliced(dim_of(x, axis), count, open_bound, 1), 0, operation);
}

constexpr extent static_extent(bool is_known, long long length) {
  extent result;
  if (is_known) result.size = length;
  return result;
}
constexpr extent static_sum(extent a, extent b) { return static_extent(a.is_static() && b.is_static(), a.size + b.size); }
constexpr extent static_product(extent a, long long times) { return static_extent(a.is_static(), a.size * times); }

}  // namespace tenon::detail
