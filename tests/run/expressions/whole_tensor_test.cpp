// SPDX-License-Identifier: Apache-2.0
// Elements that are changed by statistics of the whole tensor, or of each channel: rows as long as
// the tensor.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
using reference::elementwise;
using reference::reduced;

// Share of the total, standardised, and scaled to a norm of at most 1.
struct by_whole_tensor {
  template <class X> constexpr auto operator()(X x) const {
    auto centred = x - tn::mean(x);
    auto norm = tn::sqrt(tn::sum(x * x));
    return tn::outputs(x / tn::sum(x), centred * tn::rsqrt(tn::var(x, tn::correction<0>) + 1e-5),
                       x * tn::minimum(1 / norm, 1), norm);
  }
};

template <class T, int Rank>
void check_shape(extents_of_rank<Rank> const& extents, arrangement how = arrangement::contiguous) {
  constexpr tn::dtype type = tn::dtype_of<T>;
  auto x = random_array<T, Rank>(extents, how, 0.25, 3);
  doubles const values = x.values();
  double const total = reference::sum(values.values), mean = reference::mean(values.values);
  double const deviation = std::sqrt(reference::variance(values.values, 0) + 1e-5);
  double const norm =
      std::sqrt(reference::sum(elementwise([](double v) { return v * v; }, values).values));
  auto const [share, standard, scaled, length] = tn::compile(by_whole_tensor{})(x.view());
  std::string const what = " of " + std::to_string(x.size()) + " elements, " + to_string(how);
  double const roundoffs = 16 + 2 * sum_roundoffs(x.size());
  check_close(type, result_of(share), elementwise([&](double v) { return v / total; }, values),
              {.arithmetic = roundoffs}, "share" + what);
  doubles const scale = elementwise(
      [&](double v) { return (std::fabs(v) + mean) / deviation * (1 + mean / deviation); }, values);
  check_close(type, result_of(standard),
              elementwise([&](double v) { return (v - mean) / deviation; }, values),
              {.arithmetic = roundoffs, .scale = &scale}, "standardised" + what);
  check_close(type, result_of(scaled),
              elementwise([&](double v) { return v * std::fmin(1 / norm, 1); }, values),
              {.arithmetic = roundoffs}, "scaled" + what);
  check_close(type, result_of(length), doubles({}, {norm}), {.arithmetic = roundoffs},
              "norm" + what);
}

template <class T> void check_type() {
  for (std::int64_t length : {1, 31, 33, 1023, 1025, 16411, 65537, 300007, 2100001})
    check_shape<T, 1>({length});
  check_shape<T, 2>({1000, 1037});
  for (arrangement how : writable_arrangements) {
    check_shape<T, 2>({67, 129}, how);
    check_shape<T, 2>({607, 1021}, how);
  }
}

TEST(whole_tensor, of_float) { check_type<float>(); }
TEST(whole_tensor, of_double) { check_type<double>(); }
TEST(whole_tensor, of_bfloat16) { check_type<tn::bfloat16>(); }

// Longer than the chip holds.
TEST(whole_tensor, of_many_elements) { check_shape<float, 2>({4099, 5003}); }

TEST(whole_tensor, few_long_rows) {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  for (std::int64_t rows : {1, 2, 3, 5, 67}) {
    std::int64_t const length = rows < 10 ? 600011 : 270001;
    auto x = random_array<float, 2>({rows, length});
    check_close(tn::dtype::f32, result_of(f(x.view())), reference::softmax(x.values(), 0b10),
                {.arithmetic = 16 + sum_roundoffs(length)},
                "softmax of " + std::to_string(rows) + " rows");
  }
}

TEST(whole_tensor, a_total_over_few_long_rows) {
  auto const f = tn::compile([](auto x) {
    auto lengths = tn::sqrt(tn::sum(x * x, tn::axis<1>));
    return tn::outputs(tn::sum(lengths), lengths);
  });
  auto x = random_array<float, 2>({3, 300007});
  doubles const squares = elementwise([](double v) { return v * v; }, x.values());
  doubles const lengths = elementwise([](double v) { return std::sqrt(v); },
                                      reduced(squares, 0b10, false, reference::sum));
  auto const [total, rows] = f(x.view());
  check_close(tn::dtype::f32, result_of(rows), lengths, {.arithmetic = sum_roundoffs(300007)},
              "lengths");
  check_close(tn::dtype::f32, result_of(total), doubles({}, {reference::sum(lengths.values)}),
              {.arithmetic = sum_roundoffs(300007)}, "total");
}

