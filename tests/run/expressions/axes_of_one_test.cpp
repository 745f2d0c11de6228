// SPDX-License-Identifier: Apache-2.0
// Scans, blocks, sorts and positions along an axis that is known to have one element.
#include "run/support/arrays.hpp"
#include "tenon/sort.hpp"

namespace {

using reference::doubles;
using column = tn::view<float, tn::dyn, 1>;

column column_of(array<float, 1>& x) { return column(x.data(), x.size()); }

TEST(axes_of_one, scans) {
  auto x = random_array<float, 1>({37});
  auto const f = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::outputs(tn::cumsum(x, along), tn::cumprod(x * 2, along, tn::reversed),
                       tn::cummax(x, along) + 1, tn::logcumsumexp(x, along),
                       tn::block_max(x, along, tn::ct<4>), tn::sort(x, along, tn::descending));
  });
  auto const excluded = tn::compile([](auto x) {
    constexpr auto along = tn::axis<-1>;
    return tn::outputs(tn::cumsum(x, along, tn::exclusive), tn::cumprod(x, along, tn::exclusive),
                       tn::cummin(x, along, tn::exclusive));
  });
  doubles const v = x.values();
  auto const [sums, products, extrema, logarithms, blocks, sorted] = f(column_of(x));
  auto const [zeros, ones, greatest] = excluded(column_of(x));
  doubles const a = result_of(sums), b = result_of(products), c = result_of(extrema),
                d = result_of(logarithms), e = result_of(blocks), g = result_of(sorted),
                h = result_of(zeros), i = result_of(ones), j = result_of(greatest);
  for (std::int64_t k = 0; k < v.size(); ++k) {
    EXPECT_EQ(a[k], v[k]);
    EXPECT_EQ(b[k], 2 * v[k]);
    EXPECT_EQ(c[k], static_cast<float>(v[k]) + 1.0f);
    EXPECT_NEAR(d[k], v[k], 1e-6);
    EXPECT_EQ(e[k], v[k]);
    EXPECT_EQ(g[k], v[k]);
    EXPECT_EQ(h[k], 0);
    EXPECT_EQ(i[k], 1);
    EXPECT_EQ(j[k], std::numeric_limits<double>::infinity());
  }
}

TEST(axes_of_one, scans_beside_reductions_and_cuts) {
  auto x = random_array<int, 2>({5, 33});
  auto const total =
      tn::compile([](auto x) { return tn::sum(tn::cumsum(x, tn::axis<1>), tn::axis<0>); });
  tn::view<int, tn::dyn, 1> const flat(x.data(), 5 * 33);
  double sum = 0;
  for (double v : x.values().values) sum += v;
  EXPECT_EQ(result_of(total(flat))[0], sum);
  // The first element of a scan.
  auto const first = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::slice(tn::cumsum(x, along), along, tn::range<0, 1>) *
           tn::slice(x, along, tn::range<1, 2>);
  });
  doubles const v = x.values(), found = result_of(first(x.view()));
  for (std::int64_t row = 0; row < 5; ++row) EXPECT_EQ(found[row], v[row * 33] * v[row * 33 + 1]);
}

TEST(axes_of_one, positions) {
  auto x = random_array<float, 1>({37});
  auto const f = tn::compile([](auto x) {
    auto [values, indices] = tn::cummax_with_index(x, tn::axis<1>);
    return tn::outputs(values, indices, tn::argmax(x, tn::axis<1>), tn::argsort(x, tn::axis<1>));
  });
  auto const [values, latest, first, order] = f(column_of(x));
  doubles const v = x.values(), a = result_of(values), b = result_of(latest), c = result_of(first),
                d = result_of(order);
  for (std::int64_t k = 0; k < v.size(); ++k) {
    EXPECT_EQ(a[k], v[k]);
    EXPECT_EQ(b[k], 0);
    EXPECT_EQ(c[k], 0);
    EXPECT_EQ(d[k], 0);
  }
}

}  // namespace
