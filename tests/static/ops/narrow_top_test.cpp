// SPDX-License-Identifier: Apache-2.0
// The first elements of halves that came in order are those that their state would have, however
// many batches they come in.
#include "tenon/ops/narrow_top.hpp"

#include <bit>
#include <limits>

namespace tenon {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();

constexpr auto index_of = [](unsigned n) { return static_cast<long long>(n); };
constexpr auto nowhere = [](int) { return 0; };

template <class Top, class Half, int Batch, int Count>
constexpr bool is_right(float const (&x)[Count]) {
  ops::narrow_top<Top, Half> narrow;
  auto expected = Top::template identity<float>();
  for (int first = 0; first < Count; first += Batch) {
    float batch[Batch] = {};
    ops::indexed::state<float> wide[Batch] = {};
    int const valid = Count - first < Batch ? Count - first : Batch;
    for (int i = 0; i < valid; ++i) {
      batch[i] = x[first + i];
      wide[i] = {x[first + i], first + i};
    }
    narrow.take(batch, valid, nowhere);
    expected = Top::combine(expected, Top::lift_many(wide, valid));
  }
  auto const found = narrow.state(index_of);
  for (int i = 0; i < Top::size; ++i)
    if (found.at[i].bits != expected.at[i].bits) return false;
  return true;
}
template <int Kept, class Half, int Count> constexpr bool are_right(float const (&x)[Count]) {
  return is_right<ops::top<Kept, true>, Half, 8>(x) &&
         is_right<ops::top<Kept, false>, Half, 8>(x) &&
         is_right<ops::top<Kept, true>, Half, 16>(x) && is_right<ops::top<Kept, false>, Half, 4>(x);
}
template <int Count> constexpr bool are_all_right(float const (&x)[Count]) {
  return are_right<1, bfloat16>(x) && are_right<3, bfloat16>(x) && are_right<8, bfloat16>(x) &&
         are_right<1, half>(x) && are_right<5, half>(x) && are_right<16, half>(x);
}
static_assert(are_all_right({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}));
static_assert(are_all_right({9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9}));
// Of equals the first ones.
static_assert(are_all_right({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
static_assert(are_all_right({1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3}));
// Both zeros are one number, and are told apart.
static_assert(are_all_right({-0.0f, 0, -0.0f, -1, 0, -0.0f, 1, -0.0f, 0, 0, -0.0f, -1}));
// NaN of either sign is the greatest.
static_assert(are_all_right({inf, nan, -inf, 3, -nan, inf, -inf, nan, 0, -0.0f}));
static_assert(are_all_right({-inf, -inf, -inf, -inf}));
static_assert(are_all_right({1}));

}  // namespace
}  // namespace tenon
