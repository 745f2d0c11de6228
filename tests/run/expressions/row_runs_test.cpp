// SPDX-License-Identifier: Apache-2.0
// Reductions over the axes on both sides of another, whose rows are runs of memory at a stride:
// against plain loops, and with the same bits beside any number of other rows.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
template <class T> using computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Channels of images: runs of a vector and more, of no whole number of vectors, and of one element;
// few and many of them; rows of a lane, of a block, and of several.
constexpr std::array<std::int64_t, 4> shapes[] = {
    {2, 3, 4, 4},   {3, 5, 7, 7},     {5, 3, 4, 12},   {33, 70, 4, 8},
    {7, 300, 8, 8}, {1, 5, 16, 16},   {40, 1, 12, 8},  {300, 2, 4, 4},
    {9, 4, 33, 31}, {2, 3, 160, 176}, {31, 2, 1, 16},  {20, 3, 1, 1},
    {5, 0, 4, 4},   {0, 3, 4, 4},     {2048, 2, 4, 8}, {24, 2, 56, 56}};
constexpr unsigned of_channels = 0b1101;

template <class T> struct channel_sums {
  template <class X> constexpr auto operator()(X x) const {
    return tn::sum(tn::cast<computed<T>>(x), tn::axis<0, 2, 3>);
  }
};
template <class T> struct channel_products {
  template <class X, class Y> constexpr auto operator()(X x, Y y) const {
    return tn::sum(tn::cast<computed<T>>(x) * tn::cast<computed<T>>(y), tn::axis<0, 2, 3>);
  }
};
template <class T> struct channel_moments {
  template <class X> constexpr auto operator()(X x) const {
    auto const of = tn::cast<computed<T>>(x);
    return tn::outputs(tn::mean(of, tn::axis<0, 2, 3>),
                       tn::var(of, tn::axis<0, 2, 3>, tn::correction<0>));
  }
};
struct channel_extrema {
  template <class X> constexpr auto operator()(X x) const {
    return tn::outputs(tn::max(x, tn::axis<0, 2, 3>), tn::min(x, tn::axis<0, 2, 3>));
  }
};

// Channels `first` to `first + count` of images.
template <class T>
dyn_view<T, 4> channels_of(array<T, 4>& all, std::int64_t first, std::int64_t count) {
  auto const view = all.view();
  auto extents = all.extents();
  extents[1] = count;
  return dyn_view<T, 4>::with_strides(all.data() + first * view.strides()[1], extents,
                                      view.strides());
}
// The same elements as the middle ones of images of two channels more.
template <class T> array<T, 4> within_others(array<T, 4> const& x) {
  auto extents = x.extents();
  doubles const given = x.values();
  std::int64_t const size = extents[2] * extents[3], channels = extents[1];
  extents[1] += 2;
  array<T, 4> all(extents);
  doubles values(all.shape());
  for (std::int64_t i = 0; i < given.size(); ++i)
    values[i + (i / (channels * size) * 2 + 1) * size] = given[i];
  all.set(values);
  return all;
}

// Each channel's elements in one piece.
template <class T> array<T, 4> in_one_piece(array<T, 4> const& x) {
  auto extents = x.extents();
  doubles const given = x.values();
  std::int64_t const size = extents[2] * extents[3], channels = extents[1], images = extents[0];
  extents[0] = 1, extents[2] *= images;
  array<T, 4> all(extents);
  doubles values(all.shape());
  for (std::int64_t i = 0; i < given.size(); ++i)
    values[(i / size % channels * images + i / size / channels) * size + i % size] = given[i];
  all.set(values);
  return all;
}

struct expected_sums {
  doubles values, sizes;
  explicit expected_sums(doubles const& x)
      : values(reference::reduced(x, of_channels, false, reference::sum)),
        sizes(reference::reduced(x, of_channels, false, reference::sum_of_magnitudes)) {}
  tolerance allowed(std::int64_t count) const {
    return {.arithmetic = sum_roundoffs(count), .scale = &sizes};
  }
};

