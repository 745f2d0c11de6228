// SPDX-License-Identifier: Apache-2.0
#pragma once
// One step of an optimizer: parameter, gradient and state in, the updated parameter and state out, in one pass.

#include "tenon/capture/trace.hpp"
#include "tenon/nn/options.hpp"

namespace tenon {
namespace detail {

// Stands for a weight decay that was left out; a literal 0 would be multiplied.
struct no_decay {};
template <class Gradient, class Parameter, class Decay>
constexpr auto with_decay(Gradient gradient, Parameter parameter, Decay decay) {
  if constexpr (std::is_same_v<Decay, no_decay>)
    return gradient;
  else
    return fma(decay, parameter, gradient);
}

// The state may be wider than the parameter, which keeps its dtype.
template <class Parameter, class Updated>
constexpr auto in_dtype_of(Parameter, Updated updated) {
  return cast<storage_t<Parameter::type>>(updated);
}

// log(x) = 2 artanh((x - 1) / (x + 1)), as a series because std::log is not constexpr; of 0 a number whose exp is 0.
constexpr double constant_log(double x) {
  if (x <= 0) return -1e30;
  double sum = 0;
  for (; x < 0.5; x *= 2) sum -= 0.693147180559945309;
  double z = (x - 1) / (x + 1), power = 2 * z;
  for (int k = 1; k < 60; k += 2, power *= z * z) sum += power / k;
  return sum;
}
// 1 - beta^step, without the cancellation that 1 - 0.999f begins with.
template <class Beta, class Step>
constexpr auto bias_correction(Beta beta, Step step) {
  if constexpr (std::is_floating_point_v<Beta>)
    return -expm1(step * constant_log(beta));
  else
    return -expm1(step * log(beta));
}

// The step in the arithmetic of the parameter: an integer, or a float, beside numbers alone would make them f32.
template <class Parameter, class Step>
constexpr auto step_for(Parameter, Step step) {
  if constexpr (Parameter::type == dtype::f64 && is_value<Step>)
    return cast<double>(step);
  else
    return step;
}

struct sgd_body {
  template <class P, class G, class Rate, class Decay = no_decay>
  constexpr auto operator()(P parameter, G gradient, Rate rate, Decay decay = {}) const {
    return in_dtype_of(parameter, parameter - rate * with_decay(gradient, parameter, decay));
  }
};

struct momentum_body {
  template <class P, class G, class V, class Rate, class Momentum = double, class Decay = no_decay>
  constexpr auto operator()(P parameter, G gradient, V velocity, Rate rate, Momentum momentum = 0.9, Decay decay = {}) const {
    auto v = fma(momentum, velocity, with_decay(gradient, parameter, decay));
    return outputs(in_dtype_of(parameter, parameter - rate * v), in_dtype_of(velocity, v));
  }
};

template <bool IsDecoupled>
struct adam_body {
  template <class P, class G, class M, class V, class Step, class Rate, class Beta1 = double, class Beta2 = double,
            class Epsilon = double, class Decay = no_decay>
  constexpr auto operator()(P parameter, G gradient, M first, V second, Step step, Rate rate, Beta1 beta1 = 0.9,
                            Beta2 beta2 = 0.999, Epsilon epsilon = 1e-8, Decay decay = {}) const {
    if constexpr (IsDecoupled) {
      if constexpr (std::is_same_v<Decay, no_decay>)
        return (*this)(parameter, gradient, first, second, step, rate, beta1, beta2, epsilon, 0.01);
      else
        return moved(parameter, parameter * (1 - rate * decay), gradient, first, second, step, rate, beta1, beta2, epsilon);
    } else {
      return moved(parameter, parameter, with_decay(gradient, parameter, decay), first, second, step, rate, beta1, beta2, epsilon);
    }
  }

 private:
  template <class P, class Start, class G, class M, class V, class Step, class Rate, class Beta1, class Beta2, class Epsilon>
  static constexpr auto moved(P parameter, Start start, G gradient, M first, V second, Step step, Rate rate, Beta1 beta1,
                              Beta2 beta2, Epsilon epsilon) {
    auto m = fma(1 - beta1, gradient - first, first);
    auto v = fma(beta2, second, (1 - beta2) * square(gradient));
    auto t = step_for(parameter, step);
    auto length = sqrt(v) * rsqrt(bias_correction(beta2, t)) + epsilon;
    auto updated = start - rate / bias_correction(beta1, t) * (m / length);
    return outputs(in_dtype_of(parameter, updated), in_dtype_of(first, m), in_dtype_of(second, v));
  }
};

}  // namespace detail

// p - rate * g: (p, g, rate), (p, g, rate, weight_decay) → p.
inline constexpr function<detail::sgd_body> sgd{};
// v = momentum * v + g; p - rate * v: (p, g, v, rate), (..., momentum), (..., weight_decay) → p, v; momentum is 0.9.
inline constexpr function<detail::momentum_body> sgd_momentum{};
// Adam with bias correction: (p, g, m, v, step, rate), then beta1 (0.9), beta2 (0.999), epsilon (1e-8), weight_decay (none,
// added to the gradient) → p, m, v. step counts from 1 and is a run-time argument.
inline constexpr function<detail::adam_body<false>> adam{};
// AdamW: as adam, but the decay (0.01) shrinks the parameter itself.
inline constexpr function<detail::adam_body<true>> adamw{};

}  // namespace tenon
