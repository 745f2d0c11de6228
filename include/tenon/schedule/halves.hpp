// SPDX-License-Identifier: Apache-2.0
#pragma once
// An iteration space in which elements are exchanged between the halves of an axis, as rotations of
// heads do → what each instruction has to do with it: whoever has an element of either half has
// what the other one reads.

#include "tenon/ops/arithmetic.hpp"
#include "tenon/ops/bitwise.hpp"
#include "tenon/ops/comparison.hpp"
#include "tenon/ops/indexing.hpp"
#include "tenon/schedule/schedule.hpp"

namespace tenon {

// What a program says of instructions in their bits: of a fetch, or of a choice between two, 1 +
// the number of the read whose element in the other half it is; and
inline constexpr long long tells_half = 1,  // of a comparison: whether it is the first half
    is_alike_in_halves = -1,                // of an index: the same in both
    goes_on_in_halves = 1ll << 32;  // of an operand, beside its position: varies along the axis

namespace detail {

class half_finder {
 public:
  constexpr half_finder(graph const& g, iteration_space const& space) : g_(g), space_(space) {}

  // The bits of all instructions, of the first such axis that is known at place element.
  // @post those that do not take part, and all where there is no such axis, are as they were
  constexpr constexpr_vector<long long> find(constexpr_vector<place> const& places) {
    for (int k = 0; k < space_.instructions.size(); ++k)
      if (places[k] == place::element && is_condition(k) && find_others()) {
        find_alike();
        return bits_;
      }
    return bits();
  }

 private:
  // How the address of a read is found: from where on, and by which indices, but for the one along
  // the halved axis.
  struct walk {
    int from = -1;   // the load that begins it
    int along = -1;  // the step with an index of the halved axis
    static_vector<int, max_operands> others = {};
  };

  constexpr constexpr_vector<long long> bits() const {
    constexpr_vector<long long> result;
    for (instruction const& i : space_.instructions) result.push_back(i.bits);
    return result;
  }
  constexpr instruction const& at(int k) const { return space_.instructions[k]; }
  template <class Op> constexpr bool is(int k) const { return at(k).op == &op_info_of<Op>; }
  constexpr bool is_step(int k) const { return is<ops::advance>(k) || is<ops::advance_checked>(k); }
  constexpr bool varies(int k) const { return at(k).axes >> axis_ & 1u; }

  // position < half
  constexpr bool is_condition(int k) {
    if (!is<ops::less>(k)) return false;
    condition_ = k, position_ = at(k).operands[0], half_ = at(k).operands[1];
    return is_position() && is_half();
  }
  // The positions along one axis.
  constexpr bool is_position() {
    if (!is<ops::index>(position_)) return false;
    load const& from = space_.loads[static_cast<int>(at(position_).bits)];
    if (from.view == no_view || !g_[from.view].is<ops::index>()) return false;
    int axes = 0;
    for (int axis : from.along)
      if (axis != no_axis) axis_ = axis, ++axes;
    return axes == 1;
  }
  constexpr bool is_half() const {
    if (!is<ops::shift_right>(half_)) return false;
    int const length = at(half_).operands[0], by = at(half_).operands[1];
    return is_literal(by, 1) && is_length(length);
  }
  constexpr bool is_literal(int k, long long value) const {
    return is<ops::literal>(k) && at(k).type == dtype::i64 && at(k).bits == value;
  }
  constexpr bool is_length(int k) const {
    dim const length = g_.dims.representative(space_.axes[axis_]);
    if (g_.dims.is_constant(length) && is_literal(k, g_.dims[length].a)) return true;
    if (!is<ops::size>(k)) return false;
    quantity const& q = space_.sizes[static_cast<int>(at(k).bits)];
    if (q.what != quantity::kind::count || g_.attributes[q.of].size() != 1) return false;
    return g_.dims.representative(static_cast<dim>(g_.attributes[q.of][0])) == length;
  }

