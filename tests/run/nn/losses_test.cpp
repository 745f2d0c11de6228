// SPDX-License-Identifier: Apache-2.0
// Losses and norms against loops in double, and their tails.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

#include "tenon/nn/loss.hpp"
#include "tenon/nn/norms.hpp"

namespace {

using reference::doubles;
using reference::elementwise;

// The mean of the terms, which a sum of n of them may miss by its roundings.
template <class Terms> void expect_mean(auto const& tensor, Terms const& terms, doubles const& x, doubles const& y, char const* what) {
  doubles const all = elementwise(terms, x, y);
  doubles const expected = reference::reduced(all, reference::all_axes, false, reference::mean);
  doubles const scale = reference::reduced(all, reference::all_axes, false, [](auto const& v) { return reference::sum_of_magnitudes(v) / static_cast<double>(v.size()) + 1e-3; });
  check_close(tn::dtype::f32, result_of(tensor), expected, {.arithmetic = sum_roundoffs(x.size()) + 16, .scale = &scale}, what);
}

TEST(losses, are_means_of_their_terms) {
  for (std::int64_t rows : {1, 7, 300}) {
    auto x = random_array<float, 2>({rows, 33}, arrangement::contiguous, -5, 5), y = random_array<float, 2>({rows, 33}, arrangement::contiguous, 0, 1);
    auto const f = tn::compile([](auto x, auto y) {
      return tn::outputs(tn::mse_loss(x, y), tn::l1_loss(x, y), tn::huber_loss(x, y), tn::huber_loss(x, y, 0.5),
                         tn::smooth_l1_loss(x, y, 2.0), tn::bce_with_logits_loss(x, y), tn::bce_with_logits_loss(x, y, 3.0),
                         tn::kl_div_loss(x, y), tn::hinge_loss(x, y), tn::smooth_l1_loss(x, y));
    });
    auto const [mse, l1, huber, huber_half, smooth, bce, weighted, kl, hinge, smooth_one] = f(x.view(), y.view());
    doubles const a = x.values(), b = y.values();
    auto huber_of = [](double delta) {
      return [=](double p, double q) { double d = std::fabs(p - q); return d <= delta ? d * d / 2 : delta * (d - delta / 2); };
    };
    auto bce_of = [](double weight) {
      return [=](double p, double q) { return weight * q * std::log1p(std::exp(-p)) + (1 - q) * std::log1p(std::exp(p)); };
    };
    expect_mean(mse, [](double p, double q) { return (p - q) * (p - q); }, a, b, "mse");
    expect_mean(l1, [](double p, double q) { return std::fabs(p - q); }, a, b, "l1");
    expect_mean(huber, huber_of(1), a, b, "huber");
    expect_mean(huber_half, huber_of(0.5), a, b, "huber of 0.5");
    expect_mean(smooth, [&](double p, double q) { return huber_of(2)(p, q) / 2; }, a, b, "smooth l1 of 2");
    expect_mean(smooth_one, huber_of(1), a, b, "smooth l1");
    expect_mean(bce, bce_of(1), a, b, "bce");
    expect_mean(weighted, bce_of(3), a, b, "bce of weight 3");
    expect_mean(kl, [](double p, double q) { return q == 0 ? 0 : q * (std::log(q) - p); }, a, b, "kl");
    expect_mean(hinge, [](double p, double q) { return std::fmax(0, 1 - p * q); }, a, b, "hinge");
  }
}

// The difference of unsigned integers has a sign, and products and squares are not of the elements' own type.
TEST(losses, of_integers_do_not_wrap) {
  array<std::uint8_t, 1> x({2}, arrangement::contiguous, doubles({2}, {200, 3})), y({2}, arrangement::contiguous, doubles({2}, {100, 5}));
  auto const f = tn::compile([](auto x, auto y) {
    return tn::outputs(tn::mse_loss(x, y, tn::sum), tn::l1_loss(x, y, tn::none), tn::huber_loss(x, y, tn::none),
                       tn::smooth_l1_loss(x, y, 2.0, tn::none), tn::l1_loss(x, 201, tn::none), tn::lerp(x, y, 0.5),
                       tn::cosine_similarity(x, y, tn::axis<0>, 0.0));
  });
  auto const [mse, l1, huber, smooth, beside_number, middle, cosine] = f(x.view(), y.view());
  EXPECT_EQ(result_of(mse)[0], 10004);
  EXPECT_EQ(result_of(l1).values, (std::vector<double>{100, 2}));
  EXPECT_EQ(result_of(huber).values, (std::vector<double>{99.5, 1.5}));
  EXPECT_EQ(result_of(smooth).values, (std::vector<double>{99, 1}));
  EXPECT_EQ(result_of(beside_number).values, (std::vector<double>{1, 198}));
  EXPECT_EQ(result_of(middle).values, (std::vector<double>{150, 4}));
  EXPECT_NEAR(result_of(cosine)[0], 20015 / std::sqrt(40009.0 * 10025.0), 1e-6);
}

// Of i8, -128 has no magnitude and 100 * 2 no place; of u8, no number has a negative. Targets of another type than x do not change
// the type of the loss.
TEST(losses, of_logits_and_margins_that_are_integers_do_not_wrap) {
  array<std::int8_t, 1> x({3}, arrangement::contiguous, doubles({3}, {-128, 100, -100})), sides({3}, arrangement::contiguous, doubles({3}, {1, -1, 2}));
  array<std::uint8_t, 1> logits({3}, arrangement::contiguous, doubles({3}, {0, 3, 200})), targets({3}, arrangement::contiguous, doubles({3}, {2, 0, 2}));
  array<tn::half, 1> halves({3}, arrangement::contiguous, doubles({3}, {0, 3, 200}));
  auto const f = tn::compile([](auto x, auto sides, auto logits, auto targets, auto halves) {
    return tn::outputs(tn::hinge_loss(x, sides, tn::none), tn::bce_with_logits_loss(logits, targets, tn::none),
                       tn::bce_with_logits_loss(x, targets, tn::none), tn::bce_with_logits_loss(logits, targets, targets * 100, tn::none),
                       tn::bce_with_logits_loss(halves, targets, tn::none), tn::hinge_loss(halves, sides, tn::none));
  });
  auto const [hinge, bce, bce_of_signed, weighted, bce_of_halves, hinge_of_halves] = f(x.view(), sides.view(), logits.view(), targets.view(), halves.view());
  auto bce_of = [](double p, double q) { return q * std::log1p(std::exp(-p)) + (1 - q) * (p > 100 ? p : std::log1p(std::exp(p))); };
  auto bce_of_negative = [](double p, double q) { return q * (p < -100 ? -p : std::log1p(std::exp(-p))) + (1 - q) * std::log1p(std::exp(p)); };
  EXPECT_EQ(result_of(hinge).values, (std::vector<double>{129, 101, 201}));
  check_close(tn::dtype::f32, result_of(bce), elementwise(bce_of, logits.values(), targets.values()), {.arithmetic = 4}, "u8");
  check_close(tn::dtype::f32, result_of(bce_of_signed), elementwise(bce_of_negative, x.values(), targets.values()), {.arithmetic = 4}, "i8");
  check_close(tn::dtype::f32, result_of(weighted), doubles({3}, {399 * std::log(2.0), std::log1p(std::exp(3.0)), -200}), {.arithmetic = 4}, "u8 with weights");
  auto const is_of_halves = []<class Tensor>(Tensor const&) { return std::is_same_v<typename Tensor::value_type, tn::half>; };
  EXPECT_TRUE(is_of_halves(bce_of_halves) && is_of_halves(hinge_of_halves));
  check_close(tn::dtype::f16, result_of(bce_of_halves), elementwise(bce_of, halves.values(), targets.values()), {.arithmetic = 4}, "f16");
}

TEST(losses, are_summed_or_left_alone_on_request) {
  auto x = random_array<float, 1>({100}), y = random_array<float, 1>({100});
  auto const f = tn::compile([](auto x, auto y) { return tn::outputs(tn::mse_loss(x, y, tn::sum), tn::huber_loss(x, y, 0.5, tn::sum)); });
  auto const g = tn::compile([](auto x, auto y) { return tn::l1_loss(x, y, tn::none); });
  auto const [squares, huber] = f(x.view(), y.view());
  doubles const terms = elementwise([](double p, double q) { return (p - q) * (p - q); }, x.values(), y.values());
  check_close(tn::dtype::f32, result_of(squares), reference::reduced(terms, 1, false, reference::sum), {.arithmetic = sum_roundoffs(100)}, "sum");
  check_close(tn::dtype::f32, result_of(g(x.view(), y.view())), elementwise([](double p, double q) { return std::fabs(p - q); }, x.values(), y.values()), {}, "none");
}

// log(1 + exp(-100)) is not lost beside 100, and 0 log 0 is 0.
TEST(losses, keep_their_tails) {
  array<float, 1> x({4}, arrangement::contiguous, doubles({4}, {80, -80, 80, -80}));
  array<float, 1> y({4}, arrangement::contiguous, doubles({4}, {1, 0, 0, 1}));
  auto const f = tn::compile([](auto x, auto y) { return tn::outputs(tn::bce_with_logits_loss(x, y, tn::none), tn::kl_div_loss(x, y, tn::none)); });
  auto const [bce, kl] = f(x.view(), y.view());
  check_close(tn::dtype::f32, result_of(bce), doubles({4}, {std::exp(-80.0), std::exp(-80.0), 80, 80}), {.arithmetic = 4}, "bce");
  check_close(tn::dtype::f32, result_of(kl), doubles({4}, {-80, 0, 0, 80}), {}, "kl");
}

TEST(norms, of_rows) {
  for (std::int64_t length : {1, 31, 33, 1025}) {
    auto x = random_array<float, 2>({5, length}), y = random_array<float, 2>({5, length});
    x.set(elementwise([](double v) { return std::fabs(v) < 0.5 ? 0 : v; }, x.values()));
    auto const f = tn::compile([](auto x, auto y) {
      constexpr auto last = tn::axis<-1>;
      return tn::outputs(tn::l1_norm(x, last), tn::l2_norm(x, last, tn::keepdim), tn::inf_norm(x, last), tn::sum_of_squares(x, last),
                         tn::count_nonzero(x, last), tn::cosine_similarity(x, y, last));
    });
    auto const [l1, l2, largest, squares, count, cosine] = f(x.view(), y.view());
    doubles const a = x.values();
    auto row = [&](auto const& g, bool keep = false) { return reference::reduced(a, 0b10, keep, g); };
    auto square_sum = [](auto const& v) { double s = 0; for (double e : v) s += e * e; return s; };
    tolerance const allowed{.arithmetic = sum_roundoffs(length)};
    check_close(tn::dtype::f32, result_of(l1), row(reference::sum_of_magnitudes), allowed, "l1");
    check_close(tn::dtype::f32, result_of(l2), row([&](auto const& v) { return std::sqrt(square_sum(v)); }, true), allowed, "l2");
    check_close(tn::dtype::f32, result_of(largest), row([](auto const& v) { double m = 0; for (double e : v) m = std::fmax(m, std::fabs(e)); return m; }), {}, "inf");
    check_close(tn::dtype::f32, result_of(squares), row(square_sum), allowed, "sum of squares");
    check_close(tn::dtype::i64, result_of(count), row([](auto const& v) { double n = 0; for (double e : v) n += e != 0; return n; }), {}, "count");
    doubles const dot = reference::reduced(elementwise([](double p, double q) { return p * q; }, a, y.values()), 0b10, false, reference::sum);
    doubles const lengths = elementwise([](double p, double q) { return std::fmax(std::sqrt(p), 1e-8) * std::fmax(std::sqrt(q), 1e-8); }, row(square_sum), reference::reduced(y.values(), 0b10, false, square_sum));
    doubles const one = elementwise([](double) { return 1.0; }, dot);
    check_close(tn::dtype::f32, result_of(cosine), elementwise([](double p, double q) { return p / q; }, dot, lengths), {.arithmetic = 2 * sum_roundoffs(length), .scale = &one}, "cosine");
  }
}

// -128 has no magnitude in i8.
TEST(norms, of_the_least_integer_do_not_wrap) {
  array<std::int8_t, 1> x({2}, arrangement::contiguous, doubles({2}, {-128, 127}));
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::inf_norm(x), tn::norm(x, tn::ct<std::numeric_limits<double>::infinity()>, tn::axis<0>, tn::keepdim), tn::l1_norm(x));
  });
  auto const [largest, of_power, l1] = f(x.view());
  EXPECT_EQ(result_of(largest)[0], 128);
  EXPECT_EQ(result_of(of_power).values, (std::vector<double>{128}));
  EXPECT_EQ(result_of(l1)[0], 255);
}

}  // namespace
