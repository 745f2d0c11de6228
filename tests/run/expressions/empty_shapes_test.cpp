// SPDX-License-Identifier: Apache-2.0
// Axes of length 0 in every family of kernels: what reduces nothing is written, what has no elements is not launched, and the
// largest of nothing is refused.
#include "run/support/arrays.hpp"
#include "run/support/errors.hpp"
#include "tenon/sort.hpp"

namespace {

double const nan = std::nan("");

// Whether the result has these extents, and `value` everywhere.
template <class Tensor>
void expect_all(Tensor const& result, reference::shape const& extents, double value, char const* what) {
  reference::doubles const found = result_of(result);
  ASSERT_EQ(found.extents, extents) << what;
  for (std::int64_t i = 0; i < found.size(); ++i) {
    bool const is_right = std::isnan(value) ? std::isnan(found[i]) : found[i] == value;
    ASSERT_TRUE(is_right) << what << ": element " << i << " is " << found[i] << ", not " << value;
  }
}

template <class T> using matrix = tn::tensor<T, tn::dyn, tn::dyn>;

// Of which one number is 0 at least.
struct shape {
  std::int64_t rows, columns;
};
constexpr shape shapes[] = {{0, 0}, {0, 1}, {0, 7}, {0, 4096}, {1, 0}, {5, 0}, {3000, 0}};

template <class T> void check_elements() {
  auto const f = tn::compile([](auto x) { return tn::outputs(x * 2, x + 1); });
  auto const turned = tn::compile([](auto x, auto y) { return x + tn::transpose(y); });
  auto const scaled = tn::compile([](auto x, auto s) { return tn::outputs(x * s, s + 1); });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns), y(columns, rows);
    auto const [twice, more] = f(x);
    expect_all(twice, {rows, columns}, 0, "x * 2");
    expect_all(more, {rows, columns}, 0, "x + 1");
    expect_all(turned(x, y), {rows, columns}, 0, "x + transpose(y)");
    auto const [products, number] = scaled(x, 2.0f);
    expect_all(products, {rows, columns}, 0, "x * s");
    expect_all(number, {}, 3, "s + 1");
    expect_all(tn::compile([](auto x) { return tn::full_like(x, 1); })(x), {rows, columns}, 1, "full_like");
    expect_all(tn::compile([](auto x) { return tn::rand(x, 1); })(x), {rows, columns}, 0, "rand");
  }
}
TEST(empty_shapes, elements_of_f32) { check_elements<float>(); }
TEST(empty_shapes, elements_of_bf16) { check_elements<tn::bfloat16>(); }

template <class T> void check_whole_tensor() {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::sum(x), tn::mean(x), tn::prod(x), tn::any(x > 0), tn::all(x > 0), tn::var(x));
  });
  auto const beside = tn::compile([](auto x) { return tn::outputs(x * 2, tn::sum(x)); });
  auto const sent_back = tn::compile([](auto x) { return x / tn::sum(x * x); });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    auto const [sum, mean, product, any, all, variance] = f(x);
    expect_all(sum, {}, 0, "sum"), expect_all(mean, {}, nan, "mean"), expect_all(product, {}, 1, "prod");
    expect_all(any, {}, 0, "any"), expect_all(all, {}, 1, "all"), expect_all(variance, {}, nan, "var");
    auto const [twice, total] = beside(x);
    expect_all(twice, {rows, columns}, 0, "x * 2"), expect_all(total, {}, 0, "sum beside elements");
    expect_all(sent_back(x), {rows, columns}, 0, "x / sum(x * x)");
  }
}
TEST(empty_shapes, whole_tensor_of_f32) { check_whole_tensor<float>(); }
TEST(empty_shapes, whole_tensor_of_bf16) { check_whole_tensor<tn::bfloat16>(); }

