// SPDX-License-Identifier: Apache-2.0
// Images of classes: what is reduced is a short axis in front of those whose elements are
// neighbours, and a label of each place picks one of its elements; against plain loops.
#include <algorithm>
#include <cmath>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// x[n][.][p], the elements of one place.
std::vector<double> column(doubles const& x, std::int64_t n, std::int64_t classes,
                           std::int64_t places, std::int64_t p) {
  std::vector<double> result;
  for (std::int64_t c = 0; c < classes; ++c) result.push_back(x[(n * classes + c) * places + p]);
  return result;
}
double log_of_sum(std::vector<double> const& x) {
  double greatest = x[0], sum = 0;
  for (double v : x) greatest = std::max(greatest, v);
  for (double v : x) sum += std::exp(v - greatest);
  return greatest + std::log(sum);
}

constexpr std::int64_t images = 3;
constexpr std::int64_t class_counts[] = {1, 2, 3, 8, 19, 21, 33, 64, 65, 150};
constexpr std::int64_t place_counts[] = {1, 7, 16, 64, 129, 1000};

template <class T> double tolerance() { return sizeof(T) == 2 ? 0x1p-8 : 1e-6; }

template <class T> void check_softmax(arrangement how) {
  static auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  for (std::int64_t classes : class_counts)
    for (std::int64_t places : place_counts) {
      auto x = random_array<T, 3>({images, classes, places}, how, -4, 4);
      doubles const a = x.values(), found = result_of(f(x.view()));
      for (std::int64_t n = 0; n < images; ++n)
        for (std::int64_t p = 0; p < places; ++p) {
          auto const all = column(a, n, classes, places, p);
          double const whole = log_of_sum(all);
          for (std::int64_t c = 0; c < classes; ++c) {
            double const expected = std::exp(all[static_cast<std::size_t>(c)] - whole);
            ASSERT_NEAR(found[(n * classes + c) * places + p], expected, tolerance<T>())
                << classes << " x " << places << to_string(how);
          }
        }
    }
}
TEST(classes, softmax) {
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
    check_softmax<float>(how);
    check_softmax<tn::bfloat16>(how);
  }
}

// The element that a label names, found once for a place, beside what the place's sum is.
template <class T> void check_labels(arrangement how) {
  static auto const f = tn::compile([](auto x, auto labels) {
    auto picked = tn::take_along_axis(x, tn::unsqueeze(labels, tn::axis<1>), tn::axis<1>);
    return tn::sum(x, tn::axis<1>) - tn::squeeze(picked, tn::axis<1>);
  });
  for (std::int64_t classes : class_counts)
    for (std::int64_t places : place_counts) {
      auto x = random_array<T, 3>({images, classes, places}, how, -4, 4);
      auto labels = random_array<std::int32_t, 2>({images, places}, arrangement::contiguous, 0,
                                                  static_cast<int>(classes) - 1);
      doubles const a = x.values(), l = labels.values(),
                    found = result_of(f(x.view(), labels.view()));
      for (std::int64_t n = 0; n < images; ++n)
        for (std::int64_t p = 0; p < places; ++p) {
          auto const all = column(a, n, classes, places, p);
          double sum = 0;
          for (double v : all) sum += v;
          ASSERT_EQ(found[n * places + p], sum - all[static_cast<std::size_t>(l[n * places + p])])
              << classes << " x " << places << to_string(how);
        }
    }
}
TEST(classes, elements_of_labels) {
  for (arrangement how : arrangements) check_labels<std::int32_t>(how);
}

template <class T> void check_loss() {
  static auto const f = tn::compile([](auto x, auto labels) {
    auto picked = tn::take_along_axis(x, tn::unsqueeze(labels, tn::axis<1>), tn::axis<1>);
    return tn::mean(
        tn::cast<float>(tn::logsumexp(x, tn::axis<1>) - tn::squeeze(picked, tn::axis<1>)));
  });
  for (std::int64_t classes : {2, 19, 40})
    for (std::int64_t places : {7, 64, 1000}) {
      auto x = random_array<T, 3>({images, classes, places}, arrangement::contiguous, -4, 4);
      auto labels = random_array<std::int32_t, 2>({images, places}, arrangement::contiguous, 0,
                                                  static_cast<int>(classes) - 1);
      doubles const a = x.values(), l = labels.values();
      double sum = 0;
      for (std::int64_t n = 0; n < images; ++n)
        for (std::int64_t p = 0; p < places; ++p) {
          auto const all = column(a, n, classes, places, p);
          sum += log_of_sum(all) - all[static_cast<std::size_t>(l[n * places + p])];
        }
      double const expected = sum / static_cast<double>(images * places);
      EXPECT_NEAR(result_of(f(x.view(), labels.view()))[0], expected, 4 * tolerance<T>())
          << classes << " x " << places;
    }
}
TEST(classes, cross_entropy_of_images) {
  check_loss<float>();
  check_loss<tn::bfloat16>();
}

}  // namespace
