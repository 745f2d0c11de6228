// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reductions of a phase → their running states in lanes, side by side for a loop that a
// compiler turns into vector code, and then one state of all lanes.

#include "tenon/backend/cpu/reduction_states.hpp"

namespace tenon::cpu_backend {

// A lane adds 8 terms one after the other, then 8 of these sums, which are a block. With the trees
// above, a sum of n numbers is off by at most 2 log2(n) units of roundoff of their magnitudes. 16
// lanes are one or two vector registers of float; of 32, a sum of 16 million floats takes 1.6 times
// as long on one core of a Zen 5 EPYC.
inline constexpr int lane_count = 16;
inline constexpr int terms_per_lane = 8;

// A state for each lane. Where rounding adds up, what has taken in several terms goes up a level.
template <class I> class lanes_of_states {
  using op = typename I::op;
  using number = arithmetic_t<I::type>;
  using state = typename I::value_type;
  static constexpr bool has_levels = ops::rounded_reduction<op, state>;

 public:
  lanes_of_states() {
    for (state& s : terms_) s = op::template identity<number>();
    for (state& s : sums_) s = op::template identity<number>();
  }
  template <class... Values> void take(int lane, Values... values) {
    terms_[lane] = accumulated<I>(terms_[lane], values...);
  }
  void raise() {
    if constexpr (has_levels)
      for (int lane = 0; lane < lane_count; ++lane) {
        sums_[lane] = op::combine(sums_[lane], terms_[lane]);
        terms_[lane] = op::template identity<number>();
      }
  }
  // Combines the first `used` lanes in a tree that depends on `used` alone: an unused lane costs
  // nothing.
  state result(int used) {
    raise();
    state* const all = has_levels ? sums_ : terms_;
    for (int step = 1; step < used; step *= 2)
      for (int lane = 0; lane + step < used; lane += 2 * step)
        all[lane] = op::combine(all[lane], all[lane + step]);
    return all[0];
  }

 private:
  state terms_[lane_count], sums_[has_levels ? lane_count : 1];
};

// An operator may have lanes that cost less.
template <class I, class = void> struct lanes_of { using type = lanes_of_states<I>; };
template <class I>
struct lanes_of<I, std::void_t<typename I::op::template lanes<arithmetic_t<I::type>, lane_count>>> {
  using type = typename I::op::template lanes<arithmetic_t<I::type>, lane_count>;
  // Some have room for so many terms.
  static_assert(![] {
    if constexpr (requires { type::most_terms; }) return type::most_terms < terms_per_lane;
    return false;
  }());
};

template <int K, class Lanes> struct lanes_slot { Lanes lanes; };
template <class Program, class Sequence> struct lanes_file;
template <class Program, int... K>
struct lanes_file<Program, std::integer_sequence<int, K...>>
    : lanes_slot<K, typename lanes_of<typename program_traits<Program>::template at<K>>::type>... {
  static constexpr bool is_empty = sizeof...(K) == 0;
};
template <int K, class Lanes> Lanes& lanes_in(lanes_slot<K, Lanes>& slot) { return slot.lanes; }

template <class Program, int Phase>
class reduction_lanes
    : lanes_file<Program,
                 tenon::detail::held_sequence<Program, ending_here<Program, place::row, Phase>>> {
 public:
  using reduction_lanes::lanes_file::is_empty;

  // Adds the values of a frame to one lane of every reduction.
  void take(frame<Program> const& f, int lane) {
    for_each([&](auto index, auto& each) {
      take_operands<decltype(index)::value>(f, each, lane, operands_of<decltype(index)::value>{});
    });
  }
  // @pre the lanes have taken in terms_per_lane terms each since the last time
  void raise() {
    for_each([](auto, auto& each) { each.raise(); });
  }
  // @post `result` has what the first `used` lanes have
  void finish(int used, reduction_states<Program, place::row, Phase>& result) {
    for_each([&](auto index, auto& each) {
      state_of<decltype(index)::value>(result) = each.result(used);
    });
  }

 private:
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> using operands_of = typename at<K>::operands;

  template <class Visit> void for_each(Visit const& visit) {
    for_each_reduction<Program, place::row, Phase>(
        [&](auto index) { visit(index, lanes_in<decltype(index)::value>(*this)); });
  }
  template <int K, class Lanes, int... Operands>
  static void take_operands(frame<Program> const& f, Lanes& into, int lane,
                            std::integer_sequence<int, Operands...>) {
    into.take(lane, as_element<arithmetic_t<at<K>::type>>(value_of<Operands>(f))...);
  }
};

}  // namespace tenon::cpu_backend
