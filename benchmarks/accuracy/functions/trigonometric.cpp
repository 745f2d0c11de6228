// SPDX-License-Identifier: Apache-2.0
// Trigonometric and inverse trigonometric functions.

#include "../measure.hpp"

namespace accuracy {
namespace {

namespace ops = tn::ops;
struct sin : function<ops::sin, 2> { static TENON_HD double exact(double x) { return ::sin(x); } };
struct cos : function<ops::cos, 2> { static TENON_HD double exact(double x) { return ::cos(x); } };
struct tan : function<ops::tan, 4> { static TENON_HD double exact(double x) { return ::tan(x); } };
struct asin : function<ops::asin, 2> { static TENON_HD double exact(double x) { return ::asin(x); } };
struct acos : function<ops::acos, 2> { static TENON_HD double exact(double x) { return ::acos(x); } };
struct atan : function<ops::atan, 2> { static TENON_HD double exact(double x) { return ::atan(x); } };

group const trigonometric(measure_all<sin, cos, tan, asin, acos, atan>);

}  // namespace
}  // namespace accuracy
