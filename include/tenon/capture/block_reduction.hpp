// SPDX-License-Identifier: Apache-2.0
#pragma once
// block_max, block_min, block_sum: reductions of short blocks along an axis, of which every element
// of the block has the result.
//
// The axis stays whole, so that blocks and whole rows are reduced in one kernel: what scales the
// blocks of a normalised row is known where the row is.

#include "tenon/capture/checks.hpp"
#include "tenon/capture/function.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {
namespace detail {

template <class Op>
struct block_body {
  template <dtype D, extent... E, int Axis, auto Length>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, ct_t<Length>) const {
    using operand = value<D, E...>;
    constexpr bool is_block =
        Length >= 2 && Length <= ops::longest_block && (Length & (Length - 1)) == 0;
    static_assert(is_block, "tenon: block: the length is not a power of two from 2 to 128; give one, as in tn::block_max(x, tn::axis<-1>, tn::ct<32>), or reshape and reduce the last axis");
    if constexpr (!is_block) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank);
      return value_t<Op::rule.result(D), shape_of<operand>>{
          x.owner, build::scan(*x.owner, op_id<Op>, x.id, axis, ops::blocks_of(Length))};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: block: the arguments are not a value, one axis and a length; write tn::block_max(x, tn::axis<-1>, tn::ct<32>)");
    return refused{};
  }
};

}  // namespace detail

// block_max(x, axis, tn::ct<32>): each element becomes the greatest of its block of 32 along the axis, the last block may
// be shorter.
inline constexpr function<detail::block_body<ops::block_maximum>> block_max{};
inline constexpr function<detail::block_body<ops::block_minimum>> block_min{};
inline constexpr function<detail::block_body<ops::block_total>> block_sum{};

}  // namespace tenon
