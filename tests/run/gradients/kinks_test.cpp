// SPDX-License-Identifier: Apache-2.0
// Gradients where there is no slope, or one that is not used.
#include "run/gradients/support.hpp"
#include "tenon/tenon.hpp"

namespace {

// What PyTorch gives: half to each of two equals, nothing at the kink of relu and abs, one within and at the ends of clamp.
TEST(gradients, at_kinks) {
  doubles const at({5}, {-1, 0, 1, 2, 3}), other({5}, {-2, 0, 2, 2, 3});
  vector x({5}, arrangement::contiguous, at), y({5}, arrangement::contiguous, other);
  auto const relu = tn::grad([](auto x) { return tn::sum(tn::relu(x)); });
  auto const abs = tn::grad([](auto x) { return tn::sum(tn::abs(x)); });
  auto const clamp = tn::grad([](auto x) { return tn::sum(tn::clamp(x, 0, 2)); });
  auto const maximum = tn::grad([](auto x, auto y) { return tn::sum(tn::maximum(x, y)); });
  EXPECT_EQ(result_of(relu(x.view())).values, (std::vector<double>{0, 0, 1, 1, 1}));
  EXPECT_EQ(result_of(abs(x.view())).values, (std::vector<double>{-1, 0, 1, 1, 1}));
  EXPECT_EQ(result_of(clamp(x.view())).values, (std::vector<double>{0, 1, 1, 1, 0}));
  auto const [dx, dy] = maximum(x.view(), y.view());
  EXPECT_EQ(result_of(dx).values, (std::vector<double>{1, 0.5, 0, 0.5, 0.5}));
  EXPECT_EQ(result_of(dy).values, (std::vector<double>{0, 0.5, 1, 0.5, 0.5}));
}

// What where does not choose takes no part, and steps have no slope.
TEST(gradients, of_what_is_not_chosen) {
  vector x({4}, arrangement::contiguous, doubles({4}, {-1, 0, 1, 4}));
  auto const root = tn::grad([](auto x) { return tn::sum(tn::where(x > 0, tn::sqrt(tn::where(x > 0, x, 1)), 0)); });
  EXPECT_EQ(result_of(root(x.view())).values, (std::vector<double>{0, 0, 0.5, 0.25}));
  auto const steps = tn::grad([](auto x) { return tn::sum(tn::floor(x) * x + tn::stop_gradient(x) * x); });
  EXPECT_EQ(result_of(steps(x.view())).values, (std::vector<double>{-2, 0, 2, 8}));
  auto const nothing = tn::grad([](auto x, auto y) { return tn::sum(x + tn::round(y)); });
  auto const [dx, dy] = nothing(x.view(), x.view());
  EXPECT_EQ(result_of(dx).values, (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(result_of(dy).values, (std::vector<double>{0, 0, 0, 0}));
}

// The other branch of a composite is infinite there, or 0 / 0.
TEST(gradients, of_branches_that_composites_do_not_choose) {
  vector x({4}, arrangement::contiguous, doubles({4}, {1000, 1, 0, -3})),
      target({4}, arrangement::contiguous, doubles({4}, {0, 3, 0, 0}));
  auto const celu = tn::grad([](auto x) { return tn::sum(tn::celu(x, 2.0)); });
  doubles const slopes = result_of(celu(x.view()));
  EXPECT_EQ((std::vector<double>{slopes[0], slopes[1], slopes[2]}), (std::vector<double>{1, 1, 1}));
  EXPECT_NEAR(slopes[3], std::exp(-1.5), 1e-6);
  // With beta 0 it is the absolute difference.
  auto const literal =
      tn::grad([](auto x, auto t) { return tn::smooth_l1_loss(x, t, 0, tn::sum); }, tn::wrt<0>);
  auto const passed = tn::grad(
      [](auto x, auto t, auto beta) { return tn::smooth_l1_loss(x, t, beta, tn::sum); }, tn::wrt<0>);
  std::vector<double> const signs{1, -1, 0, -1};
  EXPECT_EQ(result_of(literal(x.view(), target.view())).values, signs);
  EXPECT_EQ(result_of(passed(x.view(), target.view(), 0.0f)).values, signs);
}

}  // namespace
