// SPDX-License-Identifier: Apache-2.0
// Backward passes of normalisations and of the softmax family, beside derivatives written by hand.
#include "run/gradients/support.hpp"
#include "tenon/tenon.hpp"

namespace {

struct rows_and_columns {
  std::int64_t rows, columns;
};
rows_and_columns const shapes[] = {{1, 1}, {3, 31}, {33, 64}, {17, 1000}};

TEST(gradients, of_softmax) {
  auto const f = tn::vjp([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto const of_log = tn::vjp([](auto x) { return tn::log_softmax(x, tn::axis<-1>); });
  for (auto [rows, columns] : shapes) {
    matrix x = random_matrix(rows, columns, -10, 10), dy = random_matrix(rows, columns);
    doubles const p = reference::softmax(x.values(), 2u), d = dy.values();
    doubles expected(p.extents), expected_of_log(p.extents);
    for (std::int64_t i = 0; i < rows; ++i) {
      double along = 0, total = 0;
      for (std::int64_t j = 0; j < columns; ++j) along += p[i * columns + j] * d[i * columns + j], total += d[i * columns + j];
      for (std::int64_t j = 0; j < columns; ++j) {
        expected[i * columns + j] = p[i * columns + j] * (d[i * columns + j] - along);
        expected_of_log[i * columns + j] = d[i * columns + j] - p[i * columns + j] * total;
      }
    }
    if (columns > 1) {
      expect_gradient(f(x.view(), dy.view()), expected, columns, "softmax");
      expect_gradient(of_log(x.view(), dy.view()), expected_of_log, columns, "log_softmax");
    }
  }
}

TEST(gradients, of_layer_norm) {
  auto const f = tn::vjp([](auto x, auto weight, auto bias) { return tn::layer_norm(x, weight, bias); });
  for (auto [rows, columns] : shapes) {
    if (columns == 1) continue;
    matrix x = random_matrix(rows, columns), dy = random_matrix(rows, columns);
    vector weight = random_vector(columns), bias = random_vector(columns);
    auto const [dx, dw, db] = f(x.view(), weight.view(), bias.view(), dy.view());
    doubles const a = x.values(), w = weight.values(), d = dy.values();
    doubles expected_dx(a.extents), expected_dw(w.extents), expected_db(w.extents);
    double const n = static_cast<double>(columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      double mean = 0, variance = 0, mean_h = 0, mean_hx = 0;
      for (std::int64_t j = 0; j < columns; ++j) mean += a[i * columns + j] / n;
      for (std::int64_t j = 0; j < columns; ++j) variance += (a[i * columns + j] - mean) * (a[i * columns + j] - mean) / n;
      double const scale = 1 / std::sqrt(variance + 1e-5);
      auto const normal = [&](std::int64_t j) { return (a[i * columns + j] - mean) * scale; };
      for (std::int64_t j = 0; j < columns; ++j) {
        double const h = d[i * columns + j] * w[j];
        mean_h += h / n, mean_hx += h * normal(j) / n;
        expected_dw[j] += d[i * columns + j] * normal(j);
        expected_db[j] += d[i * columns + j];
      }
      for (std::int64_t j = 0; j < columns; ++j)
        expected_dx[i * columns + j] = (d[i * columns + j] * w[j] - mean_h - normal(j) * mean_hx) * scale;
    }
    expect_gradient(dx, expected_dx, columns, "dx");
    expect_gradient(dw, expected_dw, rows, "dweight");
    expect_gradient(db, expected_db, rows, "dbias");
  }
}

TEST(gradients, of_rms_norm) {
  auto const f = tn::vjp([](auto x, auto weight) { return tn::rms_norm(x, weight); });
  for (auto [rows, columns] : shapes) {
    matrix x = random_matrix(rows, columns), dy = random_matrix(rows, columns);
    vector weight = random_vector(columns);
    auto const [dx, dw] = f(x.view(), weight.view(), dy.view());
    doubles const a = x.values(), w = weight.values(), d = dy.values();
    doubles expected_dx(a.extents), expected_dw(w.extents);
    double const n = static_cast<double>(columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      double squares = 0, along = 0;
      for (std::int64_t j = 0; j < columns; ++j) squares += a[i * columns + j] * a[i * columns + j] / n;
      double const scale = 1 / std::sqrt(squares + 1e-5);
      for (std::int64_t j = 0; j < columns; ++j) {
        along += d[i * columns + j] * w[j] * a[i * columns + j] / n;
        expected_dw[j] += d[i * columns + j] * a[i * columns + j] * scale;
      }
      for (std::int64_t j = 0; j < columns; ++j)
        expected_dx[i * columns + j] = scale * (d[i * columns + j] * w[j] - a[i * columns + j] * scale * scale * along);
    }
    // Of one column the two terms all but cancel.
    if (columns > 1) expect_gradient(dx, expected_dx, columns, "dx");
    expect_gradient(dw, expected_dw, rows, "dweight");
  }
}

TEST(gradients, of_logsumexp_and_variance) {
  auto const f = tn::vjp([](auto x) { return tn::outputs(tn::logsumexp(x, tn::axis<1>), tn::var(x, tn::axis<1>)); });
  matrix x = random_matrix(9, 65, 100, 110);
  vector dl = random_vector(9), dv = random_vector(9);
  doubles const a = x.values(), p = reference::softmax(a, 2u), l = dl.values(), v = dv.values();
  doubles const mean = reference::reduced(a, 2u, true, reference::mean);
  expect_gradient(f(x.view(), dl.view(), dv.view()), like(a, [&](std::int64_t i) {
                    return l[i / 65] * p[i] + v[i / 65] * 2 * (a[i] - mean[i / 65]) / 64;
                  }), 65, "dx");
}

// Named extents, bfloat16, and a function around it: one kernel still.
TEST(gradients, of_a_block_of_a_network) {
  auto const block = [](auto h, auto weight, auto bias) { return tn::gelu(tn::layer_norm(h, weight, bias)) * 1.2f + 0.1f; };
  using values = tn::tensor<tn::bfloat16, "B", "T", 64>;
  auto x = random_array<tn::bfloat16, 3>({3, 5, 64}), dy = random_array<tn::bfloat16, 3>({3, 5, 64});
  values h(3, 5), dh(3, 5);
  tn::tensor<tn::bfloat16, 64> weight, bias;
  auto const numbers = [](doubles const& v) {
    std::vector<tn::bfloat16> result;
    for (double one : v.values) result.push_back(tn::bfloat16(static_cast<float>(one)));
    return result;
  };
  doubles const a = x.values(), d = dy.values(), w = random_doubles<float>({64}), b = random_doubles<float>({64});
  h = values(numbers(a), 3, 5), dh = values(numbers(d), 3, 5);
  weight = tn::tensor<tn::bfloat16, 64>(numbers(w)), bias = tn::tensor<tn::bfloat16, 64>(numbers(b));
  static_assert(decltype(tn::launches(tn::compile(tn::vjp(block)), h, weight, bias, dh))::value == 1);
  auto const [dx, dw, db] = tn::vjp(block)(h, weight, bias, dh);
  doubles const stored_w = result_of(weight), stored_b = result_of(bias);
  doubles expected_db({64});
  for (std::int64_t i = 0; i < 15; ++i) {
    double mean = 0, variance = 0;
    for (std::int64_t j = 0; j < 64; ++j) mean += a[i * 64 + j] / 64;
    for (std::int64_t j = 0; j < 64; ++j) variance += (a[i * 64 + j] - mean) * (a[i * 64 + j] - mean) / 64;
    for (std::int64_t j = 0; j < 64; ++j) {
      double const z = (a[i * 64 + j] - mean) / std::sqrt(variance + 1e-5) * stored_w[j] + stored_b[j];
      double const cdf = 0.5 * std::erfc(-z / std::sqrt(2.0)), density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
      expected_db[j] += 1.2 * d[i * 64 + j] * (cdf + z * density);
    }
  }
  expect_gradient(db, expected_db, 15, "dbias");
}

// A row of zeros has the gradient zero, not NaN; straight through a rounding.
TEST(gradients, of_norms_at_zero) {
  matrix x({2, 2}, arrangement::contiguous, doubles({2, 2}, {3, 4, 0, 0}));
  auto const norm = tn::grad([](auto x) { return tn::sum(tn::l2_norm(x, tn::axis<1>)); });
  auto const deviation = tn::grad([](auto x) { return tn::sum(tn::stddev(x, tn::axis<1>)); });
  auto const cosine = tn::grad([](auto x, auto y) { return tn::sum(tn::cosine_similarity(x, y, tn::axis<1>)); }, tn::wrt<0>);
  doubles const flat({2, 2}, {0.6, 0.8, 0, 0});
  expect_gradient(norm(x.view()), flat, 2, "norm");
  expect_gradient(deviation(x.view()), doubles({2, 2}, {-std::sqrt(0.5), std::sqrt(0.5), 0, 0}), 2, "stddev");
  for (double slope : result_of(cosine(x.view(), x.view())).values) EXPECT_NEAR(slope, 0, 1e-6);
  auto const through = tn::grad([](auto x) { return tn::sum(tn::with_gradient_of(tn::round(x), x) * x); });
  expect_gradient(through(x.view()), doubles({2, 2}, {6, 8, 0, 0}), 1, "straight through");
}

}  // namespace