template <class T> void check_sums(array<T, 4>& x, std::string const& what) {
  constexpr tn::dtype type = tn::dtype_of<computed<T>>;
  doubles const given = x.values();
  std::int64_t const channels = x.extents()[1];
  auto const sum = tn::compile(channel_sums<T>{});
  expected_sums const expected(given);
  array<computed<T>, 1> found({channels}), again({channels});
  sum.into(found.view())(x.view());
  check_close(type, found.result(), expected.values, expected.allowed(given.size()), "sum" + what);
  sum.into(again.view())(x.view());
  EXPECT_EQ(again.bits(), found.bits()) << "again" << what;

  auto const products = tn::compile(channel_products<T>{});
  auto y = random_array<T, 4>(x.extents());
  expected_sums const expected_products(
      reference::elementwise([](double a, double b) { return a * b; }, given, y.values()));
  check_close(type, result_of(products(x.view(), y.view())), expected_products.values,
              expected_products.allowed(given.size()), "sum of products" + what);
}
template <class T> void check_extrema(array<T, 4>& x, std::string const& what) {
  doubles const given = x.values();
  if (given.size() == 0) return;
  auto const [largest, smallest] = tn::compile(channel_extrema{})(x.view());
  tolerance const exact{.arithmetic = 0, .storage = 0};
  check_close(tn::dtype_of<T>, result_of(largest),
              reference::reduced(given, of_channels, false, reference::max), exact, "max" + what);
  check_close(tn::dtype_of<T>, result_of(smallest),
              reference::reduced(given, of_channels, false, reference::min), exact, "min" + what);
}
template <class T> void check_moments(array<T, 4>& x, std::string const& what) {
  constexpr tn::dtype type = tn::dtype_of<computed<T>>;
  doubles const given = x.values();
  if (given.size() == 0) return;
  auto const [mean, variance] = tn::compile(channel_moments<T>{})(x.view());
  double const roundoffs = 4 * sum_roundoffs(given.size());
  auto const mean_size = [](reference::elements const& e) {
    return reference::sum_of_magnitudes(e) / static_cast<double>(e.size());
  };
  doubles const sizes = reference::reduced(given, of_channels, false, mean_size);
  check_close(type, result_of(mean), reference::reduced(given, of_channels, false, reference::mean),
              {.arithmetic = roundoffs, .scale = &sizes}, "mean" + what);
  auto const biased = [](reference::elements const& e) { return reference::variance(e, 0); };
  auto const conditioned = [](reference::elements const& e) {
    return reference::conditioned_variance(e, 0);
  };
  doubles const scale = reference::reduced(given, of_channels, false, conditioned);
  check_close(type, result_of(variance), reference::reduced(given, of_channels, false, biased),
              {.arithmetic = roundoffs, .scale = &scale}, "var" + what);
}

// Channels have the same bits beside any others, and each by itself. Where images are single
// elements the channels are columns, but one by itself is a row.
template <class T> void check_bits(array<T, 4>& x, std::string const& what) {
  if (x.extents()[2] * x.extents()[3] <= 1) return;
  auto const sum = tn::compile(channel_sums<T>{});
  auto const moments = tn::compile(channel_moments<T>{});
  std::int64_t const channels = x.extents()[1];
  std::vector<double> const sums = result_of(sum(x.view())).values;
  auto others = within_others(x);
  EXPECT_EQ(result_of(sum(channels_of(others, 1, channels))).values, sums) << what;
  auto const [means, variances] = moments(x.view());
  for (std::int64_t channel = 0; channel<channels; channel += channels> 4 ? channels / 3 : 1) {
    auto const one = channels_of(x, channel, 1);
    EXPECT_EQ(result_of(sum(one))[0], sums[channel]) << channel << what;
    auto const [mean, variance] = moments(one);
    EXPECT_EQ(result_of(mean)[0], result_of(means)[channel]) << channel << what;
    EXPECT_EQ(result_of(variance)[0], result_of(variances)[channel]) << channel << what;
  }
}

template <class T> class row_runs : public testing::Test {};
using types = testing::Types<float, tn::bfloat16, double, std::int8_t>;
TYPED_TEST_SUITE(row_runs, types);

