// SPDX-License-Identifier: Apache-2.0
// What is chosen of vectors is the same in whatever order their batches come.
#include "tenon/ops/chosen_vector.hpp"

#include <bit>
#include <limits>

namespace tenon {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();

struct batch_at {
  int first;
  constexpr int operator()(int u) const { return first + u; }
};
constexpr auto position = [](int vector, int i) { return 2ll * vector + i; };

// The position chosen of six numbers, taken in as a batch of two vectors of two and a whole or
// partial batch behind it, in both orders; -1 if they differ.
template <class Op> constexpr long long chosen(float const (&x)[8], int valid) {
  long long result[2] = {};
  for (int order = 0; order < 2; ++order) {
    ops::chosen_vector<Op, float, 2, int> all;
    for (int turn = 0; turn < 2; ++turn) {
      int const batch = turn ^ order, left = valid - 4 * batch;
      if (left <= 0) continue;
      float numbers[4] = {};
      for (int i = 0; i < 4; ++i) numbers[i] = x[4 * batch + i];
      all.take(numbers, left < 4 ? left : 4, batch_at{2 * batch});
    }
    result[order] = all.state(position).index;
  }
  return result[0] == result[1] ? result[0] : -1;
}
template <class Op> constexpr bool signs_are_kept() {
  float x[4] = {-1, -0.0f, 0, -1};
  ops::chosen_vector<Op, float, 2, int> all;
  all.take(x, 4, batch_at{0});
  return std::bit_cast<unsigned>(all.state(position).number) == 1u << 31;
}

using most = ops::arg_maximum;
using least = ops::arg_minimum;
static_assert(chosen<most>({0, 1, 2, 3, 4, 5, 6, 7}, 8) == 7);
static_assert(chosen<most>({7, 6, 5, 4, 3, 2, 1, 0}, 8) == 0);
// The first of equals, in one vector, in two of a batch and in two batches.
static_assert(chosen<most>({0, 0, 3, 3, 0, 0, 0, 0}, 8) == 2);
static_assert(chosen<most>({0, 3, 3, 0, 0, 0, 0, 0}, 8) == 1);
static_assert(chosen<most>({0, 0, 0, 3, 0, 0, 3, 3}, 8) == 3);
static_assert(chosen<least>({9, 9, 9, 3, 9, 9, 3, 3}, 8) == 3);
// The first NaN, before any number.
static_assert(chosen<most>({0, 0, 9, nan, 9, 9, nan, nan}, 8) == 3);
static_assert(chosen<most>({inf, 0, 0, 0, 0, nan, nan, 0}, 8) == 5);
static_assert(chosen<least>({-inf, 0, 0, 0, 0, nan, nan, 0}, 8) == 5);
static_assert(chosen<most>({nan, nan, nan, nan, nan, nan, nan, nan}, 8) == 0);
// What is no better than nothing is chosen all the same.
static_assert(chosen<most>({-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf}, 8) == 0);
static_assert(chosen<least>({inf, inf, inf, inf, inf, inf, inf, inf}, 8) == 0);
static_assert(chosen<most>({-inf, -inf, -inf, -inf, -inf, -1, -inf, -1}, 8) == 5);
// What is not valid is not chosen.
static_assert(chosen<most>({0, 1, 2, 3, 4, 9, 9, nan}, 5) == 4);
static_assert(chosen<most>({5, 1, 2, 3, 4, 9, 9, nan}, 5) == 0);
static_assert(chosen<least>({0, -1, 2, -9, -9, -9, -9, -9}, 3) == 1);
static_assert(chosen<most>({-inf, inf, inf, inf, inf, inf, inf, inf}, 1) == 0);
static_assert(signs_are_kept<ops::arg_maximum>());
static_assert(ops::chosen_vector<most, float, 2, int>{}.state(position).index == most::no_index);

}  // namespace
}  // namespace tenon
