// SPDX-License-Identifier: Apache-2.0
// Roots, rounding and what else is one operation.

#include "../measure.hpp"

namespace accuracy {
namespace {

namespace ops = tn::ops;
struct square : function<ops::square> { static TENON_HD double exact(double x) { return x * x; } };
struct sqrt : function<ops::sqrt> { static TENON_HD double exact(double x) { return ::sqrt(x); } };
struct rsqrt : function<ops::rsqrt, 2> { static TENON_HD double exact(double x) { return 1 / ::sqrt(x); } };
struct reciprocal : function<ops::reciprocal> { static TENON_HD double exact(double x) { return 1 / x; } };
struct cbrt : function<ops::cbrt, 1> { static TENON_HD double exact(double x) { return ::cbrt(x); } };
struct floor : function<ops::floor> { static TENON_HD double exact(double x) { return ::floor(x); } };
struct ceil : function<ops::ceil> { static TENON_HD double exact(double x) { return ::ceil(x); } };
struct trunc : function<ops::trunc> { static TENON_HD double exact(double x) { return ::trunc(x); } };
struct round : function<ops::round> { static TENON_HD double exact(double x) { return ::rint(x); } };

group const algebraic(measure_all<square, sqrt, rsqrt, reciprocal, cbrt, floor, ceil, trunc, round>);

}  // namespace
}  // namespace accuracy
