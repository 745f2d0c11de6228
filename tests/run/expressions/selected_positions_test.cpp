// SPDX-License-Identifier: Apache-2.0
// A position that is known is part of where an argument is read, and looked up when the call is.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

template <int Position> auto softmax_of_row() {
  return tn::compile([](auto x) {
    return tn::softmax(tn::select(x, tn::axis<0>, tn::ct<Position>), tn::axis<0>);
  });
}

TEST(selected_positions, of_run_time_lengths) {
  auto x = random_array<float, 2>({3, 50});
  doubles const given = x.values();
  auto const check_row = [&](auto const& f, std::int64_t row) {
    reference::elements const of_row(given.values.begin() + row * 50,
                                     given.values.begin() + (row + 1) * 50);
    check_close(tn::dtype::f32, result_of(f(x.view())),
                reference::softmax(doubles({50}, of_row), 0b1), {.arithmetic = 32},
                std::to_string(row));
  };
  check_row(softmax_of_row<0>(), 0), check_row(softmax_of_row<2>(), 2);
  check_row(softmax_of_row<-1>(), 2), check_row(softmax_of_row<-3>(), 0);
}

TEST(selected_positions, what_there_is_not_is_named) {
  auto x = random_array<float, 2>({2, 50});
  std::string const outside =
      " is out of range for extent 2; give indices from -extent to extent - 1 (expression "
      "expression, operand 0)";
  EXPECT_ERROR(softmax_of_row<2>()(x.view()), "tenon: take: index 2" + outside);
  EXPECT_ERROR(softmax_of_row<-3>()(x.view()), "tenon: take: index -3" + outside);
}

// Gates of a row and what they gate, as parts of one argument, beside a weight that is one of two.
template <class T> void check_gated(arrangement how) {
  auto const f = tn::compile([](auto x, auto w) {
    auto part = [&](auto k) { return tn::cast<float>(tn::select(x, tn::axis<1>, k)); };
    auto gated = tn::relu(part(tn::ct<0>)) * part(tn::ct<1>);
    auto weight = tn::select(w, tn::axis<0>, tn::ct<1>);
    return gated * weight / tn::max(tn::abs(gated), tn::axis<1>, tn::keepdim);
  });
  for (std::int64_t n : {1, 7, 64, 1000, 4096}) {
    auto x = random_array<T, 3>({5, 2, n}, how);
    auto w = random_array<float, 2>({2, n});
    doubles const given = x.values(), weights = w.values();
    doubles expected({5, n});
    for (std::int64_t i = 0; i < 5; ++i) {
      double most = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        double const gate = given[(2 * i) * n + j];
        expected[i * n + j] = (gate > 0 ? gate : 0) * given[(2 * i + 1) * n + j];
        most = std::max(most, std::fabs(expected[i * n + j]));
      }
      for (std::int64_t j = 0; j < n; ++j) expected[i * n + j] *= weights[n + j] / most;
    }
    check_close(tn::dtype::f32, result_of(f(x.view(), w.view())), expected, {.arithmetic = 8},
                std::to_string(n) + ", " + to_string(how));
  }
}
TEST(selected_positions, of_gated_rows) {
  for (arrangement how : arrangements) check_gated<float>(how), check_gated<tn::bfloat16>(how);
}

// Parts of an element that lie beside each other, as colours do, and what is one of two along two
// axes.
template <class T> void check_colours(arrangement how) {
  auto const grey = tn::compile([](auto x) {
    auto part = [&](auto k) { return tn::cast<float>(tn::select(x, tn::axis<1>, k)); };
    return part(tn::ct<0>) * 0.25f + part(tn::ct<1>) * 0.5f - part(tn::ct<-1>);
  });
  auto const of_two = tn::compile([](auto x, auto w) {
    auto first = tn::select(tn::select(w, tn::axis<2>, tn::ct<1>), tn::axis<1>, tn::ct<2>);
    return tn::cast<float>(tn::select(x, tn::axis<1>, tn::ct<1>)) * first;
  });
  for (std::int64_t n : {1, 5, 64, 1001}) {
    auto x = random_array<T, 2>({n, 3}, how);
    auto w = random_array<float, 3>({n, 3, 2});
    doubles const given = x.values(), weights = w.values();
    doubles greys({n}), products({n});
    for (std::int64_t i = 0; i < n; ++i) {
      greys[i] = given[3 * i] * 0.25 + given[3 * i + 1] * 0.5 - given[3 * i + 2];
      products[i] = given[3 * i + 1] * weights[6 * i + 5];
    }
    std::string const what = std::to_string(n) + ", " + to_string(how);
    doubles const scale = reference::elementwise([](double r) { return std::fabs(r) + 2; }, greys);
    check_close(tn::dtype::f32, result_of(grey(x.view())), greys,
                {.arithmetic = 4, .scale = &scale}, what);
    check_close(tn::dtype::f32, result_of(of_two(x.view(), w.view())), products, {.arithmetic = 2},
                what);
  }
}
TEST(selected_positions, along_the_last_axis) {
  for (arrangement how : arrangements) {
    check_colours<float>(how), check_colours<tn::bfloat16>(how);
    check_colours<std::uint8_t>(how);
  }
}

}  // namespace
