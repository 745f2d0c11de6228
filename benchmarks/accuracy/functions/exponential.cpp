// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms.

#include "../measure.hpp"

namespace accuracy {
namespace {

namespace ops = tn::ops;
struct exp : function<ops::exp, 2> { static TENON_HD double exact(double x) { return ::exp(x); } };
struct exp2 : function<ops::exp2, 2> { static TENON_HD double exact(double x) { return ::exp2(x); } };
struct exp10 : function<ops::exp10, 2> { static TENON_HD double exact(double x) { return ::pow(10.0, x); } };
struct expm1 : function<ops::expm1, 1> { static TENON_HD double exact(double x) { return ::expm1(x); } };
struct log : function<ops::log, 1> { static TENON_HD double exact(double x) { return ::log(x); } };
struct log2 : function<ops::log2, 1> { static TENON_HD double exact(double x) { return ::log2(x); } };
struct log10 : function<ops::log10, 2> { static TENON_HD double exact(double x) { return ::log10(x); } };
struct log1p : function<ops::log1p, 1> { static TENON_HD double exact(double x) { return ::log1p(x); } };

group const exponentials(measure_all<exp, exp2, exp10, expm1, log, log2, log10, log1p>);

}  // namespace
}  // namespace accuracy