  // Whether any read has the element of another one in the other half.
  constexpr bool find_others() {
    bits_ = bits();
    bool is_any = false;
    for (int k = 0; k < space_.instructions.size(); ++k) {
      int const own = is<ops::fetch>(k)   ? own_of_fetch(k)
                      : is<ops::where>(k) ? own_of_choice(k)
                                          : -1;
      if (own >= 0) bits_[k] = 1 + own;
      is_any = is_any || own >= 0;
    }
    return is_any;
  }
  constexpr void find_alike() {
    bits_[condition_] = tells_half;
    for (int k = 0; k < space_.instructions.size(); ++k) {
      if (is_folded(k)) bits_[k] = is_alike_in_halves;
      if (!is<ops::load>(k) && !is<ops::index>(k) && !is<ops::address>(k)) continue;
      for (int axis : load_of(k).along)
        if (axis == axis_) bits_[k] |= goes_on_in_halves;
    }
  }
  constexpr bool is_sum(int k) const {
    auto const& of = at(k).operands;
    return is<ops::add>(k) &&
           ((of[0] == position_ && of[1] == half_) || (of[0] == half_ && of[1] == position_));
  }
  constexpr bool is_difference(int k) const {
    return is<ops::sub>(k) && at(k).operands[0] == position_ && at(k).operands[1] == half_;
  }
  // The position in the other half, and that from the beginning of either.
  constexpr bool is_other(int k) const {
    auto const& of = at(k).operands;
    return is<ops::where>(k) && of[0] == condition_ && is_sum(of[1]) && is_difference(of[2]);
  }
  constexpr bool is_folded(int k) const {
    auto const& of = at(k).operands;
    return is<ops::where>(k) && of[0] == condition_ && of[1] == position_ && is_difference(of[2]);
  }

  // The read whose element in the other half it is, or -1.
  constexpr int own_of_fetch(int k) const {
    walk const way = walk_of(k);
    if (way.from < 0 || way.along < 0) return -1;
    load const& from = load_of(way.from);
    quantity const& stride = space_.sizes[static_cast<int>(at(at(way.along).operands[2]).bits)];
    for (int own = 0; own < space_.instructions.size(); ++own) {
      if (!is<ops::load>(own) && !is<ops::fetch>(own)) continue;
      walk const own_way = walk_of(own);
      if (own_way.from < 0 || own_way.along >= 0 || !has_same_steps(way, own_way)) continue;
      load beside = load_of(own_way.from);
      if (beside.along[stride.axis] != axis_ || at(own).type != at(k).type) continue;
      beside.along[stride.axis] = no_axis;
      if (beside.view == from.view && beside.along == from.along) return own;
    }
    return -1;
  }
  // One of two such reads, by a condition that both halves have in common.
  constexpr int own_of_choice(int k) const {
    auto const& of = at(k).operands;
    if (varies(of[0]) || !has_own(of[1]) || !has_own(of[2])) return -1;
    for (int own = 0; own < space_.instructions.size(); ++own) {
      if (!is<ops::where>(own) || at(own).operands[0] != of[0]) continue;
      if (at(own).operands[1] + 1 == bits_[of[1]] && at(own).operands[2] + 1 == bits_[of[2]])
        return own;
    }
    return -1;
  }
  constexpr bool has_own(int k) const {
    return (is<ops::fetch>(k) || is<ops::where>(k)) && bits_[k] > 0;
  }

  constexpr load const& load_of(int k) const { return space_.loads[static_cast<int>(at(k).bits)]; }
  constexpr walk walk_of(int k) const {
    walk result;
    if (is<ops::fetch>(k)) k = at(k).operands[0];
    for (; is_step(k); k = at(k).operands[0]) {
      int const index = at(k).operands[1];
      if (result.along < 0 && is_other(index))
        result.along = k;
      else
        result.others.push_back(k);
    }
    if (is<ops::load>(k) || is<ops::address>(k)) result.from = k;
    return result;
  }
  // But for what each begins with.
  constexpr bool has_same_steps(walk const& a, walk const& b) const {
    if (a.others.size() != b.others.size()) return false;
    for (int n = 0; n < a.others.size(); ++n) {
      instruction const &of_a = at(a.others[n]), &of_b = at(b.others[n]);
      if (of_a.op != of_b.op || varies(of_a.operands[1])) return false;
      for (int operand = 1; operand < 4; ++operand)
        if (of_a.operands[operand] != of_b.operands[operand]) return false;
    }
    return true;
  }

  graph const& g_;
  iteration_space const& space_;
  int condition_ = -1, position_ = -1, half_ = -1, axis_ = no_axis;
  constexpr_vector<long long> bits_;
};

}  // namespace detail
}  // namespace tenon
