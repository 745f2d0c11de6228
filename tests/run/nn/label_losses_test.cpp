// SPDX-License-Identifier: Apache-2.0
// Losses against labels, beside loops in double that follow the definitions.
#include "run/support/arrays.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

struct options {
  long long ignored = -100;
  double smoothing = 0;
  std::vector<double> weights = {};
};
// The loss of each row of logits, and the weight it has in the mean.
void losses(doubles const& x, doubles const& labels, options const& o, std::vector<double>& loss,
            std::vector<double>& weight) {
  std::int64_t const classes = x.extents[1];
  for (std::int64_t i = 0; i < x.extents[0]; ++i) {
    double largest = -INFINITY, sum = 0, spread = 0;
    for (std::int64_t c = 0; c < classes; ++c) largest = std::max(largest, x[i * classes + c]);
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(x[i * classes + c] - largest);
    auto const term = [&](std::int64_t c) { return largest - x[i * classes + c] + std::log(sum); };
    auto const w = [&](std::int64_t c) {
      return o.weights.empty() ? 1 : o.weights[static_cast<std::size_t>(c)];
    };
    auto const label = static_cast<std::int64_t>(labels[i]);
    bool const counts = label != o.ignored;
    for (std::int64_t c = 0; c < classes; ++c)
      spread += w(c) * term(c) / static_cast<double>(classes);
    loss.push_back(counts ? (1 - o.smoothing) * w(label) * term(label) + o.smoothing * spread : 0);
    weight.push_back(counts ? w(label) : 0);
  }
}
double mean_of(doubles const& x, doubles const& labels, options const& o) {
  std::vector<double> loss, weight;
  losses(x, labels, o, loss, weight);
  double total = 0, weights = 0;
  for (std::size_t i = 0; i < loss.size(); ++i) total += loss[i], weights += weight[i];
  return total / weights;
}

array<int, 1> some_labels(std::int64_t rows, std::int64_t classes, int ignored) {
  auto labels =
      random_array<int, 1>({rows}, arrangement::contiguous, 0, static_cast<double>(classes));
  doubles values = labels.values();
  for (std::int64_t i = 1; i < rows; i += 3) values[i] = ignored;
  labels.set(values);
  return labels;
}
constexpr std::int64_t class_counts[] = {1, 2, 31, 33, 1000, 4099};

TEST(cross_entropy, means) {
  auto const plain = tn::compile([](auto x, auto l) { return tn::cross_entropy(x, l); });
  auto const all = tn::compile([](auto x, auto l, auto w) {
    return tn::cross_entropy(x, l, tn::ignore_index<-1>, tn::label_smoothing(0.1),
                             tn::class_weights(w));
  });
  auto const weighted = tn::compile(
      [](auto x, auto l, auto w) { return tn::cross_entropy(x, l, tn::class_weights(w)); });
  for (std::int64_t classes : class_counts) {
    auto x = random_array<float, 2>({7, classes});
    auto w = random_array<float, 1>({classes}, arrangement::contiguous, 0.5, 2);
    auto labels = some_labels(7, classes, -100), others = some_labels(7, classes, -1);
    double const one = mean_of(x.values(), labels.values(), {});
    EXPECT_NEAR(result_of(plain(x.view(), labels.view()))[0], one, 1e-5 * one + 1e-6) << classes;
    double const two = mean_of(x.values(), labels.values(), {.weights = w.values().values});
    EXPECT_NEAR(result_of(weighted(x.view(), labels.view(), w.view()))[0], two, 1e-5 * two + 1e-6)
        << classes;
    double const three = mean_of(x.values(), others.values(), {-1, 0.1, w.values().values});
    EXPECT_NEAR(result_of(all(x.view(), others.view(), w.view()))[0], three, 1e-5 * three + 1e-6)
        << classes;
  }
}

// A label that is ignored may be none that the labels' type holds: then there is none to ignore.
template <class Label> void expect_that_all_classes_count() {
  std::int64_t const classes = 200;
  auto x = random_array<float, 2>({3, classes});
  array<Label, 1> labels({3}, arrangement::contiguous, doubles({3}, {156, 44, 0}));
  auto const f = tn::compile([](auto x, auto l) { return tn::cross_entropy(x, l, tn::none); });
  auto const g = tn::compile([](auto x, auto l) {
    return tn::nll_loss(x, l, tn::ignore_index<44>, tn::none);
  });
  auto const h = tn::compile([](auto x, auto l) {
    return tn::nll_loss(x, l, tn::ignore_index<300>, tn::none);  // to u8 it is 44
  });
  std::vector<double> loss, weight;
  losses(x.values(), labels.values(), {}, loss, weight);
  doubles const found = result_of(f(x.view(), labels.view())),
                but_one = result_of(g(x.view(), labels.view())),
                all = result_of(h(x.view(), labels.view()));
  for (std::int64_t i = 0; i < 3; ++i) {
    double const picked = -x.values()[i * classes + static_cast<std::int64_t>(labels.values()[i])];
    EXPECT_NEAR(found[i], loss[static_cast<std::size_t>(i)], 1e-5) << i;
    EXPECT_EQ(but_one[i], i == 1 ? 0 : picked) << i;
    EXPECT_EQ(all[i], picked) << i;
  }
}
TEST(cross_entropy, of_labels_of_every_width) {
  expect_that_all_classes_count<std::uint8_t>();
  expect_that_all_classes_count<std::uint16_t>();
  expect_that_all_classes_count<std::uint32_t>();
  expect_that_all_classes_count<std::int16_t>();
  expect_that_all_classes_count<std::int64_t>();
}

