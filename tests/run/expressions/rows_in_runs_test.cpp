// SPDX-License-Identifier: Apache-2.0
// Rows merged of pieces that lie apart, as heads and patches of an image are: against plain loops,
// wherever the pieces lie, and with the bits of the same rows in one piece.
#include <algorithm>
#include <cmath>

#include "run/support/arrays.hpp"
#include "tenon/grad.hpp"

namespace {

using reference::doubles;

constexpr auto norm = [](auto x, auto w, auto b) { return tn::layer_norm(x, w, b); };
constexpr auto by_root = [](auto x, auto w, auto) { return tn::rms_norm(x, w); };
constexpr auto shares = [](auto x, auto, auto b) {
  return tn::softmax(x, tn::axis<-1>) + b * 0.125f;
};

// [images][heads][times][columns] as rows of heads * columns.
constexpr auto of_heads = [](auto x) {
  return tn::flatten(tn::transpose(x, tn::axis<0, 2, 1, 3>), tn::axis<2, 3>);
};
// [images][height][width][columns] as rows of 2 x 2 * columns, the lower of two neighbours first.
constexpr int height = 6, width = 4;
template <int Columns>
constexpr auto of_patches = [](auto x) {
  auto const halved = tn::reshape(x, tn::shape<-1, height / 2, 2, width / 2, 2, Columns>);
  return tn::flatten(tn::transpose(halved, tn::axis<0, 1, 3, 4, 2, 5>), tn::axis<3, 5>);
};

// The row of each element of x and its place there.
struct place {
  std::int64_t row, column;
};
place in_heads(extents_of_rank<4> const& e, std::int64_t i) {
  std::int64_t const c = i % e[3], t = i / e[3] % e[2], h = i / e[3] / e[2] % e[1],
                     image = i / e[3] / e[2] / e[1];
  return {image * e[2] + t, h * e[3] + c};
}
place in_patches(extents_of_rank<4> const& e, std::int64_t i) {
  std::int64_t const c = i % e[3], x = i / e[3] % e[2], y = i / e[3] / e[2] % e[1],
                     image = i / e[3] / e[2] / e[1];
  return {(image * e[1] / 2 + y / 2) * (e[2] / 2) + x / 2, (x % 2 * 2 + y % 2) * e[3] + c};
}

std::vector<double> normalized(std::vector<double> const& x, doubles const& w, doubles const& b) {
  auto const n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (double v : x) mean += v / n;
  for (double v : x) variance += (v - mean) * (v - mean) / n;
  std::vector<double> result;
  for (std::size_t k = 0; k < x.size(); ++k)
    result.push_back((x[k] - mean) / std::sqrt(variance + 1e-5) * w[k] + b[k]);
  return result;
}
std::vector<double> divided_by_root(std::vector<double> const& x, doubles const& w,
                                    doubles const&) {
  double squares = 0;
  for (double v : x) squares += v * v;
  double const root = std::sqrt(squares / static_cast<double>(x.size()) + 1e-6);
  std::vector<double> result;
  for (std::size_t k = 0; k < x.size(); ++k) result.push_back(x[k] / root * w[k]);
  return result;
}
std::vector<double> shared(std::vector<double> const& x, doubles const&, doubles const& b) {
  double const most = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double v : x) sum += std::exp(v - most);
  std::vector<double> result;
  for (std::size_t k = 0; k < x.size(); ++k)
    result.push_back(std::exp(x[k] - most) / sum + b[k] / 8);
  return result;
}

template <class T> constexpr double within = sizeof(T) == 2 ? 0.03 : 2e-5;

// Merges x by `merge` and computes `what` of the rows, laid out as `how`: they are `want`, and what
// the same rows give in one piece.
template <class T, int Rank, class Merge, class What, class Place, class Want>
void expect_rows(extents_of_rank<4> const& shape, extents_of_rank<Rank> const& rows, Merge, What,
                 Place const& place_of, Want const& want) {
  auto const f = tn::compile([](auto x, auto w, auto b) { return What{}(Merge{}(x), w, b); });
  auto const plain = tn::compile([](auto x, auto w, auto b) { return What{}(x, w, b); });
  std::int64_t const length = rows[Rank - 1];
  auto w = random_array<T, 1>({length}), b = random_array<T, 1>({length});
  doubles values = random_array<T, 4>(shape, arrangement::contiguous, -2, 3).values();
  array<T, Rank> merged(rows), expected(rows);
  doubles in_order(merged.shape());
  for (std::int64_t i = 0; i < values.size(); ++i) {
    place const p = place_of(shape, i);
    in_order[p.row * length + p.column] = values[i];
  }
  merged.set(in_order);
  plain.into(expected.view())(merged.view(), w.view(), b.view());
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
    array<T, 4> x(shape, how);
    x.set(values);
    array<T, Rank> y(rows, how);
    f.into(y.view())(x.view(), w.view(), b.view());
    doubles const found = y.result();
    for (std::int64_t row = 0; row < values.size() / length; ++row) {
      auto const begin = in_order.values.begin() + row * length;
      auto const of_row = want({begin, begin + length}, w.values(), b.values());
      for (std::int64_t c = 0; c < length; ++c)
        ASSERT_NEAR(found[row * length + c], of_row[c], within<T> * (1 + std::fabs(of_row[c])))
            << to_string(how) << ' ' << row << ' ' << c << " of " << length;
    }
    // Pieces of a vector or less may be column groups, which sum in another order.
    if (std::is_same_v<tn::default_space, tn::cuda> && shape[3] * static_cast<int>(sizeof(T)) > 16) {
      EXPECT_EQ(y.bits(), expected.bits()) << to_string(how) << " of " << length;
    }
  }
}

