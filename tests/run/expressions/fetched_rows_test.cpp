// SPDX-License-Identifier: Apache-2.0
// Rows of several operands behind one another, of padded ones and of rolled ones: whole vectors of
// them where their parts begin at such, single elements where they do not; the bits are the same.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// The columns of `parts` side by side.
doubles beside(std::initializer_list<doubles const*> parts) {
  std::int64_t const rows = (*parts.begin())->extents[0];
  std::int64_t columns = 0;
  for (doubles const* part : parts) columns += part->extents[1];
  doubles result({rows, columns});
  std::int64_t first = 0;
  for (doubles const* part : parts) {
    std::int64_t const n = part->extents[1];
    for (std::int64_t i = 0; i < rows * n; ++i)
      result[i / n * columns + first + i % n] = (*part)[i];
    first += n;
  }
  return result;
}

constexpr auto normalized = tn::compile([](auto a, auto b, auto weight, auto bias) {
  return tn::layer_norm(tn::concat(a, b, tn::axis<1>), weight, bias);
});
constexpr auto shares = tn::compile([](auto a, auto b, auto c) {
  return tn::softmax(tn::concat(a, b, c, tn::axis<1>), tn::axis<1>);
});
constexpr auto padded = tn::compile([](auto x, auto y) {
  return tn::softmax(tn::pad(x, tn::axis<1>, tn::widths<16, 8>, -1) + y, tn::axis<1>);
});
constexpr auto rolled = tn::compile([](auto x, auto weight, auto by) {
  return tn::rms_norm(tn::roll(x, tn::axis<1>, by) + x, weight);
});

template <class T> class fetched_rows : public testing::Test {};
using number_types = testing::Types<float, tn::half, tn::bfloat16>;
TYPED_TEST_SUITE(fetched_rows, number_types);

struct parts_of {
  std::int64_t rows, first, second, third;
};
// One vector and many, in rows of a few lanes, of a warp and of a block; parts of no whole vectors.
constexpr parts_of shapes[] = {{37, 8, 8, 16},      {19, 48, 80, 32},    {3, 1024, 1024, 8},
                               {5, 2048, 1000, 40}, {2, 4096, 4096, 16}, {11, 33, 31, 5},
                               {2049, 320, 320, 0}, {1, 1, 999, 24}};

TYPED_TEST(fetched_rows, behind_one_another) {
  using T = TypeParam;
  for (parts_of const& s : shapes)
    for (arrangement how :
         {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
      auto a = random_array<T, 2>({s.rows, s.first}, how),
           b = random_array<T, 2>({s.rows, s.second}), c = random_array<T, 2>({s.rows, s.third});
      std::int64_t const n = s.first + s.second;
      std::string const what = std::to_string(s.rows) + " x (" + std::to_string(s.first) + " + " +
                               std::to_string(s.second) + ") " + to_string(how);
      auto weight = random_array<T, 1>({n}), bias = random_array<T, 1>({n});
      doubles const x = a.values(), y = b.values(), z = c.values(), w = weight.values(),
                    v = bias.values();
      doubles expected = reference::layer_norm(beside({&x, &y}), 0b10, 1e-5), scale = expected;
      for (std::int64_t i = 0; i < s.rows * n; ++i) {
        scale[i] = 8 + std::fabs(expected[i]);
        expected[i] = expected[i] * w[i % n] + v[i % n];
      }
      double const roundoffs = 32 + sum_roundoffs(n + s.third);
      array<T, 2> out({s.rows, n}), all({s.rows, n + s.third});
      normalized.into(out.view())(a.view(), b.view(), weight.view(), bias.view());
      check_close(tn::dtype_of<T>, out.result(), expected,
                  {.arithmetic = roundoffs, .scale = &scale}, "layer norm, " + what);
      shares.into(all.view())(a.view(), b.view(), c.view());
      check_close(tn::dtype_of<T>, all.result(), reference::softmax(beside({&x, &y, &z}), 0b10),
                  {.arithmetic = roundoffs}, "softmax, " + what);
    }
}

TYPED_TEST(fetched_rows, padded_and_rolled) {
  using T = TypeParam;
  for (parts_of const& s : shapes) {
    std::int64_t const n = s.first + s.second;
    std::string const what = std::to_string(s.rows) + " x " + std::to_string(n);
    auto x = random_array<T, 2>({s.rows, n}), wide = random_array<T, 2>({s.rows, n + 24});
    auto weight = random_array<T, 1>({n});
    doubles const given = x.values(), y = wide.values(), w = weight.values();
    double const roundoffs = 32 + sum_roundoffs(n);

    doubles sum({s.rows, n + 24});
    for (std::int64_t i = 0; i < sum.size(); ++i) {
      std::int64_t const column = i % (n + 24) - 16;
      bool const is_inside = column >= 0 && column < n;
      sum[i] = y[i] + (is_inside ? given[i / (n + 24) * n + column] : -1);
    }
    array<T, 2> out({s.rows, n + 24});
    padded.into(out.view())(x.view(), wide.view());
    check_close(tn::dtype_of<T>, out.result(), reference::softmax(sum, 0b10),
                {.arithmetic = roundoffs}, "padded, " + what);

    for (std::int64_t by : {8, 16, 3, -8}) {
      doubles both({s.rows, n}), scale({s.rows, n});
      for (std::int64_t i = 0; i < both.size(); ++i)
        both[i] = given[i] + given[i / n * n + ((i % n - by) % n + n) % n];
      doubles expected = reference::rms_norm(both, 0b10, 1e-5);
      for (std::int64_t i = 0; i < both.size(); ++i) {
        scale[i] = 8 + std::fabs(expected[i]);
        expected[i] *= w[i % n];
      }
      array<T, 2> turned({s.rows, n});
      rolled.into(turned.view())(x.view(), weight.view(), by);
      check_close(tn::dtype_of<T>, turned.result(), expected,
                  {.arithmetic = roundoffs, .scale = &scale},
                  "rolled by " + std::to_string(by) + ", " + what);
    }
  }
}

// Whether vectors are whole or not.
TYPED_TEST(fetched_rows, have_the_same_bits_anywhere) {
  using T = TypeParam;
  for (parts_of const& s : shapes) {
    auto a = random_array<T, 2>({s.rows, s.first}), b = random_array<T, 2>({s.rows, s.second}),
         c = random_array<T, 2>({s.rows, s.third});
    array<T, 2> elsewhere({s.rows, s.second}, arrangement::misaligned, b.values());
    array<T, 2> one({s.rows, s.first + s.second + s.third}), other(one.extents());
    shares.into(one.view())(a.view(), b.view(), c.view());
    shares.into(other.view())(a.view(), elsewhere.view(), c.view());
    EXPECT_EQ(one.bits(), other.bits()) << s.rows << " x " << s.first;
  }
}

TEST(fetched_rows_report, says_how_they_are_read) {
  if constexpr (std::is_same_v<tn::default_space, tn::cuda>) {
    auto const how = [](std::int64_t first) {
      auto x = random_array<tn::bfloat16, 2>({4, first}),
           y = random_array<tn::bfloat16, 2>({4, 64});
      return tn::explain(shares, x.view(), y.view(), y.view()).text();
    };
    std::string const of_vectors = "vectors whose place is found once for all their elements",
                      whole = how(64), odd = how(63);
    EXPECT_NE(whole.find(of_vectors), std::string::npos) << whole;
    EXPECT_EQ(odd.find(of_vectors), std::string::npos) << odd;
  }
}

}  // namespace