template <class T> void check_rows() {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::sum(x, tn::axis<1>), tn::mean(x, tn::axis<1>), tn::var(x, tn::axis<1>),
                       tn::all(x > 0, tn::axis<1>));
  });
  auto const alone = tn::compile([](auto x) { return tn::sum(x, tn::axis<1>); });
  auto const products = tn::compile([](auto x) { return tn::prod(x, tn::axis<1>); });
  auto const kept = tn::compile([](auto x) {
    return tn::outputs(tn::softmax(x, tn::axis<1>), tn::layer_norm(x), tn::sum(x * x, tn::axis<1>));
  });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    auto const [sums, means, variances, all] = f(x);
    expect_all(sums, {rows}, 0, "sums"), expect_all(means, {rows}, nan, "means");
    expect_all(variances, {rows}, nan, "variances"), expect_all(all, {rows}, 1, "all");
    expect_all(alone(x), {rows}, 0, "sums alone"), expect_all(products(x), {rows}, 1, "products");
    auto const [shares, normal, squares] = kept(x);
    expect_all(shares, {rows, columns}, 0, "softmax"), expect_all(normal, {rows, columns}, 0, "layer_norm");
    expect_all(squares, {rows}, 0, "squares beside softmax");
  }
}
TEST(empty_shapes, rows_of_f32) { check_rows<float>(); }
TEST(empty_shapes, rows_of_bf16) { check_rows<tn::bfloat16>(); }

template <class T> void check_columns() {
  auto const f = tn::compile([](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::mean(x, tn::axis<0>)); });
  auto const alone = tn::compile([](auto x) { return tn::sum(x, tn::axis<0>); });
  auto const kept = tn::compile([](auto x) { return tn::outputs(tn::softmax(x, tn::axis<0>), tn::sum(x, tn::axis<0>)); });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    auto const [sums, means] = f(x);
    expect_all(sums, {columns}, 0, "sums"), expect_all(means, {columns}, nan, "means");
    expect_all(alone(x), {columns}, 0, "sums alone");
    auto const [shares, beside] = kept(x);
    expect_all(shares, {rows, columns}, 0, "softmax"), expect_all(beside, {columns}, 0, "sums beside softmax");
  }
}
TEST(empty_shapes, columns_of_f32) { check_columns<float>(); }
TEST(empty_shapes, columns_of_bf16) { check_columns<tn::bfloat16>(); }

template <class T> void check_rows_and_columns() {
  auto const f = tn::compile([](auto x) {
    auto sums = tn::sum(x, tn::axis<1>);
    return tn::outputs(sums, tn::sum(x, tn::axis<0>), tn::sum(sums * sums));
  });
  auto const kept = tn::compile([](auto x) {
    auto shares = tn::softmax(x, tn::axis<1>);
    return tn::outputs(shares, tn::sum(shares * x, tn::axis<0>));
  });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    auto const [of_rows, of_columns, total] = f(x);
    expect_all(of_rows, {rows}, 0, "of rows"), expect_all(of_columns, {columns}, 0, "of columns");
    expect_all(total, {}, 0, "total");
    auto const [shares, sums] = kept(x);
    expect_all(shares, {rows, columns}, 0, "softmax"), expect_all(sums, {columns}, 0, "sums of softmax");
  }
}
TEST(empty_shapes, rows_and_columns_of_f32) { check_rows_and_columns<float>(); }
TEST(empty_shapes, rows_and_columns_of_bf16) { check_rows_and_columns<tn::bfloat16>(); }

