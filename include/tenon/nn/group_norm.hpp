// SPDX-License-Identifier: Apache-2.0
#pragma once
// Group normalisation: channels at axis 1, in groups of equal size that are normalised together.

#include "tenon/capture/movement.hpp"
#include "tenon/nn/channel_norm.hpp"

namespace tenon {
namespace detail {

// Splits axis Axis, of length n, into Groups and n / Groups.
template <int Axis, int Groups>
struct split_channels {
  template <class Value>
  struct shape {
    static constexpr bool is_even = !Value::extents[Axis].is_static() || Value::extents[Axis].size % Groups == 0;
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; k < Value::rank; ++k) {
        extent e = Value::extents[k];
        if (k == Axis) {
          result.push_back(extent(Groups));
          if (e.is_static())
            e.size /= Groups;
          else
            e = extent();
        }
        result.push_back(e);
      }
      return result;
    }
    static constexpr type_shape extents = compute();
  };
  template <class Value>
  constexpr auto operator()(Value x) const {
    static_assert(shape<Value>::is_even, "tenon: group_norm: the channels are not a multiple of the groups; use a divisor of their number");
    graph& g = *x.owner;
    dim const groups = g.dims.constant(Groups), length = g.dims.quotient(g[x.id].dims[Axis], groups);
    return value_t<Value::type, shape<Value>>{&g, split_axis(g, x.id, Axis, groups, length, "group_norm")};
  }
};

struct group_norm_body {
  template <class X, auto Groups, class Epsilon = double> requires is_weakly_typed<Epsilon>
  constexpr auto operator()(X x, ct_t<Groups>, Epsilon epsilon = default_epsilon) const {
    return restored(x, normalized_groups<Groups>(x, epsilon));
  }
  template <class X, auto Groups, class Weight, class Bias, class Epsilon = double>
  constexpr auto operator()(X x, ct_t<Groups>, Weight weight, Bias bias, Epsilon epsilon = default_epsilon) const {
    // Before the groups are merged again: nothing then depends on a merged axis.
    split_channels<0, Groups> split;
    auto y = normalized_groups<Groups>(x, epsilon);
    constexpr int rank = X::rank + 1;
    return restored(x, y * along_channels<rank>(split(weight)) + along_channels<rank>(split(bias)));
  }

 private:
  template <int Groups, class X, class Epsilon>
  static constexpr auto normalized_groups(X x, Epsilon epsilon) {
    auto groups = split_channels<1, Groups>{}(x);
    return standardize(groups, axes_from_to_last<2, decltype(groups)>, epsilon);
  }
  // The shape that x has.
  template <class X, class Y>
  static constexpr auto restored(X x, Y y) {
    return value_t<Y::type, shape_of<X>>{x.owner, build::reshape(*x.owner, y.id, dim_list((*x.owner)[x.id].dims))};
  }
};

}  // namespace detail

// (x, tn::ct<groups>), (x, tn::ct<groups>, weight, bias), (..., epsilon).
inline constexpr function<detail::group_norm_body> group_norm{};

}  // namespace tenon
