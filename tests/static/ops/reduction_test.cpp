// SPDX-License-Identifier: Apache-2.0
// Which reductions of a reduction's results are one reduction.
#include "tenon/ops/moments.hpp"

namespace tenon {
namespace {

struct sum_of_squares : ops::lifted_reduction {
  static constexpr tenon::text_view name = "sum_of_squares";
  template <class T> static constexpr T identity() { return T(0); }
  template <class T> static constexpr T lift(T x) { return x * x; }
  template <class T> static constexpr T combine(T x, T y) { return x + y; }
};

static_assert(describe<ops::sum>().merges_with_itself);
static_assert(describe<ops::product>().merges_with_itself);
static_assert(describe<ops::maximum_of>().merges_with_itself);
static_assert(describe<ops::all_of>().merges_with_itself);
// The results would be squared again.
static_assert(!describe<sum_of_squares>().merges_with_itself);
static_assert(!describe<ops::moments>().merges_with_itself);
static_assert(!describe<ops::log_sum_exp>().merges_with_itself);

}  // namespace
}  // namespace tenon
