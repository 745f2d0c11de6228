// SPDX-License-Identifier: Apache-2.0
// Views whose elements lie elsewhere along an axis, against plain loops over lengths x layouts.
#include "run/support/arrays.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;
constexpr std::int64_t rows = 3;
constexpr std::int64_t lengths[] = {1, 2, 5, 31, 33, 1025};

// The expected result along axis 1: element j of a row from element from(j, n) of it, or `fill` for
// -1.
template <class From>
doubles along_rows(doubles const& x, std::int64_t length, From const& from, double fill = 0) {
  std::int64_t const n = x.extents[1];
  doubles result({x.extents[0], length});
  for (std::int64_t k = 0; k < result.size(); ++k) {
    std::int64_t const at = from(k % length, n);
    result[k] = at < 0 ? fill : x[k / length * n + at];
  }
  return result;
}

// Compares with every layout of the operand. Whole numbers: equal is equal.
template <class F, class Expected> void check(F const& f, Expected const& expected) {
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<int, 2>({rows, n}, how, -100, 100);
      doubles const wanted = expected(x.values(), n), found = result_of(f(x.view()));
      ASSERT_EQ(found.extents, wanted.extents) << n << to_string(how);
      ASSERT_EQ(found.values, wanted.values) << n << to_string(how);
    }
}
std::int64_t modulo(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }

TEST(index_views, pad) {
  check(tn::compile([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<2, 3>, 7); }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(
              x, n + 5,
              [](std::int64_t j, std::int64_t n) { return j < 2 || j >= n + 2 ? -1 : j - 2; }, 7);
        });
  check(tn::compile(
            [](auto x) { return tn::pad(2 * x, tn::axis<-1>, tn::widths<2, 3>, tn::edge) / 2; }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(x, n + 5, [](std::int64_t j, std::int64_t n) {
            return std::clamp<std::int64_t>(j - 2, 0, n - 1);
          });
        });
  check(tn::compile([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<9, 4>, tn::reflect); }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(x, n + 13, [](std::int64_t j, std::int64_t n) {
            if (n == 1) return std::int64_t{0};
            std::int64_t const place = modulo(j - 9, 2 * n - 2);
            return place < n ? place : 2 * n - 2 - place;
          });
        });
  check(tn::compile([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<4, 4>, tn::wrap); }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(x, n + 8,
                            [](std::int64_t j, std::int64_t n) { return modulo(j - 4, n); });
        });
}

