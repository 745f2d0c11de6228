// SPDX-License-Identifier: Apache-2.0
// Lesson 8: operators of your own, with the same standing as the library's: fused, on every backend, in any expression.

#include "support.hpp"

namespace tn = tenon;

// An operator is one struct. eval is written for any arithmetic type; it runs on the host and on the device.
struct smoothstep_op : tn::pointwise_op<1> {
  static constexpr tn::text_view name = "smoothstep";
  static constexpr int cost = 6;
  static constexpr tn::dtype_rule rule = tn::rules::to_float;
  template <class T>
  static constexpr TENON_HD T eval(T x) {
    T t = x < 0 ? T(0) : x > 1 ? T(1) : x;
    return t * t * (3 - 2 * t);
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
};
inline constexpr tn::reduction<largest_magnitude_op> largest_magnitude{};

// A composite is an ordinary function over operators; `tn::function` gives it the statement form too.
inline constexpr tn::function scaled_to_one{[](auto x, auto along) { return x / largest_magnitude(x, along, tn::keepdim); }};

auto const shade = tn::compile([](auto x) { return smoothstep(scaled_to_one(x, tn::axis<1>)); }, "shade");

template <class Space>
void lesson(Space, example::checker& check) {
  constexpr std::size_t rows = 50, columns = 200;
  auto values = example::random(rows * columns, 1, -3, 3);
  example::matrix<Space> x(values, rows, columns), z(rows, columns);

  std::vector<double> wanted;
  for (std::size_t r = 0; r < rows; ++r) {
    double largest = 0;
    for (std::size_t c = 0; c < columns; ++c) largest = std::max(largest, std::abs(static_cast<double>(values[r * columns + c])));
    for (std::size_t c = 0; c < columns; ++c) {
      double t = std::clamp(values[r * columns + c] / largest, 0.0, 1.0);
      wanted.push_back(t * t * (3 - 2 * t));
    }
  }
  static_assert(tn::launches(shade, x) == 1);
  check.compare("function form", tn::to_vector(shade(x)), wanted, 8 * example::rounding);
  z = smoothstep(scaled_to_one(x, tn::axis<1>));
  check.compare("statement form", tn::to_vector(z), wanted, 8 * example::rounding);
}

int main() {
  return example::run("operators of your own", [](auto space, example::checker& check) { lesson(space, check); });
}
