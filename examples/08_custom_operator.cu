// SPDX-License-Identifier: Apache-2.0
// Lesson 8: operators of your own, with the same standing as the library's: fused, on every backend, in any expression, and
// with a derivative.

#include "support.hpp"
#include "tenon/grad.hpp"

namespace tn = tenon;

// An operator is one struct. eval is written for any arithmetic type; it runs on the host and on the device. derivative is
// what a derivative d by the result becomes: one by the operand x, in the library's own operators.
struct smoothstep_op : tn::pointwise_op<1> {
  static constexpr tn::text_view name = "smoothstep";
  static constexpr int cost = 6;
  static constexpr tn::dtype_rule rule = tn::rules::to_float;
  template <class T>
  static constexpr TENON_HD T eval(T x) {
    T t = x < 0 ? T(0) : x > 1 ? T(1) : x;
    return t * t * (3 - 2 * t);
  }
  template <class V>
  static constexpr V derivative(V d, V x, V) {
    return tn::ops::when(x > 0.0 && x < 1.0, d * (6.0 * (x * (1.0 - x))));
  }
};
inline constexpr tn::pointwise<smoothstep_op> smoothstep{};

// A reduction is a monoid: what one element gives, how two states become one, and the state of nothing.
struct largest_magnitude_op : tn::ops::lifted_reduction {
  static constexpr tn::text_view name = "largest_magnitude";
  template <class T>
  static constexpr TENON_HD T identity() {
    return T(0);
  }
  template <class T>
  static constexpr TENON_HD T lift(T x) {
    return x < 0 ? -x : x;
  }
  template <class T>
  static constexpr TENON_HD T combine(T a, T b) {
    return a < b ? b : a;
  }
  // d and the result are repeated along the reduced axes. Elements that are equally large have equal shares.
  template <class V>
  static constexpr V derivative(V d, V x, V result, auto over) {
    V const ones = tn::ops::of<tn::ops::where>(tn::ops::of<tn::ops::abs>(x) == result, 1.0, 0.0);
    return d * (ones * tn::ops::of<tn::ops::sign>(x)) / over.template total<tn::ops::sum>(ones);
  }
};
inline constexpr tn::reduction<largest_magnitude_op> largest_magnitude{};

// A composite is an ordinary function over operators; `tn::function` gives it the statement form too.
inline constexpr tn::function scaled_to_one{[](auto x, auto along) { return x / largest_magnitude(x, along, tn::keepdim); }};

inline constexpr auto shaded = [](auto x) { return smoothstep(scaled_to_one(x, tn::axis<1>)); };
auto const shade = tn::compile(shaded, "shade");
auto const shade_backward = tn::compile(tn::vjp(shaded), "shade_backward");

template <class Space>
void lesson(Space, example::checker& check) {
  constexpr std::size_t rows = 50, columns = 200;
  auto values = example::random(rows * columns, 1, -3, 3);
  example::matrix<Space> x(values, rows, columns), z(rows, columns);

  std::vector<double> wanted, slopes;
  for (std::size_t r = 0; r < rows; ++r) {
    double largest = 0, along = 0;
    for (std::size_t c = 0; c < columns; ++c) largest = std::max(largest, std::abs(static_cast<double>(values[r * columns + c])));
    for (std::size_t c = 0; c < columns; ++c) {
      double const x = values[r * columns + c], t = std::clamp(x / largest, 0.0, 1.0), slope = 6 * t * (1 - t);
      wanted.push_back(t * t * (3 - 2 * t));
      slopes.push_back(slope / largest);
      along += slope * x / (largest * largest);
    }
    // The largest is a divisor of all.
    for (std::size_t c = 0; c < columns; ++c)
      if (double const x = values[r * columns + c]; std::abs(x) == largest) slopes[r * columns + c] -= std::copysign(along, x);
  }
  static_assert(tn::launches(shade, x) == 1);
  check.compare("function form", tn::to_vector(shade(x)), wanted, 8 * example::rounding);
  example::matrix<Space> ones(std::vector<float>(rows * columns, 1.0f), rows, columns);
  static_assert(tn::launches(shade_backward, x, ones) == 1);
  check.compare("derivative", tn::to_vector(shade_backward(x, ones)), slopes, 200 * example::rounding);
  z = smoothstep(scaled_to_one(x, tn::axis<1>));
  check.compare("statement form", tn::to_vector(z), wanted, 8 * example::rounding);
}

int main() {
  return example::run("operators of your own", [](auto space, example::checker& check) { lesson(space, check); });
}