// Heads of a vector of some type, and of several; rows of a lane, a warp, a block, and of more than
// registers hold.
constexpr extents_of_rank<4> heads[] = {{2, 3, 5, 8},    {3, 2, 7, 16},   {1, 12, 33, 64},
                                        {2, 40, 3, 24},  {2, 20, 2, 160}, {1, 5, 1, 4},
                                        {1, 9, 3, 1024}, {2, 3, 4, 7}};
template <class T> class rows_in_runs : public testing::Test {};
using types = testing::Types<float, tn::bfloat16>;
TYPED_TEST_SUITE(rows_in_runs, types);

template <class T, class What, class Want> void expect_heads(What what, Want const& want) {
  for (auto const& e : heads)
    expect_rows<T, 3>(e, {e[0], e[2], e[1] * e[3]}, of_heads, what, in_heads, want);
}
TYPED_TEST(rows_in_runs, of_heads_are_normalized) { expect_heads<TypeParam>(norm, normalized); }
TEST(rows_in_runs_of_half, of_heads_are_normalized) { expect_heads<tn::half>(norm, normalized); }
TYPED_TEST(rows_in_runs, of_heads_are_divided_by_their_root) {
  expect_heads<TypeParam>(by_root, divided_by_root);
}
TYPED_TEST(rows_in_runs, of_heads_become_shares) { expect_heads<TypeParam>(shares, shared); }

template <class T, int Columns, class What, class Want>
void expect_patches(What what, Want const& want) {
  expect_rows<T, 4>({2, height, width, Columns}, {2, height / 2, width / 2, 4 * Columns},
                    of_patches<Columns>, what, in_patches, want);
}
TYPED_TEST(rows_in_runs, of_patches_are_normalized) {
  expect_patches<TypeParam, 8>(norm, normalized);
  expect_patches<TypeParam, 24>(norm, normalized);
}
TYPED_TEST(rows_in_runs, of_patches_become_shares) {
  expect_patches<TypeParam, 16>(shares, shared);
}

// What flows back goes where the patches came from.
TYPED_TEST(rows_in_runs, of_patches_have_a_gradient) {
  using T = TypeParam;
  constexpr int columns = 16, length = 4 * columns;
  static auto const f = tn::compile([](auto x, auto w, auto b, auto d) {
    return tn::vjp([](auto x, auto w, auto b) { return norm(of_patches<columns>(x), w, b); },
                   tn::wrt<0>)(x, w, b, d);
  });
  extents_of_rank<4> const shape{2, height, width, columns};
  extents_of_rank<4> const of_rows{2, height / 2, width / 2, length};
  auto w = random_array<T, 1>({length}), b = random_array<T, 1>({length});
  doubles const values = random_array<T, 4>(shape, arrangement::contiguous, -2, 3).values(),
                slopes = random_array<T, 4>(of_rows, arrangement::contiguous, -1, 1).values(),
                weights = w.values();
  std::vector<unsigned char> bits;
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
    array<T, 4> x(shape, how, values), d(of_rows, how, slopes), y(shape, how);
    f.into(y.view())(x.view(), w.view(), b.view(), d.view());
    doubles const found = y.result();
    std::int64_t const rows = values.size() / length;
    std::vector<double> mean(rows), variance(rows), sum(rows), product(rows);
    auto const visit = [&](auto const& each) {
      for (std::int64_t i = 0; i < values.size(); ++i) {
        place const p = in_patches(shape, i);
        each(p.row, values[i], slopes[p.row * length + p.column] * weights[p.column], i);
      }
    };
    auto const inverse = [&](std::int64_t r) { return 1 / std::sqrt(variance[r] + 1e-5); };
    visit([&](auto r, double v, double, auto) { mean[r] += v / length; });
    visit(
        [&](auto r, double v, double, auto) { variance[r] += std::pow(v - mean[r], 2) / length; });
    visit([&](auto r, double v, double slope, auto) {
      sum[r] += slope / length, product[r] += slope * (v - mean[r]) * inverse(r) / length;
    });
    visit([&](auto r, double v, double slope, auto i) {
      double const n = (v - mean[r]) * inverse(r),
                   want = inverse(r) * (slope - sum[r] - n * product[r]);
      ASSERT_NEAR(found[i], want, within<T> * (1 + std::fabs(want))) << to_string(how) << ' ' << i;
    });
    if (bits.empty()) bits = y.bits();
    EXPECT_EQ(y.bits(), bits) << to_string(how);
  }
}

TEST(merged_rows, are_explained) {
  if (!std::is_same_v<tn::default_space, tn::cuda>) GTEST_SKIP() << "rows of the CUDA backend";
  auto const f = tn::compile([](auto x, auto w, auto b) { return norm(of_heads(x), w, b); });
  auto x = random_array<float, 4>({2, 3, 5, 8});
  auto odd = random_array<float, 4>({2, 8, 5, 3});
  auto w = random_array<float, 1>({24}), b = random_array<float, 1>({24});
  auto const said = [&](auto const& given) {
    return std::string(tn::explain(f, given, w.view(), b.view()).schedule);
  };
  EXPECT_NE(said(x.view()).find("row in runs of vectors, in registers"), std::string::npos);
  EXPECT_EQ(said(odd.view()).find("row in runs"), std::string::npos);
}

}  // namespace