template <class T> void check_totals() {
  auto const nested = tn::compile([](auto x) { return tn::sum(tn::sqrt(tn::sum(x * x, tn::axis<1>))); });
  auto const mean = tn::compile([](auto x) { return tn::mean(tn::exp(tn::sum(x, tn::axis<1>))); });
  auto const beside = tn::compile([](auto x) {
    return tn::outputs(tn::softmax(x, tn::axis<1>), tn::sum(tn::exp(tn::sum(x, tn::axis<1>))));
  });
  auto const sent_back = tn::compile([](auto x) { return x / tn::sum(tn::sqrt(tn::sum(x * x, tn::axis<1>))); });
  auto const to_rows = tn::compile([](auto x) {
    auto sums = tn::sum(x, tn::axis<1>) + 1;
    return tn::outputs(sums / tn::sum(sums), tn::sum(sums));
  });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    double const count = static_cast<double>(rows);
    expect_all(nested(x), {}, 0, "nested"), expect_all(mean(x), {}, rows > 0 ? 1 : nan, "mean of rows");
    auto const [shares, total] = beside(x);
    expect_all(shares, {rows, columns}, 0, "softmax");
    if (rows != 3000 || !std::is_same_v<T, tn::bfloat16>) expect_all(total, {}, count, "total beside softmax");
    expect_all(sent_back(x), {rows, columns}, 0, "sent back");
    if (rows > 5) continue;  // 1 / 3000 is rounded
    auto const [parts, sum] = to_rows(x);
    expect_all(parts, {rows}, as_double(static_cast<T>(1.0f / static_cast<float>(count))), "parts");
    expect_all(sum, {}, count, "sum of rows");
  }
}
TEST(empty_shapes, totals_of_f32) { check_totals<float>(); }
TEST(empty_shapes, totals_of_bf16) { check_totals<tn::bfloat16>(); }

template <class T> void check_planes_and_channels() {
  auto const planes = tn::compile([](auto x) {
    auto rows = tn::sum(x, tn::axis<2>);
    return tn::outputs(rows, tn::sum(tn::exp(rows), tn::axis<1>));
  });
  auto const channels = tn::compile([](auto x) {
    auto mean = tn::mean(x, tn::axis<0, 2>, tn::keepdim);
    return tn::outputs(x - mean, tn::sum(x, tn::axis<0, 2>));
  });
  for (std::int64_t a : {0, 2})
    for (std::int64_t b : {0, 1, 3})
      for (std::int64_t c : {0, 64}) {
        if (a * b * c > 0) continue;
        tn::tensor<T, tn::dyn, tn::dyn, tn::dyn> x(a, b, c);
        auto const [rows, sums] = planes(x);
        expect_all(rows, {a, b}, 0, "rows"), expect_all(sums, {a}, static_cast<double>(b), "planes");
        auto const [centred, of_channels] = channels(x);
        expect_all(centred, {a, b, c}, 0, "centred"), expect_all(of_channels, {b}, 0, "channels");
      }
}
TEST(empty_shapes, planes_and_channels_of_f32) { check_planes_and_channels<float>(); }
TEST(empty_shapes, planes_and_channels_of_bf16) { check_planes_and_channels<tn::bfloat16>(); }

template <class T> void check_scans_and_blocks() {
  auto const scan = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>); });
  auto const down = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<0>, tn::reversed); });
  auto const beside = tn::compile([](auto x) {
    return tn::outputs(tn::cumsum(x, tn::axis<1>), tn::sum(x, tn::axis<1>));
  });
  auto const blocks = tn::compile([](auto x) { return tn::block_sum(x, tn::axis<1>, tn::ct<4>); });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    expect_all(scan(x), {rows, columns}, 0, "cumsum"), expect_all(down(x), {rows, columns}, 0, "cumsum of columns");
    auto const [running, sums] = beside(x);
    expect_all(running, {rows, columns}, 0, "cumsum beside sums");
    expect_all(sums, {rows}, 0, "sums beside cumsum");
    expect_all(blocks(x), {rows, columns}, 0, "block_sum");
  }
}
TEST(empty_shapes, scans_and_blocks_of_f32) { check_scans_and_blocks<float>(); }
TEST(empty_shapes, scans_and_blocks_of_bf16) { check_scans_and_blocks<tn::bfloat16>(); }

