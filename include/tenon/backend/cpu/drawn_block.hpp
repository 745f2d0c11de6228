// SPDX-License-Identifier: Apache-2.0
#pragma once
// The random numbers of a block of elements: one call of the generator for as many neighbours as it
// gives, where their positions follow each other.

#include "tenon/backend/cpu/block_operands.hpp"
#include "tenon/program/drawn.hpp"

namespace tenon::cpu_backend {

// @pre the program has random operators
template <class Program, int Phase, bool Stores> struct drawn_block {
  using drawn = tenon::detail::drawn<Program, Phase, Stores>;
  using given = drawn;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> struct numbers_of {
    alignas(64) typename at<K>::value_type at_element[block_size];
  };
  template <class Sequence> struct file;
  template <int... K> struct file<std::integer_sequence<int, K...>> : numbers_of<K>... {};
  file<tenon::detail::held_sequence<Program, drawn>> numbers;

  // @pre count <= block_size
  drawn_block(frame<Program> const& around, block_addresses<Program, Phase, Stores>& addresses,
              int count) {
    visit_selected<Program, drawn>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      long long const seed = value_of<at<k>::first_operand>(around),
                      stream = value_of<at<k>::second_operand>(around);
      draw<typename at<k>::op>(seed, stream, address_in<at<k>::third_operand>(addresses), count,
                               static_cast<numbers_of<k>&>(numbers).at_element);
    });
  }
  // Element i's numbers become the values of their operators.
  void take(frame<Program> const& f, int i) const {
    visit_selected<Program, drawn>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      value_of<k>(f) = static_cast<numbers_of<k> const&>(numbers).at_element[i];
    });
  }
  // As evaluate_element, of element i.
  void evaluate(frame<Program> const& f, int i) const {
    take(f, i);
    evaluate_rest<Phase, Stores, drawn>(f);
  }

 private:
  template <class Op, class T>
  static void draw(long long seed, long long stream, std::int64_t const* positions, int count,
                   T* to) {
    auto one_by_one = [&](int begin, int end) {
      for (int i = begin; i < end; ++i) to[i] = Op::eval(seed, stream, positions[i]);
    };
    bool is_run = true;
    for (int i = 1; i < count; ++i) is_run &= positions[i] == positions[0] + i;
    if (!is_run) return one_by_one(0, count);
    int const past = static_cast<int>(positions[0] % Op::per_call);
    int const begin = past == 0 ? 0 : Op::per_call - past;
    if (begin >= count) return one_by_one(0, count);
    int const calls = (count - begin) / Op::per_call;
    long long const first = (positions[0] + begin) / Op::per_call;
    one_by_one(0, begin);
    for (int c = 0; c < calls; ++c)
      Op::draw(seed, stream, first + c, to + begin + c * Op::per_call);
    one_by_one(begin + calls * Op::per_call, count);
  }
};

}  // namespace tenon::cpu_backend
