// SPDX-License-Identifier: Apache-2.0
#pragma once
// Naive references: a row-major array of double, and the plain loops that expressions are compared
// with. Nothing here is part of the library, so that a fault cannot hide in both.

#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <vector>

namespace reference {

using shape = std::vector<std::int64_t>;

inline std::int64_t count_of(shape const& extents) {
  std::int64_t product = 1;
  for (std::int64_t length : extents) product *= length;
  return product;
}

struct doubles {
  shape extents;
  std::vector<double> values;

  explicit doubles(shape s)
      : extents(std::move(s)), values(static_cast<std::size_t>(count_of(extents))) {}
  doubles(shape s, std::vector<double> v) : extents(std::move(s)), values(std::move(v)) {}
  int rank() const { return static_cast<int>(extents.size()); }
  std::int64_t size() const { return static_cast<std::int64_t>(values.size()); }
  double& operator[](std::int64_t i) { return values[static_cast<std::size_t>(i)]; }
  double operator[](std::int64_t i) const { return values[static_cast<std::size_t>(i)]; }
};

// Index of element number `position`, row-major.
inline shape index_of(shape const& extents, std::int64_t position) {
  shape index(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    index[axis] = position % extents[axis];
    position /= extents[axis];
  }
  return index;
}

// Position in an array of extents `of` of the element that NumPy's broadcasting puts at position
// `i` of one of extents `to`.
inline std::int64_t broadcast_position(shape const& of, shape const& to, std::int64_t i) {
  std::int64_t position = 0, weight = 1;
  for (std::size_t k = 1; k <= of.size(); ++k) {
    std::int64_t const length = to[to.size() - k], index = i % length;
    i /= length;
    if (of[of.size() - k] == 1) continue;
    position += index * weight;
    weight *= length;
  }
  return position;
}

inline shape broadcast_shape(std::initializer_list<doubles const*> operands) {
  shape result;
  for (doubles const* a : operands) {
    if (a->extents.size() > result.size())
      result.insert(result.begin(), a->extents.size() - result.size(), 1);
    std::size_t const missing = result.size() - a->extents.size();
    for (std::size_t axis = 0; axis < a->extents.size(); ++axis)
      if (a->extents[axis] != 1) result[axis + missing] = a->extents[axis];
  }
  return result;
}

// f of the elements that broadcasting brings together.
template <class F, class... Doubles> doubles elementwise(F const& f, Doubles const&... operands) {
  doubles result(broadcast_shape({&operands...}));
  bool const is_plain = ((operands.extents == result.extents) && ...);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    if (is_plain) {
      result[i] = f(operands[i]...);
    } else {
      result[i] = f(operands[broadcast_position(operands.extents, result.extents, i)]...);
    }
  }
  return result;
}

using elements = std::vector<double>;

inline constexpr unsigned all_axes = ~0u;

// f of all elements that differ only along the axes of the mask, in row-major order.
inline doubles reduced(doubles const& a, unsigned axes, bool keeps_axes,
                       std::function<double(elements const&)> const& f) {
  shape kept, presented;
  for (std::size_t axis = 0; axis < a.extents.size(); ++axis) {
    bool const is_reduced = axes >> axis & 1u;
    kept.push_back(is_reduced ? 1 : a.extents[axis]);
    if (!is_reduced || keeps_axes) presented.push_back(kept.back());
  }
  doubles result(kept);
  std::vector<elements> groups(static_cast<std::size_t>(result.size()));
  for (std::int64_t i = 0; i < a.size(); ++i)
    groups[static_cast<std::size_t>(broadcast_position(kept, a.extents, i))].push_back(a[i]);
  for (std::int64_t i = 0; i < result.size(); ++i)
    result[i] = f(groups[static_cast<std::size_t>(i)]);
  result.extents = presented;
  return result;
}