TEST(cross_entropy, of_each_element_and_as_a_sum) {
  auto const f = tn::compile([](auto x, auto l) { return tn::cross_entropy(x, l, tn::none); });
  auto const total = tn::compile(
      [](auto x, auto l) { return tn::cross_entropy(x, l, tn::label_smoothing(0.2), tn::sum); });
  auto x = random_array<double, 2>({5, 12});
  auto labels = some_labels(5, 12, -100);
  std::vector<double> loss, weight, smooth;
  losses(x.values(), labels.values(), {}, loss, weight);
  doubles const found = result_of(f(x.view(), labels.view()));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found.values[i], loss[i], 1e-13);
  losses(x.values(), labels.values(), {-100, 0.2, {}}, smooth, weight);
  double sum = 0;
  for (double term : smooth) sum += term;
  EXPECT_NEAR(result_of(total(x.view(), labels.view()))[0], sum, 1e-12);
}

TEST(cross_entropy, keeps_small_differences_of_large_logits) {
  auto const f = tn::compile([](auto x, auto l) { return tn::cross_entropy(x, l); });
  tn::tensor<float, 1, 2> x(std::vector<float>{10000, 9993});
  tn::tensor<int, 1> label(std::vector<int>{0});
  EXPECT_NEAR(result_of(f(x, label))[0], std::log1p(std::exp(-7.0)), 1e-7);
  tn::tensor<int, 1> ignored(std::vector<int>{-100});
  EXPECT_TRUE(std::isnan(result_of(f(x, ignored))[0]));
  if (std::is_same_v<tn::default_space, tn::cuda>) return;  // a kernel does not throw
  tn::tensor<int, 1> wrong(std::vector<int>{2});
  EXPECT_ERROR(
      f(x, wrong),
      "tenon: take: index 2 is out of range for extent 2; give indices from -extent to extent - 1");
}

TEST(cross_entropy, over_the_axis_of_classes) {
  auto const second = tn::compile([](auto x, auto l) { return tn::cross_entropy(x, l, tn::none); });
  auto const last =
      tn::compile([](auto x, auto l) { return tn::cross_entropy(x, l, tn::none, tn::axis<-1>); });
  auto x = random_array<float, 3>({2, 5, 3}), y = random_array<float, 3>({2, 3, 5});
  doubles values = y.values();
  for (std::int64_t k = 0; k < 30; ++k) values[k / 15 * 15 + k % 3 * 5 + k / 3 % 5] = x.values()[k];
  y.set(values);
  auto labels = random_array<int, 2>({2, 3}, arrangement::contiguous, 0, 5);
  EXPECT_EQ(result_of(second(x.view(), labels.view())).values,
            result_of(last(y.view(), labels.view())).values);
}

TEST(nll_loss, of_log_softmax_is_cross_entropy) {
  auto const f =
      tn::compile([](auto x, auto l) { return tn::nll_loss(tn::log_softmax(x, tn::axis<1>), l); });
  auto x = random_array<float, 2>({9, 33});
  auto labels = some_labels(9, 33, -100);
  double const wanted = mean_of(x.values(), labels.values(), {});
  EXPECT_NEAR(result_of(f(x.view(), labels.view()))[0], wanted, 1e-5 * wanted);
}

// Of each class a probability; one of 1 is a label.
TEST(cross_entropy, of_probabilities) {
  auto const plain = tn::compile([](auto x, auto p) { return tn::cross_entropy(x, p); });
  auto const each = tn::compile([](auto x, auto p, auto w) {
    return tn::cross_entropy(x, p, tn::none, tn::class_weights(w), tn::label_smoothing(0.1));
  });
  auto const total = tn::compile(
      [](auto x, auto p) { return tn::cross_entropy(tn::transpose(x), p, tn::axis<0>, tn::sum); });
  for (std::int64_t classes : class_counts) {
    std::int64_t const rows = 6;
    auto x = random_array<float, 2>({rows, classes});
    auto p = random_array<float, 2>({rows, classes}, arrangement::contiguous, 0, 1);
    auto w = random_array<float, 1>({classes}, arrangement::contiguous, 0.5, 2);
    doubles const a = x.values(), b = p.values(), weights = w.values();
    std::vector<double> unweighted(rows), weighted(rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      double largest = -INFINITY, sum = 0;
      for (std::int64_t c = 0; c < classes; ++c) largest = std::max(largest, a[i * classes + c]);
      for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(a[i * classes + c] - largest);
      for (std::int64_t c = 0; c < classes; ++c) {
        double const term = largest - a[i * classes + c] + std::log(sum);
        double const target = 0.9 * b[i * classes + c] + 0.1 / static_cast<double>(classes);
        unweighted[static_cast<std::size_t>(i)] += b[i * classes + c] * term;
        weighted[static_cast<std::size_t>(i)] += target * weights[c] * term;
      }
    }
    double sum = 0;
    for (double loss : unweighted) sum += loss;
    EXPECT_NEAR(result_of(plain(x.view(), p.view()))[0], sum / rows, 1e-5 * sum + 1e-6) << classes;
    doubles const losses = result_of(each(x.view(), p.view(), w.view()));
    for (std::size_t i = 0; i < weighted.size(); ++i)
      EXPECT_NEAR(losses.values[i], weighted[i], 1e-5 * weighted[i] + 1e-6) << classes;
    doubles turned({classes, rows});
    for (std::int64_t k = 0; k < turned.size(); ++k) turned[k] = b[k % rows * classes + k / rows];
    auto q = random_array<float, 2>({classes, rows});
    q.set(turned);
    EXPECT_NEAR(result_of(total(x.view(), q.view()))[0], sum, 1e-5 * sum + 1e-6) << classes;
  }
}

}  // namespace