template <class T> void check_sorts() {
  auto const sorted = tn::compile([](auto x) { return tn::sort(x, tn::axis<1>); });
  auto const beside = tn::compile([](auto x) { return tn::outputs(tn::argsort(x, tn::axis<1>), tn::sum(x, tn::axis<1>)); });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    expect_all(sorted(x), {rows, columns}, 0, "sort");
    auto const [order, sums] = beside(x);
    expect_all(order, {rows, columns}, 0, "argsort"), expect_all(sums, {rows}, 0, "sums beside argsort");
  }
}
TEST(empty_shapes, sorts_of_f32) { check_sorts<float>(); }
TEST(empty_shapes, sorts_of_bf16) { check_sorts<tn::bfloat16>(); }

template <class T> void check_updates() {
  auto const f = tn::compile([](auto base, auto index, auto update) { return tn::scatter_add(base, tn::axis<0>, index, update); });
  for (auto const& [rows, columns] : shapes)
    for (std::int64_t updates : {0, 3}) {
      matrix<T> base(rows, columns), update(updates, columns);
      if (rows == 0 && updates > 0 && columns > 0) continue;  // there is nowhere to add
      array<int, 1> index({updates}, arrangement::contiguous, reference::doubles({updates}));
      expect_all(f(base, index.view(), update), {rows, columns}, 0, "scatter_add");
    }
  array<T, 2> base({40, 5}, arrangement::contiguous, reference::doubles({40, 5}, std::vector<double>(200, 4)));
  array<int, 1> index({0});
  matrix<T> update(0, 5);
  expect_all(f(base.view(), index.view(), update), {40, 5}, 4, "no updates");
}
TEST(empty_shapes, updates_of_f32) { check_updates<float>(); }
TEST(empty_shapes, updates_of_bf16) { check_updates<tn::bfloat16>(); }

template <class T> void check_parts() {
  auto const joined = tn::compile([](auto x, auto y) { return tn::concat(x, y, tn::axis<1>); });
  auto const padded = tn::compile([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<2, 3>, 7); });
  auto const rolled = tn::compile([](auto x) { return tn::roll(x, tn::axis<1>, 1); });
  auto const taken = tn::compile([](auto x, auto index) { return tn::take(x, index, tn::axis<0>); });
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns), y(rows, 0);
    expect_all(joined(x, y), {rows, columns}, 0, "concat"), expect_all(joined(y, y), {rows, 0}, 0, "concat of nothing");
    if (columns == 0) expect_all(padded(x), {rows, 5}, 7, "pad");
    expect_all(rolled(x), {rows, columns}, 0, "roll");
    array<int, 1> index({0});
    expect_all(taken(x, index.view()), {0, columns}, 0, "take at no indices");
  }
}
TEST(empty_shapes, parts_of_f32) { check_parts<float>(); }
TEST(empty_shapes, parts_of_bf16) { check_parts<tn::bfloat16>(); }

// Of no element of a result it is not wanted.
template <class T> void check_largest_of_nothing() {
  auto const of_rows = tn::compile([](auto x) { return tn::max(x, tn::axis<1>); }, "of_rows");
  auto const of_columns = tn::compile([](auto x) { return tn::argmin(x, tn::axis<0>); }, "of_columns");
  auto const of_all = tn::compile([](auto x) { return tn::argmax(x); }, "of_all");
  for (auto const& [rows, columns] : shapes) {
    matrix<T> x(rows, columns);
    auto const is_refused = [](auto const& call) { return message_of(call).find("is empty along the reduced axes") != std::string::npos; };
    EXPECT_EQ(is_refused([&] { of_rows(x); }), rows > 0);
    EXPECT_EQ(is_refused([&] { of_columns(x); }), columns > 0);
    EXPECT_TRUE(is_refused([&] { of_all(x); }));
  }
}
TEST(empty_shapes, largest_of_nothing_of_f32) { check_largest_of_nothing<float>(); }
TEST(empty_shapes, largest_of_nothing_of_bf16) { check_largest_of_nothing<tn::bfloat16>(); }

}  // namespace
