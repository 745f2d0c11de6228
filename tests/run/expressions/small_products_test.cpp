// SPDX-License-Identifier: Apache-2.0
// Points times a small matrix, whose axes no operand has all of: as arguments lie, in tensors, of
// half types, and along an axis that is not the last.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr auto transformed = [](auto x, auto m) {
  return tn::sum(tn::unsqueeze(x, tn::axis<1>) * tn::slice(m, tn::axis<1>, tn::range<0, 3>),
                 tn::axis<2>) +
         tn::select(m, tn::axis<1>, tn::ct<3>);
};
constexpr auto directed = [](auto x, auto m) {
  auto const y = transformed(x, m);
  return y / tn::sqrt(tn::sum(y * y, tn::axis<1>, tn::keepdim) + 1);
};

struct results {
  doubles moved, directions, scale;
};
results expected_of(doubles const& x, doubles const& m) {
  results all{doubles(x.extents), doubles(x.extents), doubles(x.extents)};
  for (std::int64_t n = 0; n < x.extents[0]; ++n) {
    double squares = 1;
    for (int i = 0; i < 3; ++i) {
      double sum = m[4 * i + 3], scale = std::abs(sum);
      for (int j = 0; j < 3; ++j)
        sum += x[3 * n + j] * m[4 * i + j], scale += std::abs(x[3 * n + j] * m[4 * i + j]);
      all.moved[3 * n + i] = sum, all.scale[3 * n + i] = scale;
      squares += sum * sum;
    }
    for (int i = 0; i < 3; ++i)
      all.directions[3 * n + i] = all.moved[3 * n + i] / std::sqrt(squares);
  }
  return all;
}

template <class T> using points = tn::tensor<T, tn::dyn, 3>;
template <class T> using matrix = tn::tensor<T, 3, 4>;
template <class T> reference::doubles rounded(std::vector<std::int64_t> const& extents) {
  doubles result = random_doubles<T>(extents);
  for (double& v : result.values) v = as_double(from_double<T>(v));
  return result;
}
template <class T> std::vector<T> stored(doubles const& values) {
  std::vector<T> result;
  for (double v : values.values) result.push_back(from_double<T>(v));
  return result;
}

template <class T> struct small_products : testing::Test {};
using element_types = testing::Types<float, tn::bfloat16, double>;
TYPED_TEST_SUITE(small_products, element_types);

TYPED_TEST(small_products, of_tensors) {
  using T = TypeParam;
  static auto const f = tn::compile(transformed);
  static auto const g = tn::compile(directed);
  for (std::int64_t n : {0, 1, 3, 8, 100, 1025}) {
    doubles const x = rounded<T>({n, 3}), m = rounded<T>({3, 4});
    results const expected = expected_of(x, m);
    points<T> const a(stored<T>(x), n);
    matrix<T> const b{stored<T>(m)};
    check_close(tn::dtype_of<T>, result_of(f(a, b)), expected.moved,
                {.arithmetic = 8, .scale = &expected.scale}, std::to_string(n));
    check_close(tn::dtype_of<T>, result_of(g(a, b)), expected.directions,
                {.arithmetic = 16, .scale = &expected.scale}, std::to_string(n));
  }
}

// The last rows of a matrix whose rows are along the last axis but one: planes of an image.
TEST(small_products, of_planes) {
  static auto const f = tn::compile([](auto x, auto m) {
    return tn::sum(tn::unsqueeze(x, tn::axis<1>) * tn::reshape(m, tn::shape<1, 2, 3, 1>),
                   tn::axis<2>);
  });
  for (std::int64_t n : {1, 5, 64, 257}) {
    doubles const x = rounded<float>({2, 3, n}), m = rounded<float>({2, 3});
    tn::tensor<float, tn::dyn, 3, tn::dyn> const a(stored<float>(x), 2, n);
    tn::tensor<float, 2, 3> const b{stored<float>(m)};
    doubles expected({2, 2, n}), scale({2, 2, n});
    for (std::int64_t p = 0; p < 2; ++p)
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t c = 0; c < n; ++c)
          for (std::int64_t j = 0; j < 3; ++j) {
            double const product = x[(p * 3 + j) * n + c] * m[3 * i + j];
            expected[(p * 2 + i) * n + c] += product;
            scale[(p * 2 + i) * n + c] += std::abs(product);
          }
    check_close(tn::dtype::f32, result_of(f(a, b)), expected, {.arithmetic = 4, .scale = &scale},
                std::to_string(n));
  }
}

}  // namespace