template <class T, class Check> void check_shapes(Check const& check) {
  for (auto const& shape : shapes) {
    std::string const what = " of " + std::to_string(shape[0]) + " x " + std::to_string(shape[1]) +
                             " x " + std::to_string(shape[2]) + " x " + std::to_string(shape[3]);
    auto x = random_array<T, 4>(shape);
    check(x, what);
  }
}
TYPED_TEST(row_runs, are_summed) {
  check_shapes<TypeParam>([](auto& x, auto const& what) { check_sums(x, what); });
}
TYPED_TEST(row_runs, have_extrema) {
  check_shapes<TypeParam>([](auto& x, auto const& what) { check_extrema(x, what); });
}
TYPED_TEST(row_runs, have_moments) {
  check_shapes<TypeParam>([](auto& x, auto const& what) { check_moments(x, what); });
}
TYPED_TEST(row_runs, have_the_same_bits_beside_others) {
  check_shapes<TypeParam>([](auto& x, auto const& what) {
    if (x.size() > 0) check_bits(x, what);
  });
}
// However whole vectors lie, the bits are the same, also in one piece.
template <class T> std::vector<double> sum_and_moments(array<T, 4>& x) {
  std::vector<double> result = result_of(tn::compile(channel_sums<T>{})(x.view())).values;
  auto const [mean, variance] = tn::compile(channel_moments<T>{})(x.view());
  for (double value : result_of(mean).values) result.push_back(value);
  for (double value : result_of(variance).values) result.push_back(value);
  return result;
}
TYPED_TEST(row_runs, lie_anywhere) {
  for (extents_of_rank<4> const& shape : {extents_of_rank<4>{3, 5, 4, 8},
                                          {70, 3, 16, 16},
                                          {50, 2, 30, 24},
                                          {90, 2, 32, 48},
                                          {70, 3, 15, 17}})
    for (arrangement how : arrangements) {
      auto const given = random_array<TypeParam, 4>(shape).values();
      array<TypeParam, 4> x(shape, how, given);
      check_sums(x, ", " + to_string(how));
      check_extrema(x, ", " + to_string(how));
      check_moments(x, ", " + to_string(how));
      // Where channels are neighbours they are columns; an axis that repeats the others is taken
      // in after them.
      if (how == arrangement::transposed || how == arrangement::repeated) continue;
      if (shape[2] * shape[3] % 16 != 0) continue;
      array<TypeParam, 4> in_runs(shape, arrangement::contiguous, x.values());
      auto whole = in_one_piece(x);
      std::vector<double> const found = sum_and_moments(x);
      std::string const what = ", " + std::to_string(shape[0]) + " images";
      EXPECT_EQ(found, sum_and_moments(in_runs)) << to_string(how) << what;
      EXPECT_EQ(found, sum_and_moments(whole)) << "in one piece" << what;
    }
}

// An operand that all images share, of which every run is the same; and what a channel has.
TEST(row_runs_of_operands, that_differ) {
  auto const sum = tn::compile([](auto x, auto weights, auto shift) {
    return tn::sum((x - tn::unsqueeze(shift, tn::axis<1>)) * weights, tn::axis<0, 2>) * shift;
  });
  for (std::int64_t images : {3, 50, 700}) {
    constexpr std::int64_t channels = 3, length = 64;
    auto x = random_array<float, 3>({images, channels, length});
    auto weights = random_array<float, 2>({channels, length});
    auto shift = random_array<float, 1>({channels}, arrangement::contiguous, 1, 2);
    doubles const given = x.values(), by = weights.values(), from = shift.values();
    doubles const found = result_of(sum(x.view(), weights.view(), shift.view()));
    for (std::int64_t c = 0; c < channels; ++c) {
      double expected = 0, size = 0;
      for (std::int64_t n = 0; n < images; ++n)
        for (std::int64_t i = 0; i < length; ++i) {
          double const term =
              (given[(n * channels + c) * length + i] - from[c]) * by[c * length + i] * from[c];
          expected += term, size += std::fabs(term);
        }
      EXPECT_NEAR(found[c], expected, 1e-6 * size) << images;
    }
  }
}

}  // namespace
