// SPDX-License-Identifier: Apache-2.0
// Activations that are smooth gates and their relatives.

#include "../measure.hpp"

namespace accuracy {
namespace {

namespace ops = tn::ops;
TENON_HD double logistic(double x) { return 1 / (1 + ::exp(-x)); }
TENON_HD double log_of_one_and_exp(double x) { return (x > 0 ? x : 0) + ::log1p(::exp(-::fabs(x))); }
TENON_HD double gated(double x, double gate) { return x == -static_cast<double>(INFINITY) ? -0.0 : x * gate; }

struct sigmoid : activation<ops::sigmoid> { static TENON_HD double exact(double x) { return logistic(x); } };
struct silu : activation<ops::silu> { static TENON_HD double exact(double x) { return gated(x, logistic(x)); } };
struct gelu : activation<ops::gelu> {
  static TENON_HD double exact(double x) { return gated(x, 0.5 * ::erfc(-x * 0.70710678118654752440)); }
};
struct gelu_tanh : activation<ops::gelu_tanh> {
  static TENON_HD double exact(double x) {
    return gated(x, logistic(1.59576912160573071176 * (x + 0.044715 * x * x * x)));
  }
};
struct softplus : activation<ops::softplus> { static TENON_HD double exact(double x) { return log_of_one_and_exp(x); } };
struct logsigmoid : activation<ops::logsigmoid> { static TENON_HD double exact(double x) { return -log_of_one_and_exp(-x); } };
struct mish : activation<ops::mish> {
  static TENON_HD double exact(double x) {
    double const e = ::exp(x > 40 ? 40 : x), n = e * (e + 2);
    return x > 40 ? x : gated(x, n / (n + 2));
  }
};
group const activations(measure_all<sigmoid, silu, gelu, gelu_tanh, softplus, logsigmoid, mish>);

}  // namespace
}  // namespace accuracy
