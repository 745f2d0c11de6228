// SPDX-License-Identifier: Apache-2.0
#pragma once
// sort and argsort along one axis.

#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/ops/sort.hpp"

namespace tenon {

struct descending_t {};
// The greatest element first.
inline constexpr descending_t descending{};

namespace detail {

enum class sort_part : unsigned char { values, indices, both };

template <sort_part Part>
struct sort_body {
  template <dtype D, extent... E, int Axis, class... Options>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, Options...) const {
    using operand = value<D, E...>;
    constexpr bool is_known = (std::is_same_v<Options, descending_t> && ...);
    static_assert(is_known, "tenon: sort: an option is none that sorts have; give tn::descending or none");
    if constexpr (!is_known) {
      return nothing();
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return nothing();
    } else {
      constexpr int along = normalized(Axis, operand::rank);
      graph& g = *x.owner;
      if constexpr (operand::extents[along] == extent(1)) {
        return results(x, x.id, build::position_along(g, dim_list(g[x.id].dims), 1u << along));
      } else {
        using op = std::conditional_t<sizeof...(Options) != 0, ops::descending_sort, ops::ascending_sort>;
        int const sorted = build::scan(g, op_id<op>, x.id, along, 0);
        return results(x, build::project(g, op_id<ops::chosen_value>, sorted, D),
                       build::project(g, op_id<ops::chosen_index>, sorted, dtype::i64));
      }
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: sort: the arguments are not a value and one axis; write tn::sort(x, tn::axis<1>), with tn::descending where it is meant");
    return nothing();
  }

 private:
  static constexpr auto nothing() {
    if constexpr (Part == sort_part::both)
      return indexed_values<refused, refused>{};
    else
      return refused{};
  }
  template <dtype D, extent... E>
  static constexpr auto results(value<D, E...> const& x, int values, int indices) {
    value<D, E...> const elements{x.owner, values};
    value<dtype::i64, E...> const positions{x.owner, indices};
    if constexpr (Part == sort_part::values)
      return elements;
    else if constexpr (Part == sort_part::indices)
      return positions;
    else
      return indexed_values<value<D, E...>, value<dtype::i64, E...>>{elements, positions};
  }
};

// The first elements of a descending order, or of an ascending one.
template <bool IsDescending>
struct sorted_topk {
  template <class X, int Axis, long long Count>
  static constexpr auto run(X const& x, axis_t<Axis> along, ct_t<Count>) {
    auto [values, indices] = ordered(x, along);
    auto const first_of = [&](auto const& all) { return slice(all, along, range<0, Count>); };
    return indexed_values<decltype(first_of(values)), decltype(first_of(indices))>{first_of(values), first_of(indices)};
  }

 private:
  template <class X, class Along>
  static constexpr auto ordered(X const& x, Along along) {
    if constexpr (IsDescending)
      return sort_body<sort_part::both>{}(x, along, descending);
    else
      return sort_body<sort_part::both>{}(x, along);
  }
};

}  // namespace detail

// The elements along the axis in ascending order, or with tn::descending in descending order. Equal ones stay as they are
// (-0 equals 0), NaN is greater than any number.
inline constexpr function<detail::sort_body<detail::sort_part::values>> sort{};
// Where they were, i64.
inline constexpr function<detail::sort_body<detail::sort_part::indices>> argsort{};
// auto [values, indices] = tn::sort_with_index(x, tn::axis<1>);
inline constexpr function<detail::sort_body<detail::sort_part::both>> sort_with_index{};

}  // namespace tenon
