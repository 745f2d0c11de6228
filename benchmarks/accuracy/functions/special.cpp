// SPDX-License-Identifier: Apache-2.0
// The error function and its relatives, the logarithm of gamma and its derivative, a Bessel function.

#include "../measure.hpp"

namespace accuracy {
namespace {

namespace ops = tn::ops;
struct erf : function<ops::erf, 2> { static TENON_HD double exact(double x) { return ::erf(x); } };
struct erfc : function<ops::erfc, 4> { static TENON_HD double exact(double x) { return ::erfc(x); } };

// Newton's steps on the side where neither function is near 1, from Winitzki's approximation.
struct erfinv : function<ops::erfinv, 2> {
  static TENON_HD double exact(double x) {
    double const a = ::fabs(x);
    if (!(a < 1)) return a == 1 ? x * INFINITY : NAN;
    if (a == 0) return x;
    double const rest = ::log1p(-a * a), middle = 4.3307467508 + rest / 2;
    double y = a < 1e-3 ? a * 0.886226925452758 : ::sqrt(::sqrt(middle * middle - rest / 0.147) - middle);
    for (int k = 0; k < 6; ++k) {
      double const fault = a < 0.5 ? ::erf(y) - a : (1 - a) - ::erfc(y);
      y -= fault * 0.886226925452758 * ::exp(y * y);
    }
    return x < 0 ? -y : y;
  }
};
struct lgamma : function<ops::lgamma, 0, 5> { static TENON_HD double exact(double x) { return ::lgamma(x); } };

// Reflection below zero, recurrence up to 12, then the asymptotic series.
struct digamma : function<ops::digamma, 0, 5> {
  static TENON_HD double exact(double x) {
    if (x == 0) return ::copysign(static_cast<double>(INFINITY), -x);
    if (x < 0) {
      double const part = x - ::rint(x);
      if (part == 0) return NAN;
      return exact(1 - x) - 3.14159265358979323846 / ::tan(3.14159265358979323846 * part);
    }
    double sum = 0;
    for (; x < 12; x += 1) sum -= 1 / x;
    double const r = 1 / (x * x);
    double const series = r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12))))));
    return sum + (::log(x) - 0.5 / x - series);
  }
};

// A series of positive terms; beyond 100 it overflows f32.
struct i0 : function<ops::i0, 0, 5> {
  static TENON_HD double exact(double x) {
    if (!(::fabs(x) < 100)) return ::fabs(x) + (x != x ? NAN : static_cast<double>(INFINITY));
    double const quarter = x * x / 4;
    double sum = 1, term = 1;
    for (int k = 1; term > sum * 1e-18; ++k) {
      term *= quarter / (static_cast<double>(k) * k);
      sum += term;
    }
    return sum;
  }
};

group const special(measure_all<erf, erfc, erfinv, lgamma, digamma, i0>);

}  // namespace
}  // namespace accuracy
