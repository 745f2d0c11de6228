// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing at positions along several axes at once, as gather_nd reads: scatter_nd and its sums, products and extrema.

#include "tenon/capture/reshape.hpp"
#include "tenon/capture/scatter.hpp"

namespace tenon {
namespace detail {

// The row-major position that `count` numbers of each index name along the base's first axes; the count of all positions,
// which is none, where one of them is outside.
constexpr int position_in_all(graph& g, dim_list const& of_base, int index, int count) {
  dim_list all;
  int position = -1, least = -1;
  for (int k = 0; k < count; ++k) {
    dim_list one;
    one.push_back(of_base[k]);
    all.push_back(of_base[k]);
    int const length = build::size(g, one, dtype::i64);
    int const at = build::pointwise(g, op_id<ops::target_position>, {{coordinate(g, index, k), length}, 2});
    least = k == 0 ? at : build::pointwise(g, op_id<ops::minimum>, {{least, at}, 2});
    position = k == 0 ? at
                      : build::pointwise(g, op_id<ops::add>, {{build::pointwise(g, op_id<ops::mul>, {{position, length}, 2}), at}, 2});
  }
  int const is_outside = build::pointwise(g, op_id<ops::less>, {{least, build::integer_literal(g, dtype::i64, 0)}, 2});
  return build::pointwise(g, op_id<ops::where>, {{is_outside, build::size(g, all, dtype::i64), position}, 3});
}

// The updates have the index's axes but its last, and then those of the base that it does not name.
template <class Base, class Index, class Updates>
constexpr bool are_updates_at() {
  if constexpr (!is_value<Updates>) {
    return true;
  } else {
    constexpr int count = coordinate_count<Index>(), around = Index::rank - 1;
    if (Updates::rank != around + Base::rank - count) return false;
    for (int k = 0; k < Updates::rank; ++k)
      if (!are_compatible(Updates::extents[k], k < around ? Index::extents[k] : Base::extents[k - around + count])) return false;
    return true;
  }
}

template <class Update>
struct scatter_nd_body {
  template <dtype D, extent... E, dtype I, extent... F, class Updates>
  constexpr auto operator()(value<D, E...> const& base, value<I, F...> const& index, Updates const& updates) const {
    using operand = value<D, E...>;
    using indices = value<I, F...>;
    constexpr int count = coordinate_count<indices>();
    constexpr bool is_integer = is_index<indices>, has_count = count >= 1 && count <= operand::rank;
    static_assert(is_integer, "tenon: scatter: the index is not an integer; cast it, as in tn::cast<int>(index)");
    static_assert(has_count, "tenon: scatter_nd: the last extent of the index is not a build-time number from 1 to the base's rank; give it one, as in tn::reshape(index, tn::shape<-1, 2>)");
    if constexpr (!is_integer || !has_count) {
      return refused{};
    } else {
      constexpr bool fit = are_updates_at<operand, indices, Updates>();
      static_assert(fit, "tenon: scatter_nd: the updates do not fit; give them the axes of the index but its last, and then those of the base that it does not name");
      if constexpr (!fit)
        return refused{};
      else
        return scattered<count>(base, index, updates);
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: scatter_nd: the arguments are not a base, an index and updates; write tn::scatter_nd(base, index, updates)");
    return refused{};
  }

 private:
  template <int Count, dtype D, extent... E, class Index, class Updates>
  static constexpr auto scattered(value<D, E...> const& base, Index const& index, Updates const& updates) {
    constexpr int around = Index::rank - 1;
    graph& g = *base.owner;
    if constexpr (is_value<Updates>)
      for (int k = 0; k < around; ++k) require_length(g, g[updates.id].dims[k], g[index.id].dims[k]);
    auto const whole = merged<Count>(base);
    auto const at = merged<around>(value_t<dtype::i64, leading_axes<Index>>{
        &g, Count == 1 ? coordinate(g, index.id, 0) : position_in_all(g, dim_list(g[base.id].dims), index.id, Count)});
    auto const given = [&] {
      if constexpr (is_value<Updates>) return merged<around>(updates);
      else return updates;
    }();
    auto const result = scatter_body<Update>{}(whole, axis<0>, at, given);
    if constexpr (is_refused<std::remove_const_t<decltype(result)>>)
      return refused{};
    else
      return value<D, E...>{&g, build::reshape(g, result.id, dim_list(g[base.id].dims))};
  }
  template <class Index>
  struct leading_axes {
    static constexpr type_shape compute() {
      type_shape result;
      for (int k = 0; k + 1 < Index::rank; ++k) result.push_back(Index::extents[k]);
      return result;
    }
    static constexpr type_shape extents = compute();
  };
  // The first Axes axes as one.
  template <int Axes, class Value>
  static constexpr auto merged(Value const& x) {
    if constexpr (Axes == 0)
      return unsqueeze_body{}(x, axis<0>);
    else if constexpr (Axes == 1)
      return x;
    else
      return flatten_body{}(x, axis<0, Axes - 1>);
  }
  static constexpr void require_length(graph& g, dim given, dim wanted) {
    if (given == wanted) return;
    g.checks.push_back({given, wanted, "scatter_nd"});
    g.dims.unite(given, wanted);
  }
};

}  // namespace detail

// scatter_nd(base, index, updates): the base with the updates at the positions that the last axis of the index holds, as
// gather_nd reads them; of several for one place the last one. PyTorch's index_put, its indices stacked along the last axis.
inline constexpr function<detail::scatter_nd_body<detail::assigned_update>> scatter_nd{};
// The same, adding, multiplying, or keeping the greatest or least; the updates of one place are combined in their order.
inline constexpr function<detail::scatter_nd_body<detail::combined_update<ops::sum, ops::add>>> scatter_nd_add{};
inline constexpr function<detail::scatter_nd_body<detail::combined_update<ops::product, ops::mul>>> scatter_nd_mul{};
inline constexpr function<detail::scatter_nd_body<detail::combined_update<ops::greatest_update, ops::maximum>>> scatter_nd_max{};
inline constexpr function<detail::scatter_nd_body<detail::combined_update<ops::least_update, ops::minimum>>> scatter_nd_min{};

}  // namespace tenon