TEST(index_views, of_bool_stay_bool) {
  array<bool, 2> x({2, 3}, arrangement::contiguous, doubles({2, 3}, {1, 0, 1, 1, 1, 0}));
  auto const f = tn::compile([](auto x) { return tn::outputs(tn::tril(x), tn::triu(x)); });
  auto const g = tn::compile([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<1, 1>, 1); });
  auto const [lower, upper] = f(x.view());
  auto const padded = g(x.view());
  static_assert(std::is_same_v<decltype(padded)::element_type, bool> &&
                std::is_same_v<decltype(lower)::element_type, bool>);
  EXPECT_EQ(result_of(padded).values, (reference::elements{1, 1, 0, 1, 1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(result_of(lower).values, (reference::elements{1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(result_of(upper).values, (reference::elements{1, 0, 1, 0, 1, 0}));
}

TEST(index_views, of_nothing_only_the_padding_is_left) {
  auto const f = tn::compile([](auto x) { return tn::pad(x, tn::axis<0>, tn::widths<2, 1>, 5); });
  array<float, 1> nothing({0});
  EXPECT_EQ(result_of(f(nothing.view())).values, (reference::elements{5, 5, 5}));
}

TEST(index_views, flip_roll_tile_and_repeat) {
  check(tn::compile([](auto x) { return tn::flip(x + 1, tn::axis<1>) - 1; }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(x, n, [](std::int64_t j, std::int64_t n) { return n - 1 - j; });
        });
  check(tn::compile([](auto x) { return tn::roll(x, tn::axis<1>, -7); }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(x, n, [](std::int64_t j, std::int64_t n) { return modulo(j + 7, n); });
        });
  check(tn::compile([](auto x) { return tn::tile(x, tn::shape<1, 3>); }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(x, 3 * n, [](std::int64_t j, std::int64_t n) { return j % n; });
        });
  check(tn::compile([](auto x) { return tn::repeat_interleave(x, tn::axis<1>, tn::ct<3>); }),
        [](doubles const& x, std::int64_t n) {
          return along_rows(x, 3 * n, [](std::int64_t j, std::int64_t) { return j / 3; });
        });
  auto const rolled = tn::compile([](auto x, auto by) { return tn::roll(x, tn::axis<0>, by); });
  auto x = random_array<float, 1>({10});
  for (int by : {-11, 0, 3, 10})
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(result_of(rolled(x.view(), by))[modulo(i + by, 10)], x.values()[i]);
}

TEST(index_views, concat_reads_each_part_where_it_is) {
  check(tn::compile([](auto x) {
          return tn::concat(x, -x, tn::slice(x, tn::axis<1>, tn::range<0, 1>), tn::axis<1>);
        }),
        [](doubles const& x, std::int64_t n) {
          doubles result({rows, 2 * n + 1});
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j <= 2 * n; ++j)
              result[i * (2 * n + 1) + j] = j < n       ? x[i * n + j]
                                            : j < 2 * n ? -x[i * n + j - n]
                                                        : x[i * n];
          return result;
        });
  check(tn::compile([](auto x) { return tn::sum(tn::stack(x, 3 * x, tn::axis<0>), tn::axis<0>); }),
        [](doubles const& x, std::int64_t) {
          doubles result = x;
          for (double& value : result.values) value *= 4;
          return result;
        });
  auto const f = tn::compile([](auto a, auto b) { return tn::concat(a, b, tn::axis<0>) * 2; });
  array<float, 1> nothing({0});
  auto b = random_array<float, 1>({4});
  EXPECT_EQ(f(nothing.view(), b.view()).size(), 4);
  EXPECT_EQ(result_of(f(b.view(), nothing.view()))[3], 2 * b.values()[3]);
}

TEST(index_views, many_parts_of_any_length) {
  auto const beside = tn::compile([](auto... x) {
    return tn::outputs(2 * tn::concat(x..., tn::axis<1>),
                       tn::max(tn::concat(x..., tn::axis<1>), tn::axis<1>));
  });
  auto const below =
      tn::compile([](auto a, auto... x) { return tn::concat(a, -a, x..., tn::axis<0>) + 1; });
  for (arrangement how : arrangements) {
    auto a = random_array<int, 2>({3, 31}, how), b = random_array<int, 2>({3, 1}, how),
         c = random_array<int, 2>({3, 0}, how), d = random_array<int, 2>({3, 33}, how),
         e = random_array<int, 2>({3, 4}, how), f = random_array<int, 2>({5, 31}, how),
         g = random_array<int, 2>({1, 31}, how);
    auto const [all, greatest] = beside(a.view(), b.view(), c.view(), d.view(), e.view());
    doubles const found = result_of(all), of_rows = result_of(greatest);
    ASSERT_EQ(found.size(), 3 * 69);
    for (std::int64_t i = 0; i < 3; ++i) {
      std::int64_t j = 0;
      double most = -1e9;
      auto compare = [&](doubles const& part) {
        for (std::int64_t k = 0; k < part.extents[1]; ++k, ++j) {
          double const wanted = part[i * part.extents[1] + k];
          ASSERT_EQ(found[i * 69 + j], 2 * wanted) << i << ", " << j << to_string(how);
          most = wanted > most ? wanted : most;
        }
      };
      compare(a.values()), compare(b.values()), compare(c.values()), compare(d.values());
      compare(e.values());
      EXPECT_EQ(of_rows[i], most);
    }
    doubles const rows = result_of(below(a.view(), f.view(), g.view(), f.view()));
    ASSERT_EQ(rows.size(), 17 * 31);
    std::int64_t k = 0;
    auto compare = [&](doubles const& part, double sign) {
      for (double value : part.values) {
        ASSERT_EQ(rows[k], sign * value + 1) << k << to_string(how);
        ++k;
      }
    };
    compare(a.values(), 1), compare(a.values(), -1), compare(f.values(), 1), compare(g.values(), 1);
    compare(f.values(), 1);
  }
}

TEST(index_views, parts) {
  auto x = random_array<int, 2>({2, 6});
  auto const of_axis =
      tn::compile([](auto x) { return tn::get<1>(tn::chunk(x, tn::axis<0>, tn::ct<3>)) + 0; });
  tn::tensor<int, 7> y(std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(result_of(of_axis(y)).values, (reference::elements{3, 4, 5}));
  auto const second = tn::compile(
      [](auto x) { return tn::get<1>(tn::split(x, tn::axis<1>, tn::lengths<1, 2, 3>)) + 0; });
  doubles const a = x.values();
  EXPECT_EQ(result_of(second(x.view())).values, (reference::elements{a[1], a[2], a[7], a[8]}));
}

TEST(index_views, triangles_diagonals_and_patterns) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::tril(x), tn::triu(x, tn::ct<1>), tn::eye_like(x), tn::full_like(x, 7),
                       x * tn::arange<5>(x));
  });
  auto x = random_array<float, 2>({7, 5}, arrangement::transposed);
  auto const [low, high, eye, full, scaled] = f(x.view());
  for (std::int64_t k = 0; k < 35; ++k) {
    std::int64_t const i = k / 5, j = k % 5;
    double const value = x.values()[k];
    EXPECT_EQ(result_of(low)[k], j <= i ? value : 0);
    EXPECT_EQ(result_of(high)[k], j >= i + 1 ? value : 0);
    EXPECT_EQ(result_of(eye)[k], i == j);
    EXPECT_EQ(result_of(full)[k], 7);
    EXPECT_FLOAT_EQ(static_cast<float>(result_of(scaled)[k]),
                    static_cast<float>(value * static_cast<double>(j)));
  }
  auto const trace = tn::compile(
      [](auto x) { return tn::outputs(tn::diagonal(x), tn::sum(tn::diagonal(x * 2))); });
  auto y = random_array<int, 2>({9, 9}, arrangement::padded);
  auto const [diagonal, sum] = trace(y.view());
  double total = 0;
  for (std::int64_t i = 0; i < 9; ++i) {
    EXPECT_EQ(result_of(diagonal)[i], y.values()[i * 10]);
    total += 2 * y.values()[i * 10];
  }
  EXPECT_EQ(result_of(sum)[0], total);
  EXPECT_ERROR(trace(random_array<int, 2>({3, 4}).view()),
               "tenon: take: lengths differ: axis 0 of operand 0 (3) and axis 1 of operand 0 (4), "
               "shapes [3, 4]; make them "
               "equal; only a build-time extent of 1 repeats (expression expression, operand 0)");
}

TEST(index_views, one_hot_select_and_windows) {
  auto const f = tn::compile([](auto i) { return tn::one_hot(i, tn::ct<4>); });
  tn::tensor<int, 3> classes(std::vector<int>{2, -1, 0});
  EXPECT_EQ(result_of(f(classes)).values,
            (reference::elements{0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0}));
  auto const of_many = tn::compile([](auto i) { return tn::one_hot(i, tn::ct<200>); });
  tn::tensor<std::int8_t, 1> last(std::vector<std::int8_t>{-1});
  EXPECT_EQ(result_of(of_many(last))[199], 1) << "a position that i8 does not hold";
  check(tn::compile([](auto x) { return tn::select(x, tn::axis<0>, tn::ct<-1>); }),
        [](doubles const& x, std::int64_t n) {
          return doubles({n}, {x.values.end() - n, x.values.end()});
        });
  auto const windows = tn::compile([](auto x) {
    return tn::max(tn::unfold(x, tn::axis<1>, tn::ct<3>, tn::ct<2>), tn::axis<-1>);
  });
  auto x = random_array<int, 2>({2, 10});
  doubles const found = result_of(windows(x.view())), a = x.values();
  ASSERT_EQ(found.extents, (reference::shape{2, 4}));
  for (std::int64_t k = 0; k < 8; ++k) {
    std::int64_t const at = k / 4 * 10 + k % 4 * 2;
    EXPECT_EQ(found[k], std::max({a[at], a[at + 1], a[at + 2]}));
  }
}

// A view of what was computed, and a computation on what was viewed.
TEST(index_views, around_a_softmax) {
  auto const f = tn::compile(
      [](auto x) { return tn::softmax(tn::pad(x, tn::axis<1>, tn::widths<1, 1>), tn::axis<1>); });
  auto const g = tn::compile(
      [](auto x) { return tn::concat(tn::softmax(x, tn::axis<1>), tn::exp(x), tn::axis<0>); });
  auto x = random_array<float, 2>({4, 33});
  doubles padded = along_rows(
      x.values(), 35, [](std::int64_t j, std::int64_t n) { return j < 1 || j > n ? -1 : j - 1; });
  doubles const wanted = reference::softmax(padded, 0b10), found = result_of(f(x.view()));
  for (std::int64_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-6);
  doubles const all = reference::softmax(x.values(), 0b10), both = result_of(g(x.view()));
  for (std::int64_t k = 0; k < both.size(); ++k)
    EXPECT_NEAR(both[k], k < all.size() ? all[k] : std::exp(x.values()[k - all.size()]),
                1e-5 * std::abs(both[k]) + 1e-7);
}

// An index along every axis.
TEST(index_views, along_all_axes) {
  auto const f = tn::compile([](auto x) { return tn::tile(x, tn::shape<2, 3, 2, 2, 2>); });
  auto const g = tn::compile([](auto x, auto i) { return tn::gather_nd(x, i); });
  auto x = random_array<int, 5>({2, 3, 2, 5, 3});
  doubles const a = x.values(), tiled = result_of(f(x.view()));
  std::int64_t const lengths[] = {2, 3, 2, 5, 3}, times[] = {2, 3, 2, 2, 2};
  ASSERT_EQ(tiled.size(), 180 * 48);
  for (std::int64_t k = 0; k < tiled.size(); ++k) {
    std::int64_t rest = k, from = 0, stride = 1;
    for (int axis = 4; axis >= 0; --axis) {
      std::int64_t const longer = lengths[axis] * times[axis];
      from += rest % longer % lengths[axis] * stride;
      stride *= lengths[axis], rest /= longer;
    }
    EXPECT_EQ(tiled[k], a[from]) << k;
  }
  auto index = random_array<int, 2>({40, 5});
  doubles at = index.values();
  for (std::int64_t k = 0; k < at.size(); ++k)
    at[k] = static_cast<double>(k * 7 % (2 * lengths[k % 5]) - lengths[k % 5]);
  index.set(at);
  tn::tensor<int, tn::dyn, 5> indices(40);
  tn::copy(indices, index.view());
  doubles const taken = result_of(g(x.view(), indices.view()));
  for (std::int64_t k = 0; k < taken.size(); ++k) {
    std::int64_t from = 0;
    for (int axis = 0; axis < 5; ++axis) {
      auto const i = static_cast<std::int64_t>(at[k * 5 + axis]);
      from = from * lengths[axis] + (i < 0 ? i + lengths[axis] : i);
    }
    EXPECT_EQ(taken[k], a[from]) << k;
  }
}

}  // namespace
