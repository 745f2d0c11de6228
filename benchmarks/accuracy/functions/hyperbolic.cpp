// SPDX-License-Identifier: Apache-2.0
// Hyperbolic and inverse hyperbolic functions.

#include "../measure.hpp"

namespace accuracy {
namespace {

namespace ops = tn::ops;
struct sinh : function<ops::sinh, 3> { static TENON_HD double exact(double x) { return ::sinh(x); } };
struct cosh : function<ops::cosh, 2> { static TENON_HD double exact(double x) { return ::cosh(x); } };
struct tanh : function<ops::tanh, 2> { static TENON_HD double exact(double x) { return ::tanh(x); } };
struct asinh : function<ops::asinh, 3> { static TENON_HD double exact(double x) { return ::asinh(x); } };
struct acosh : function<ops::acosh, 4> { static TENON_HD double exact(double x) { return ::acosh(x); } };
struct atanh : function<ops::atanh, 3> { static TENON_HD double exact(double x) { return ::atanh(x); } };

group const hyperbolic(measure_all<sinh, cosh, tanh, asinh, acosh, atanh>);

}  // namespace
}  // namespace accuracy
