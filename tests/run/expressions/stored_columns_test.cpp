// SPDX-License-Identifier: Apache-2.0
// Elements that are stored by the sweep that reduces their columns: gradients of what has a bias.
#include <cmath>
#include <vector>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "tenon/grad.hpp"

namespace {

using reference::doubles;

double slope_of_silu(double z) {
  double const s = 1 / (1 + std::exp(-z));
  return s * (1 + z * (1 - s));
}

// What is stored, what its columns come to, and how large what was given of them is.
struct gradients {
  std::vector<double> dx, db, sizes;
};
gradients gradients_of(doubles const& x, doubles const& b, doubles const& dy,
                       std::int64_t columns) {
  gradients result{std::vector<double>(static_cast<std::size_t>(x.size())),
                   std::vector<double>(static_cast<std::size_t>(columns)),
                   std::vector<double>(static_cast<std::size_t>(columns))};
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::size_t const c = static_cast<std::size_t>(i % columns);
    double const d = dy[i] * slope_of_silu(x[i] + b[i % columns]);
    result.dx[static_cast<std::size_t>(i)] = d;
    result.db[c] += d, result.sizes[c] += std::fabs(dy[i]);
  }
  return result;
}

// least: what is subnormal in T has an error of.
template <class T> void check_gradients(double within, double least = 0) {
  auto const f = tn::compile(tn::vjp([](auto x, auto b) { return tn::silu(x + b); }));
  for (extents_of_rank<2> const& shape : {extents_of_rank<2>{1, 1},
                                          {1, 4096},
                                          {3, 5},
                                          {70, 33},
                                          {257, 64},
                                          {1000, 17},
                                          {2049, 8},
                                          {4100, 272},
                                          {301, 1023}})
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>(shape, how), dy = random_array<T, 2>(shape, how);
      auto b = random_array<T, 1>({shape[1]});
      auto const [dx, db] = f(x.view(), b.view(), dy.view());
      doubles const elements = result_of(dx), sums = result_of(db), given = dy.values();
      gradients const expected = gradients_of(x.values(), b.values(), given, shape[1]);
      std::string const what =
          std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + ", " + to_string(how);
      for (std::int64_t i = 0; i < elements.size(); ++i)
        ASSERT_NEAR(elements[i], expected.dx[static_cast<std::size_t>(i)],
                    within * std::fabs(given[i]) + least)
            << what << " " << i;
      for (std::int64_t c = 0; c < shape[1]; ++c)
        ASSERT_NEAR(sums[c], expected.db[static_cast<std::size_t>(c)],
                    within * std::fabs(sums[c]) +
                        4e-6 * expected.sizes[static_cast<std::size_t>(c)] + least)
            << what << " column " << c;
    }
}
TEST(stored_columns, gradients_of_float) { check_gradients<float>(4e-6); }
TEST(stored_columns, gradients_of_double) { check_gradients<double>(1e-12); }
TEST(stored_columns, gradients_of_bfloat16) { check_gradients<tn::bfloat16>(5e-3); }
TEST(stored_columns, gradients_of_half) { check_gradients<tn::half>(1e-3, 3e-8); }