TEST(whole_tensor, a_row_does_not_depend_on_the_number_of_rows) {
  std::int64_t const length = 262147;
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto many = random_array<float, 2>({70, length});
  array<float, 2> all({70, length});
  auto to_all = all.view();
  f.into(to_all)(many.view());
  std::vector<unsigned char> const expected = all.bits();
  for (std::int64_t rows : {1, 3}) {
    reference::doubles values = many.values();
    values.values.resize(static_cast<std::size_t>(rows * length));
    values.extents = {rows, length};
    array<float, 2> few({rows, length}, arrangement::contiguous, values), some({rows, length});
    auto to_some = some.view();
    f.into(to_some)(few.view());
    auto const found = some.bits();
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << rows << " rows";
  }
}

TEST(whole_tensor, channels_of_images) {
  auto const f = tn::compile([](auto x, auto weight) {
    auto mean = tn::mean(x, tn::axis<0, 2, 3>, tn::keepdim);
    auto var = tn::var(x, tn::axis<0, 2, 3>, tn::correction<0>, tn::keepdim);
    return tn::outputs((x - mean) * tn::rsqrt(var + 1e-5) *
                           tn::unsqueeze(tn::unsqueeze(weight, tn::axis<1>), tn::axis<2>),
                       mean, var);
  });
  for (extents_of_rank<4> extents :
       {extents_of_rank<4>{2, 3, 5, 7}, {17, 5, 131, 141}, {8, 64, 28, 28}, {3, 300, 9, 11}}) {
    auto x = random_array<float, 4>(extents);
    auto weight = random_array<float, 1>({extents[1]});
    doubles const values = x.values();
    doubles const mean = reduced(values, 0b1101, true, reference::mean);
    doubles const var = reduced(values, 0b1101, true, [](reference::elements const& e) {
      return reference::variance(e, 0);
    });
    doubles factors = weight.values();
    factors.extents = {extents[1], 1, 1};
    auto const normalised = [](double v, double m, double s, double w) {
      return (v - m) / std::sqrt(s + 1e-5) * w;
    };
    doubles const expected = elementwise(normalised, values, mean, var, factors);
    doubles const scale = elementwise(
        [](double e, double w) { return std::fabs(e) + 4 * std::fabs(w); }, expected, factors);
    doubles const mean_scale = elementwise([](double m) { return std::fabs(m) + 3; }, mean);
    double const roundoffs = 16 + sum_roundoffs(extents[0] * extents[2] * extents[3]);
    auto const [y, m, s] = f(x.view(), weight.view());
    check_close(tn::dtype::f32, result_of(y), expected, {.arithmetic = roundoffs, .scale = &scale},
                "normalised");
    check_close(tn::dtype::f32, result_of(m), mean, {.arithmetic = roundoffs, .scale = &mean_scale},
                "mean");
    check_close(tn::dtype::f32, result_of(s), var, {.arithmetic = roundoffs}, "variance");
  }
}

TEST(whole_tensor, scaled_to_float8) {
  auto const f = tn::compile([](auto x) {
    auto scale = 448 / tn::max(tn::abs(tn::cast<float>(x)));
    return tn::outputs(tn::cast<float>(tn::cast<tn::float8_e4m3>(tn::cast<float>(x) * scale)),
                       1 / scale);
  });
  for (std::int64_t length : {33, 5003}) {
    auto x = random_array<tn::bfloat16, 2>({length, 257});
    doubles const values = x.values();
    double largest = 0;
    for (double v : values.values) largest = std::fmax(largest, std::fabs(v));
    auto const [quantised, inverse] = f(x.view());
    doubles const found = result_of(quantised);
    for (std::int64_t i = 0; i < found.size(); ++i) {
      double const exact = values[i] * 448 / largest;
      ASSERT_NEAR(found[i], exact, std::fabs(exact) / 15 + 0x1p-10) << i;
    }
    check_close(tn::dtype::f32, result_of(inverse), doubles({}, {largest / 448}), {.arithmetic = 3},
                "inverse scale");
  }
}

// Of what is computed of a part of a matrix, as it lies.
TEST(whole_tensor, greatest_of_a_part) {
  auto const f = tn::compile([](auto x) {
    auto const part = tn::slice(x, tn::axis<1>, tn::range<2, 9>);
    return tn::argmax(tn::abs(part) + 0.5, tn::axis<0, 1>);
  });
  for (std::int64_t rows : {1, 7, 300})
    for (arrangement how : arrangements) {
      auto x = random_array<tn::bfloat16, 2>({rows, 12}, how);
      reference::doubles const a = x.values();
      std::int64_t greatest = 0;
      auto const magnitude = [&](std::int64_t k) { return std::abs(a[k / 7 * 12 + 2 + k % 7]); };
      auto const rounded = [&](std::int64_t k) { return float(magnitude(k)) + 0.5f; };
      for (std::int64_t k = 1; k < rows * 7; ++k)
        if (rounded(k) > rounded(greatest)) greatest = k;
      EXPECT_EQ(result_of(f(x.view()))[0], static_cast<double>(greatest))
          << rows << " " << to_string(how);
    }
}

}  // namespace
