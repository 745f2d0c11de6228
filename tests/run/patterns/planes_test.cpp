// SPDX-License-Identifier: Apache-2.0
// Reductions in three levels, in one launch: over the columns, over the rows of each plane, and
// over everything.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::all_axes;
using reference::doubles;
using reference::reduced;

constexpr unsigned over_columns = 0b100, over_planes = 0b110;
// Few and many planes, of few and many rows; the last ones of more rows than a warp takes at once.
constexpr std::int64_t shapes[][3] = {{1, 1, 1},     {2, 3, 5},     {64, 7, 33},   {5, 100, 1000},
                                      {3, 2, 70001}, {1000, 3, 31}, {2, 5000, 17}, {1, 100003, 4}};

double largest_sum(doubles const& x) {
  return reduced(x, all_axes, false, reference::sum_of_magnitudes)[0];
}

template <class T> void check_sums(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::sum(x, tn::axis<-1>), tn::sum(x, tn::axis<-1, -2>), tn::sum(x));
  });
  auto x = random_array<T, 3>({planes, rows, columns});
  array<T, 2> of_rows({planes, rows});
  array<T, 1> of_planes({planes});
  array<T, 0> of_all({});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(of_rows.view(), of_planes.view(), of_all.view())(x.view());
  });
  auto const check = [&](doubles const& result, unsigned axes, std::int64_t count) {
    doubles const scale = reduced(x.values(), axes, false, reference::sum_of_magnitudes);
    check_close(tn::dtype_of<T>, result, reduced(x.values(), axes, false, reference::sum),
                {.arithmetic = sum_roundoffs(count), .scale = &scale}, "sum");
  };
  check(of_rows.result(), over_columns, columns);
  check(of_planes.result(), over_planes, rows * columns);
  check(of_all.result(), all_axes, planes * rows * columns);
}

// Without the last level.
void check_means_and_maxima(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::mean(x, tn::axis<2>), tn::mean(x, tn::axis<1, 2>) * 2.0f,
                       tn::max(x, tn::axis<2>), tn::max(x, tn::axis<1, 2>));
  });
  auto x = random_array<float, 3>({planes, rows, columns});
  array<float, 2> mean_of_rows({planes, rows}), max_of_rows({planes, rows});
  array<float, 1> mean_of_planes({planes}), max_of_planes({planes});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(mean_of_rows.view(), mean_of_planes.view(), max_of_rows.view(),
                  max_of_planes.view())(x.view());
  });
  auto const mean_of_magnitudes = [](reference::elements const& e) {
    return 2 * reference::sum_of_magnitudes(e) / static_cast<double>(e.size());
  };
  doubles const row_scale = reduced(x.values(), over_columns, false, mean_of_magnitudes),
                plane_scale = reduced(x.values(), over_planes, false, mean_of_magnitudes);
  check_close(tn::dtype::f32, mean_of_rows.result(),
              reduced(x.values(), over_columns, false, reference::mean),
              {.arithmetic = 2 + sum_roundoffs(columns), .scale = &row_scale}, "mean of rows");
  check_close(tn::dtype::f32, mean_of_planes.result(),
              reference::elementwise([](double v) { return 2 * v; },
                                     reduced(x.values(), over_planes, false, reference::mean)),
              {.arithmetic = 2 + sum_roundoffs(rows * columns), .scale = &plane_scale},
              "mean of planes");
  EXPECT_EQ(max_of_rows.result().values,
            reduced(x.values(), over_columns, false, reference::max).values);
  EXPECT_EQ(max_of_planes.result().values,
            reduced(x.values(), over_planes, false, reference::max).values);
}

// Elements are stored beside; a total of the same rows.
void check_softmax_and_losses(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    auto total = tn::logsumexp(x, tn::axis<-1>);
    return tn::outputs(tn::softmax(x, tn::axis<-1>), tn::mean(total, tn::axis<-1>),
                       tn::mean(total));
  });
  auto x = random_array<float, 3>({planes, rows, columns});
  array<float, 3> elements({planes, rows, columns});
  array<float, 1> of_planes({planes});
  array<float, 0> of_all({});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(elements.view(), of_planes.view(), of_all.view())(x.view());
  });
  check_close(tn::dtype::f32, elements.result(), reference::softmax(x.values(), over_columns),
              {.arithmetic = 16 + sum_roundoffs(columns)}, "softmax");
  doubles const log_sums =
      reduced(x.values(), over_columns, false, [](reference::elements const& e) {
        double sum = 0;
        for (std::size_t k = 0; k < e.size(); ++k) sum += std::exp(e[k]);
        return std::log(sum);
      });
  double const absolute =
      0x1p-23 * (32 + sum_roundoffs(columns) + sum_roundoffs(planes * rows)) * 16;
  check_close(tn::dtype::f32, of_planes.result(), reduced(log_sums, 0b10, false, reference::mean),
              {.arithmetic = 8, .absolute = absolute}, "mean of a plane");
  check_close(tn::dtype::f32, of_all.result(), reduced(log_sums, all_axes, false, reference::mean),
              {.arithmetic = 8, .absolute = absolute}, "mean of all");
}