// Two stores, of which one is of a narrower type and one of what no reduction needs beside it, two
// reductions, a total of one of them, and a weight that neighbouring columns share.
TEST(stored_columns, several_stores_and_reductions) {
  auto const f = tn::compile([](auto x, auto y, auto weight) {
    auto const z = x * tn::unsqueeze(weight, tn::axis<1>);
    auto const sum = tn::sum(z, tn::axis<0>);
    return tn::outputs(tn::cast<tn::bfloat16>(z), y - z, sum, tn::max(z * z, tn::axis<0>),
                       tn::max(sum));
  });
  for (extents_of_rank<2> const& shape : {extents_of_rank<2>{5000, 100}, {33, 7}, {9000, 36}})
    for (arrangement how : arrangements) {
      auto x = random_array<float, 2>(shape, how), y = random_array<float, 2>(shape, how);
      auto weight = random_array<float, 1>({shape[0]});
      auto const [z, rest, sum, most, total] = f(x.view(), y.view(), weight.view());
      doubles const a = x.values(), b = y.values(), w = weight.values();
      doubles const products = result_of(z), differences = result_of(rest), s = result_of(sum),
                    m = result_of(most);
      std::vector<double> expected(static_cast<std::size_t>(shape[1])),
          largest(static_cast<std::size_t>(shape[1]));
      for (std::int64_t i = 0; i < a.size(); ++i) {
        double const product = a[i] * w[i / shape[1]];
        std::size_t const c = static_cast<std::size_t>(i % shape[1]);
        expected[c] += product, largest[c] = std::fmax(largest[c], product * product);
        ASSERT_NEAR(products[i], product, 5e-3 * std::fabs(product)) << i;
        ASSERT_NEAR(differences[i], b[i] - product, 1e-6) << i;
      }
      double greatest = -INFINITY;
      for (std::int64_t c = 0; c < shape[1]; ++c) {
        ASSERT_NEAR(s[c], expected[static_cast<std::size_t>(c)], 1e-3) << c;
        ASSERT_NEAR(m[c], largest[static_cast<std::size_t>(c)], 1e-6 * m[c]) << c;
        greatest = std::fmax(greatest, expected[static_cast<std::size_t>(c)]);
      }
      EXPECT_NEAR(result_of(total)[0], greatest, 1e-3);
    }
}

// Positions along two axes that are not one, and columns along two others.
TEST(stored_columns, of_several_axes) {
  std::int64_t const n = 40, height = 30, width = 3, channels = 24, columns = width * channels;
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::square(x), tn::sum(tn::square(x), tn::axis<0, 1>)); });
  auto x = random_array<float, 4>({n, height, width, channels}, arrangement::padded);
  doubles const a = x.values();
  auto const [squares, sums] = f(x.view());
  doubles const found = result_of(squares), s = result_of(sums);
  std::vector<double> expected(static_cast<std::size_t>(columns));
  for (std::int64_t i = 0; i < a.size(); ++i) {
    expected[static_cast<std::size_t>(i % columns)] += a[i] * a[i];
    ASSERT_NEAR(found[i], a[i] * a[i], 1e-6) << i;
  }
  for (std::int64_t c = 0; c < columns; ++c)
    ASSERT_NEAR(s[c], expected[static_cast<std::size_t>(c)], 1e-3) << c;
}

TEST(stored_columns, of_no_element) {
  auto const f = tn::compile([](auto x) { return tn::outputs(x + 1.0f, tn::sum(x, tn::axis<0>)); });
  auto x = array<float, 2>({0, 5});
  auto const [above, sums] = f(x.view());
  for (std::int64_t c = 0; c < 5; ++c) EXPECT_EQ(result_of(sums)[c], 0) << c;
}

TEST(stored_columns, have_the_same_bits_on_a_second_call) {
  auto const f = tn::compile(tn::vjp([](auto x, auto b) { return tn::silu(x + b); }));
  auto x = random_array<tn::bfloat16, 2>({6000, 72}),
       dy = random_array<tn::bfloat16, 2>({6000, 72});
  auto b = random_array<tn::bfloat16, 1>({72});
  auto const [dx, db] = f(x.view(), b.view(), dy.view());
  auto const [dx_again, db_again] = f(x.view(), b.view(), dy.view());
  EXPECT_EQ(result_of(dx).values, result_of(dx_again).values);
  EXPECT_EQ(result_of(db).values, result_of(db_again).values);
}

#if defined(__CUDACC__)
TEST(stored_columns, are_swept_once) {
  auto const f = tn::compile(tn::vjp([](auto x, auto b) { return tn::silu(x + b); }));
  auto x = array<float, 2>({100000, 64});
  auto b = array<float, 1>({64});
  std::string const schedule = tn::explain(f, x.view(), b.view(), x.view()).schedule;
  EXPECT_NE(schedule.find("neighbouring threads on neighbouring rows, columns over blocks\n"),
            std::string::npos)
      << schedule;
}
#endif

}  // namespace
