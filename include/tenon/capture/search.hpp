// SPDX-License-Identifier: Apache-2.0
#pragma once
// searchsorted and bucketize: where values belong in sorted sequences.

#include "tenon/capture/indexing.hpp"
#include "tenon/capture/reshape.hpp"
#include "tenon/ops/search.hpp"

namespace tenon {

struct right_t {};
// searchsorted(sequence, values, tn::right): behind equal elements instead of before them.
inline constexpr right_t right{};

namespace detail {

// A sequence of rank 1 serves all values; else it has their leading axes.
template <class Sequence, class Values> struct searched_shape {
  using start = replaced_shape<Sequence, Sequence::rank - 1, extent(1)>;
  using all = std::conditional_t<Sequence::rank == 1, shape_of<Values>,
                                 broadcast_all<start, shape_of<Values>>>;
  static constexpr bool fits() {
    if constexpr (Sequence::rank == 1)
      return true;
    else if constexpr (Sequence::rank != extents_of<Values>().size())
      return false;
    else
      return all::is_valid;
  }
};

// Whether a value is an argument, seen through views with strides.
constexpr bool is_in_memory(graph const& g, int id) {
  while (g[id].is<ops::slice>() || g[id].is<ops::reshape>() || g[id].is<ops::transpose>() ||
         g[id].is<ops::broadcast>())
    id = g[id].operands[0];
  return g[id].is<ops::input>();
}

struct searchsorted_body {
  template <dtype D, extent... E, class Values, class... Options>
  constexpr auto operator()(value<D, E...> const& sequence, Values const& values,
                            Options...) const {
    using operand = value<D, E...>;
    constexpr bool is_known = (std::is_same_v<Options, right_t> && ...),
                   is_valued = is_value<Values> || is_weakly_typed<Values>,
                   has_axis = operand::rank > 0;
    static_assert(is_known,
                  "tenon: searchsorted: an option is none that searches have; give tn::right or "
                  "none");
    static_assert(is_valued,
                  "tenon: searchsorted: the values are neither a value of the expression nor a "
                  "number; write tn::searchsorted(sequence, values)");
    static_assert(has_axis,
                  "tenon: searchsorted: the sequence has no axis; give it at least one, of which "
                  "the last is sorted");
    if constexpr (!is_known || !is_valued || !has_axis) {
      return refused{};
    } else {
      constexpr bool fits = searched_shape<operand, Values>::fits();
      static_assert(fits,
                    "tenon: searchsorted: the sequences do not fit the values; give one of rank 1, "
                    "or one for each of the values' leading positions");
      if constexpr (!fits)
        return refused{};
      else
        return place<sizeof...(Options) != 0>(sequence, values);
    }
  }
  template <class... A> constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>,
                  "tenon: searchsorted: the arguments are not a sequence and values; write "
                  "tn::searchsorted(sequence, values), with tn::right or without");
    return refused{};
  }

 private:
  // What the values are compared in: integers among floating-point numbers stay what they are.
  template <class Sequence, class Values> static constexpr dtype compared_dtype() {
    typed_operand const both[] = {typed<Sequence>(), typed<Values>()};
    bool const is_integer = !is_floating(both[1].type) && both[1].type != dtype::boolean;
    return is_floating(Sequence::type) && is_integer ? both[1].type : promote(both, both + 2);
  }
  template <bool IsRight, class Sequence, class Values>
  static constexpr auto place(Sequence const& sequence, Values const& values) {
    constexpr dtype compared = compared_dtype<Sequence, Values>();
    using shape = typename searched_shape<Sequence, Values>::all;
    graph& g = *sequence.owner;
    int const wanted = build::convert(g, node_of(g, values), compared);
    if (!is_in_memory(g, sequence.id)) g.refused = refusal::searched_is_computed;
    int const found = bisected<Sequence::type, compared, IsRight>(g, sequence.id, wanted);
    return value_t<dtype::i64, shape>{&g, found};
  }

  template <dtype D, dtype Compared, bool IsRight>
  static constexpr int bisected(graph& g, int sequence, int values) {
    dim_list dims;
    attribute map;
    for (int k = 0; k + 1 < g[sequence].rank(); ++k) {
      map.push_back(k);
      dims.push_back(g[sequence].dims[k]);
    }
    map.push_back(-1);
    if (!dims.empty()) dims.push_back(unit_dim);
    int const zero = build::integer_literal(g, dtype::i64, 0);
    int const start = build::pointwise(g, op_id<ops::search_start>, {{zero}, 1});
    int const first = build::take(g, sequence, map, {{start}, 1}, 0u, dims);
    return build::pointwise(g, op_id<ops::search<D, Compared, IsRight>>, {{first, values}, 2}, D);
  }
};

struct bucketize_body {
  template <class X, class Boundaries, class... Options>
  constexpr auto operator()(X const& x, Boundaries const& boundaries, Options... options) const {
    constexpr bool has_boundaries = [] {
      if constexpr (is_value<Boundaries>)
        return Boundaries::rank == 1;
      else
        return false;
    }();
    static_assert(has_boundaries,
                  "tenon: bucketize: the boundaries are not a value of rank 1; write "
                  "tn::bucketize(x, boundaries), or tn::searchsorted for a sequence per row");
    if constexpr (has_boundaries)
      return searchsorted_body{}(boundaries, x, options...);
    else
      return refused{};
  }
};

}  // namespace detail

// searchsorted(sequence, values), (..., tn::right): how many elements of the sequence, sorted along
// its last axis, come before each value, i64; with tn::right those that equal it too. NaN comes
// last. A sequence of rank 1 serves all values; otherwise each row of values has its own.
inline constexpr function<detail::searchsorted_body> searchsorted{};
// bucketize(x, boundaries), (..., tn::right): searchsorted(boundaries, x).
inline constexpr function<detail::bucketize_body> bucketize{};

}  // namespace tenon
