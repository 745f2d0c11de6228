// SPDX-License-Identifier: Apache-2.0
// Rows that several blocks keep, in calls that each read what the one before has written: a
// cooperative kernel begins early, too. The values, and the same bits wherever the row, its weights
// and the result begin and whatever else is computed beside it.
// tenon-test: cuda-only
#include <algorithm>
#include <cmath>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// The largest difference to `expected(element, place)`, of its size and `size`.
template <class Expected>
double worst_of(doubles const& found, std::int64_t length, double size, Expected const& expected) {
  double worst = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    double const wanted = expected(i), away = std::abs(found[i] - wanted);
    worst = std::max(worst, away / (size + std::abs(wanted)));
    if (std::isnan(away)) return away;
  }
  return worst;
}
double worst_of_norm(doubles const& x, doubles const& w, doubles const& b, doubles const& found) {
  std::int64_t const length = w.extents[0];
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < length; ++i) sum += x[i];
  double const mean = sum / static_cast<double>(length);
  for (std::int64_t i = 0; i < length; ++i) squares += (x[i] - mean) * (x[i] - mean);
  double const scale = 1 / std::sqrt(squares / static_cast<double>(length) + 1e-5);
  return worst_of(found, length, 1,
                  [&](std::int64_t i) { return (x[i] - mean) * scale * w[i] + b[i]; });
}
double worst_of_softmax(doubles const& x, std::int64_t length, doubles const& found) {
  double most = x[0], sum = 0;
  for (std::int64_t i = 0; i < length; ++i) most = std::max(most, x[i]);
  for (std::int64_t i = 0; i < length; ++i) sum += std::exp(x[i] - most);
  return worst_of(found, length, 0, [&](std::int64_t i) { return std::exp(x[i] - most) / sum; });
}

template <class T> void check(std::int64_t length, double most) {
  auto const norm = tn::compile([](auto x, auto w, auto b) { return tn::layer_norm(x, w, b); });
  auto const soft = tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); });
  doubles const all = random_doubles<T>({2, length}), weights = random_doubles<T>({length}),
                biases = random_doubles<T>({length});
  std::vector<double> first;
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned})
    for (std::int64_t rows : {1, 2}) {
      doubles some({rows, length});
      for (std::int64_t i = 0; i < rows * length; ++i) some[i] = all[i];
      array<T, 2> x({rows, length}, how, some), once({rows, length}, how),
          twice({rows, length}, how), result({rows, length}, how);
      array<T, 1> w({length}, how, weights), b({length}, how, biases);
      auto to_once = once.view(), to_twice = twice.view(), to_result = result.view();
      norm.into(to_once)(x.view(), w.view(), b.view());
      norm.into(to_twice)(once.view(), w.view(), b.view());
      soft.into(to_result)(twice.view());
      doubles const found = result.result();
      std::vector<double> row;
      for (std::int64_t i = 0; i < length; ++i) row.push_back(found[i]);
      if (first.empty()) {
        first = row;
        doubles const begun = once.result(), between = twice.result(), ws = w.values(),
                      bs = b.values();
        EXPECT_LT(worst_of_norm(x.values(), ws, bs, begun), most) << length;
        EXPECT_LT(worst_of_norm(begun, ws, bs, between), most) << length;
        EXPECT_LT(worst_of_softmax(between, length, found), most) << length;
      }
      EXPECT_EQ(row, first) << rows << " rows of " << length << ", " << to_string(how);
    }
}

// Of a tensor there are fewer kernels than of a view, which may have any layout. The lengths are
// the longest row that a cluster has, and longer ones that blocks keep.
TEST(kept_rows, of_a_tensor_and_of_views) {
  auto const soft = tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); });
  for (std::int64_t length : {393216, 393220, 500001, 524288}) {
    doubles const values = random_doubles<float>({2, length});
    array<float, 2> aligned({2, length}, arrangement::contiguous, values);
    tn::tensor<float, tn::dyn, tn::dyn> tensor(2, length);
    tensor = aligned.view() * 1.0f;
    std::vector<double> const expected = result_of(soft(tensor)).values;
    for (arrangement how :
         {arrangement::contiguous, arrangement::misaligned, arrangement::stepped}) {
      array<float, 2> x({2, length}, how, values);
      EXPECT_EQ(result_of(soft(x.view())).values, expected) << length << ' ' << to_string(how);
    }
  }
}

// Whole vectors, and a part of one in the end.
TEST(kept_rows, of_f32_behind_each_other) { check<float>(600011, 1e-5); }
TEST(kept_rows, of_bf16_behind_each_other) { check<tn::bfloat16>(1048584, 8e-3); }

}  // namespace
