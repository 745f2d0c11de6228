// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// One side of each choice: the same elements as both sides, and nothing of the other side is read.
#include "tenon/program/branches.hpp"

#include <gtest/gtest.h>

#include "tenon/program/drawn.hpp"
#include "tenon/program/reify.hpp"
#include "tenon/program/visit.hpp"
#include "tenon/tenon.hpp"

namespace tenon {
namespace {

using vector = tensor_argument<dtype::f32, dyn>;
constexpr int parts = 5, length = 3;
using joined = decltype(to_program<decltype([](auto... x) { return concat(x..., axis<0>) * 2; }),
                                   vector, vector, vector, vector, vector>());

// Sets what a kernel would read: the position, where part k lies, and the sizes by their use.
void set_operands(frame<joined> const& f, float const* const (&addresses)[parts],
                  long long position) {
  int part = 0;
  visit_instructions<joined>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = program_traits<joined>::at<k>;
    if constexpr (std::is_same_v<typename I::op, ops::index>) value_of<k>(f) = position;
    if constexpr (std::is_same_v<typename I::op, ops::address>)
      value_of<k>(f) = reinterpret_cast<long long>(addresses[part++]);
    if constexpr (I::is_size) value_of<k>(f) = length;
  });
  visit_instructions<joined>([&](auto index) {
    using I = program_traits<joined>::at<decltype(index)::value>;
    if constexpr (std::is_same_v<typename I::op, ops::advance>)
      value_of<I::third_operand>(f) = sizeof(float);
  });
}

TEST(branches, only_the_part_that_is_chosen_is_read) {
  float const elements[parts][length] = {
      {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}, {13, 14, 15}};
  registers<joined, place::launch> launch;
  registers<joined, place::row> row;
  registers<joined, place::element> element;
  registers<joined, place::total> total;
  frame<joined> const f{launch, row, element, total};
  long long const no_scalars[1] = {}, no_sizes[16] = {};
  for (int position = 0; position < parts * length; ++position) {
    // An address that may not be read in place of the other parts.
    float const* addresses[parts];
    for (float const*& address : addresses) address = reinterpret_cast<float const*>(16);
    addresses[position / length] = elements[position / length];
    set_launch_values<joined>(launch, no_scalars, no_sizes);
    set_operands(f, addresses, position);
    evaluate_chosen<1, true, detail::nothing_drawn>(f);
    visit_instructions<joined>([&](auto index) {
      using I = program_traits<joined>::at<decltype(index)::value>;
      if constexpr (I::is_store) {
        EXPECT_EQ(value_of<I::first_operand>(f), 2.0f * static_cast<float>(position + 1));
      }
    });
  }
}

}  // namespace
}  // namespace tenon
