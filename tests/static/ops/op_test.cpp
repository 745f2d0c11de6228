// SPDX-License-Identifier: Apache-2.0
// Constant folding rounds in the dtype of the operands, wraps integers, and keeps a node whose
// result is not finite.
#include <limits>

#include "tenon/ops/tables.hpp"

namespace tenon {
namespace {

template <class Op> constexpr double fold(dtype d, double x, double y = 0, double z = 0) {
  double const operands[] = {x, y, z};
  return op_info_of<Op>.fold(d, operands);
}
constexpr bool is_kept(double folded) { return !is_folded(folded); }
constexpr double inf = std::numeric_limits<double>::infinity();

static_assert(fold<ops::add>(dtype::f32, 16777216, 1) == 16777216);
static_assert(fold<ops::add>(dtype::bf16, 256, 1) == 257, "half types are computed in float");
static_assert(fold<ops::add>(dtype::f64, 16777216, 1) == 16777217);
static_assert(fold<ops::add>(dtype::i32, 16777216, 1) == 16777217);
static_assert(fold<ops::add>(dtype::i32, 2147483647, 1) == -2147483648.0);
static_assert(fold<ops::mul>(dtype::u8, 16, 17) == 16);
static_assert(fold<ops::div>(dtype::f32, 1, 3) == static_cast<double>(1.0f / 3));
static_assert(fold<ops::neg>(dtype::f32, 2) == -2 && fold<ops::square>(dtype::i64, 3) == 9);
static_assert(fold<ops::less>(dtype::f32, 0.25, 0.5) == 1 &&
              fold<ops::equal>(dtype::i32, 2, 3) == 0);
static_assert(fold<ops::clamp>(dtype::f32, 5, 0, 1) == 1 &&
              fold<ops::where>(dtype::f32, 1, 5, 6) == 5);
static_assert(fold<ops::logical_xor>(dtype::boolean, 1, 0) == 1);

static_assert(is_kept(fold<ops::add>(dtype::f32, 3e38, 3e38)), "overflow");
static_assert(is_kept(fold<ops::mul>(dtype::f64, 1e300, 1e300)), "overflow");
static_assert(is_kept(fold<ops::mul>(dtype::f32, 0, inf)), "0 * inf is NaN");
static_assert(is_kept(fold<ops::div>(dtype::f32, 1, 0)), "division by zero");
static_assert(is_kept(fold<ops::reciprocal>(dtype::f64, 0)));
static_assert(is_kept(fold<ops::mul>(dtype::i64, 4294967296.0, 4194304.0)),
              "2^54 may not be exact");

static_assert(op_info_of<ops::exp>.fold == nullptr && op_info_of<ops::cast>.fold == nullptr &&
              op_info_of<ops::sum>.fold == nullptr);

}  // namespace
}  // namespace tenon