inline double sum(elements const& x) {
  long double total = 0;
  for (double v : x) total += v;
  return static_cast<double>(total);
}
inline double sum_of_magnitudes(elements const& x) {
  double total = 0;
  for (double v : x) total += std::fabs(v);
  return total;
}
inline double product(elements const& x) {
  double total = 1;
  for (double v : x) total *= v;
  return total;
}
inline double mean(elements const& x) { return sum(x) / static_cast<double>(x.size()); }
inline double max(elements const& x) {
  double best = -std::numeric_limits<double>::infinity();
  for (double v : x) {
    if (std::isnan(v)) return v;
    best = v > best ? v : best;
  }
  return best;
}
inline double min(elements const& x) {
  double best = std::numeric_limits<double>::infinity();
  for (double v : x) {
    if (std::isnan(v)) return v;
    best = v < best ? v : best;
  }
  return best;
}
inline double any(elements const& x) {
  for (double v : x)
    if (v != 0) return 1;
  return 0;
}
inline double all(elements const& x) {
  for (double v : x)
    if (v == 0) return 0;
  return 1;
}
// Over count - correction; NaN when that is not positive.
inline double variance(elements const& x, int correction) {
  double const degrees = static_cast<double>(x.size()) - correction;
  if (degrees <= 0) return std::numeric_limits<double>::quiet_NaN();
  double const centre = mean(x);
  elements squares;
  for (double v : x) squares.push_back((v - centre) * (v - centre));
  return sum(squares) / degrees;
}
// What roundoffs of it are of: it times its condition number, the root of the sum of squares over
// that of squared deviations (Chan, Golub and LeVeque). Of few elements that are nearly equal it
// may be anything.
inline double conditioned_variance(elements const& x, int correction) {
  double squares = 0;
  for (double v : x) squares += v * v;
  return std::sqrt(variance(x, correction) * squares /
                   (static_cast<double>(x.size()) - correction));
}
inline double log_sum_exp(elements const& x) {
  double const largest = max(x);
  if (std::isinf(largest)) return largest;
  long double total = 0;
  for (double v : x) total += std::exp(static_cast<long double>(v) - largest);
  return static_cast<double>(largest + std::log(total));
}

inline doubles softmax(doubles const& x, unsigned axes) {
  doubles const power = elementwise([](double v, double m) { return std::exp(v - m); }, x,
                                    reduced(x, axes, true, max));
  return elementwise(std::divides<>(), power, reduced(power, axes, true, sum));
}
inline doubles log_softmax(doubles const& x, unsigned axes) {
  doubles const shifted = elementwise(std::minus<>(), x, reduced(x, axes, true, max));
  doubles const power = elementwise([](double v) { return std::exp(v); }, shifted);
  return elementwise([](double v, double s) { return v - std::log(s); }, shifted,
                     reduced(power, axes, true, sum));
}
inline doubles layer_norm(doubles const& x, unsigned axes, double epsilon) {
  doubles const centre = reduced(x, axes, true, mean);
  doubles const spread = reduced(x, axes, true, [](elements const& e) { return variance(e, 0); });
  return elementwise([=](double v, double m, double s) { return (v - m) / std::sqrt(s + epsilon); },
                     x, centre, spread);
}
inline doubles rms_norm(doubles const& x, unsigned axes, double epsilon) {
  doubles const squares = elementwise([](double v) { return v * v; }, x);
  return elementwise([=](double v, double s) { return v / std::sqrt(s + epsilon); }, x,
                     reduced(squares, axes, true, mean));
}

inline double relu(double x) { return x > 0 || std::isnan(x) ? x : 0; }
inline double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
inline double silu(double x) { return x * sigmoid(x); }
// In long double, because their tails magnify a rounding of what they take the exponential of.
inline double gelu(double x) {
  return static_cast<double>(0.5L * x * std::erfc(-x * std::sqrt(0.5L)));
}
inline double gelu_tanh(double x) {
  long double const wide = x;
  long double const y = std::sqrt(8 / std::acos(-1.0L)) * (wide + 0.044715L * wide * wide * wide);
  return static_cast<double>(wide / (1 + std::exp(-y)));
}
inline double softplus(double x) { return std::log1p(std::exp(-std::fabs(x))) + (x > 0 ? x : 0); }

}  // namespace reference
