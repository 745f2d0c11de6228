// SPDX-License-Identifier: Apache-2.0
// Activations in pieces, and those that shrink their argument.

#include "../measure.hpp"

namespace accuracy {
namespace {

namespace ops = tn::ops;
struct selu : activation<ops::selu> {
  static TENON_HD double exact(double x) {
    return 1.0507009873554804934193349852946 * (x > 0 ? x : 1.6732632423543772848170429916717 * ::expm1(x));
  }
};
struct elu : activation<ops::elu> { static TENON_HD double exact(double x) { return x > 0 ? x : ::expm1(x); } };
struct softsign : activation<ops::softsign> {
  static TENON_HD double exact(double x) { return ::fabs(x) > 1e300 ? ::copysign(1.0, x) : x / (1 + ::fabs(x)); }
};
struct hardsigmoid : activation<ops::hardsigmoid> {
  static TENON_HD double exact(double x) { return x != x ? x : ::fmin(::fmax(x + 3, 0.0), 6.0) / 6; }
};
struct hardswish : activation<ops::hardswish> {
  static TENON_HD double exact(double x) { return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6; }
};
struct tanhshrink : activation<ops::tanhshrink> {
  static TENON_HD double exact(double x) {
    if (::fabs(x) > 0.05) return x - ::tanh(x);
    double const s = x * x;
    return x * s * (1.0 / 3 - s * (2.0 / 15 - s * (17.0 / 315 - s * (62.0 / 2835 - s * (1382.0 / 155925)))));
  }
};

group const shrinking(measure_all<selu, elu, softsign, hardsigmoid, hardswish, tanhshrink>);

}  // namespace
}  // namespace accuracy
