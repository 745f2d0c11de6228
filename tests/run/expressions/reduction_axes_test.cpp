// SPDX-License-Identifier: Apache-2.0
// Reductions over every set of axes of ranks 1 to 4, with and without keepdim.
#include <utility>

#include "run/support/arrays.hpp"
#include "run/support/axes.hpp"
#include "run/support/close.hpp"

namespace {

// The same program for every set: the axes are in the plan.
template <unsigned Axes> struct statistics {
  template <class X> constexpr auto operator()(X x) const {
    constexpr auto along = axes_of<Axes>();
    return tn::outputs(tn::sum(x, along), tn::max(x, along, tn::keepdim), tn::var(x, along));
  }
};

template <int Rank, unsigned Axes> void check_axes(extents_of_rank<Rank> const& extents) {
  auto x = random_array<float, Rank>(extents);
  auto const [total, largest, variance] = tn::compile(statistics<Axes>{})(x.view());
  reference::doubles const values = x.values();
  std::string const what = "axes " + std::to_string(Axes) + " of rank " + std::to_string(Rank);
  reference::doubles const scale =
      reference::reduced(values, Axes, false, reference::sum_of_magnitudes);
  tolerance const of_sum{.arithmetic = sum_roundoffs(values.size()), .scale = &scale};
  check_close(tn::dtype::f32, result_of(total),
              reference::reduced(values, Axes, false, reference::sum), of_sum, "sum " + what);
  check_close(tn::dtype::f32, result_of(largest),
              reference::reduced(values, Axes, true, reference::max),
              {.arithmetic = 0, .storage = 0}, "max " + what);
  auto const unbiased = [](reference::elements const& e) { return reference::variance(e, 1); };
  auto const conditioned = [](reference::elements const& e) {
    return reference::conditioned_variance(e, 1);
  };
  reference::doubles const variance_scale = reference::reduced(values, Axes, false, conditioned);
  check_close(
      tn::dtype::f32, result_of(variance), reference::reduced(values, Axes, false, unbiased),
      {.arithmetic = 4 * sum_roundoffs(values.size()), .scale = &variance_scale}, "var " + what);
}

template <int Rank, unsigned... Sets>
void check_all_axes(extents_of_rank<Rank> const& extents,
                    std::integer_sequence<unsigned, Sets...>) {
  (check_axes<Rank, Sets + 1>(extents), ...);
}
template <int Rank> void check_rank(extents_of_rank<Rank> const& extents) {
  check_all_axes<Rank>(extents, std::make_integer_sequence<unsigned, (1u << Rank) - 1>{});
}

TEST(reduction_axes, of_rank_1) { check_rank<1>({1025}); }
TEST(reduction_axes, of_rank_2) { check_rank<2>({33, 130}); }
TEST(reduction_axes, of_rank_3) { check_rank<3>({5, 33, 31}); }
TEST(reduction_axes, of_rank_4) { check_rank<4>({3, 5, 7, 32}); }

}  // namespace