// More rows than the device holds at once, of whole vectors or of single elements, whose elements
// are stored beside values of planes alone.
void check_softmax_of_many(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::softmax(x, tn::axis<-1>),
                       tn::mean(tn::max(x, tn::axis<-1>), tn::axis<-1>));
  });
  auto x = random_array<float, 3>({planes, rows, columns});
  array<float, 3> elements({planes, rows, columns});
  array<float, 1> of_planes({planes});
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(elements.view(), of_planes.view())(x.view()); });
  check_close(tn::dtype::f32, elements.result(), reference::softmax(x.values(), over_columns),
              {.arithmetic = 16 + sum_roundoffs(columns)}, "softmax");
  doubles const largest = reduced(x.values(), over_columns, false, reference::max),
                scale = reduced(x.values(), over_planes, false, [](reference::elements const&) {
                  return 16.0;  // no element is larger
                });
  check_close(tn::dtype::f32, of_planes.result(), reduced(largest, 0b10, false, reference::mean),
              {.arithmetic = 2 + sum_roundoffs(rows), .scale = &scale}, "mean of a plane");
}

// The rows of a plane are no neighbours in memory, and neither are a row's columns.
void check_other_orders(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  static auto const middle = tn::compile([](auto x) {
    return tn::outputs(tn::sum(x, tn::axis<-1>), tn::sum(x, tn::axis<0, 2>), tn::sum(x));
  });
  static auto const turned = tn::compile([](auto x) {
    return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<0, 1>), tn::sum(x));
  });
  auto x = random_array<float, 3>({planes, rows, columns});
  auto const check = [&](auto const& f, unsigned level_1, unsigned level_2) {
    doubles const first = reduced(x.values(), level_1, false, reference::sum),
                  second = reduced(x.values(), level_2, false, reference::sum);
    array<float, 2> of_rows({first.extents[0], first.extents[1]});
    array<float, 1> of_planes({second.extents[0]});
    array<float, 0> of_all({});
    expect_one_launch([&](tn::stream on) {
      f.on(on).into(of_rows.view(), of_planes.view(), of_all.view())(x.view());
    });
    tolerance const allowed{.arithmetic = 4, .absolute = 1e-6 * largest_sum(x.values())};
    check_close(tn::dtype::f32, of_rows.result(), first, allowed, "first level");
    check_close(tn::dtype::f32, of_planes.result(), second, allowed, "second level");
    check_close(tn::dtype::f32, of_all.result(),
                reduced(x.values(), all_axes, false, reference::sum), allowed, "last level");
  };
  check(middle, 0b100, 0b101);
  check(turned, 0b001, 0b011);
}

// Sums of nothing, where the planes are there and their rows or columns are not.
void check_empty(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  check_sums<float>(planes, rows, columns);
}

TEST(one_launch, sums_in_three_levels) {
  for (auto const& [planes, rows, columns] : shapes) {
    check_sums<float>(planes, rows, columns);
    check_sums<tn::bfloat16>(planes, rows, columns);
  }
}
TEST(one_launch, means_and_maxima_of_rows_and_planes) {
  for (auto const& [planes, rows, columns] : shapes) check_means_and_maxima(planes, rows, columns);
}
TEST(one_launch, softmax_and_means_of_rows_and_planes) {
  for (auto const& [planes, rows, columns] : shapes)
    check_softmax_and_losses(planes, rows, columns);
}
TEST(one_launch, softmax_of_more_rows_than_the_device_holds) {
  check_softmax_of_many(2, 170000, 8);
  check_softmax_of_many(2, 9000, 257);
}
TEST(one_launch, planes_in_other_orders) {
  for (auto const& [planes, rows, columns] : shapes) check_other_orders(planes, rows, columns);
}
TEST(one_launch, planes_without_rows_or_columns) {
  check_empty(3, 0, 5), check_empty(3, 5, 0), check_empty(0, 3, 5), check_empty(3, 0, 0);
}

}  // namespace
