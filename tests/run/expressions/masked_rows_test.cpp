// SPDX-License-Identifier: Apache-2.0
// Rows of which several sweeps need what comes of masks and biases, which rows share in part; and
// of three reductions one after the other.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr unsigned last_axis = 0b1000;

// Scores with a bias of each pair of positions, of which a mask hides some, for all heads, or those
// behind a sequence's end.
constexpr auto masked_scores = tn::compile([](auto x, auto bias, auto is_seen) {
  return tn::softmax(tn::where(is_seen, x * 0.125f + bias, -1e9f), tn::axis<-1>);
});
constexpr auto padded_scores = tn::compile([](auto x, auto is_seen) {
  auto const of_keys = tn::unsqueeze(tn::unsqueeze(is_seen, tn::axis<1>), tn::axis<2>);
  return tn::softmax(tn::where(of_keys, x * 0.125f, -1e9f), tn::axis<-1>);
});
template <class T> void check_masked(extents_of_rank<4> const& extents, arrangement how) {
  constexpr tn::dtype type = tn::dtype_of<T>;
  std::string const what = to_string(how) + std::string(" of length ") + std::to_string(extents[3]);
  tolerance const allowed{.arithmetic = 16 + sum_roundoffs(extents[3])};
  auto x = random_array<T, 4>(extents, how);
  auto bias = random_array<T, 3>({extents[1], extents[2], extents[3]}, how);
  auto is_seen = random_array<bool, 2>({extents[2], extents[3]}, how);
  doubles const scores = reference::elementwise(
      [](double seen, double v, double b) { return seen != 0 ? v * 0.125 + b : -1e9; },
      is_seen.values(), x.values(), bias.values());
  check_close(type, result_of(masked_scores(x.view(), bias.view(), is_seen.view())),
              reference::softmax(scores, last_axis), allowed, "masked " + what);

  auto is_inside = random_array<bool, 2>({extents[0], extents[3]}, how);
  doubles const of_keys({extents[0], 1, 1, extents[3]}, is_inside.values().values);
  doubles const hidden = reference::elementwise(
      [](double seen, double v) { return seen != 0 ? v * 0.125 : -1e9; }, of_keys, x.values());
  check_close(type, result_of(padded_scores(x.view(), is_inside.view())),
              reference::softmax(hidden, last_axis), allowed, "padded " + what);
}
template <class T> void check_masked() {
  for (std::int64_t length : {1, 49, 256, 512, 1000, 2048, 4104})
    check_masked<T>({2, 2, 5, length}, arrangement::contiguous);
  check_masked<T>({3, 1, 131, 520}, arrangement::misaligned);
  check_masked<T>({2, 1, 7, 203}, arrangement::padded);
  check_masked<T>({2, 1, 3, 20000}, arrangement::contiguous);
}
TEST(masked_rows, masked) {
  check_masked<float>();
  check_masked<tn::half>();
  check_masked<tn::bfloat16>();
}
// A number for each element instead of the operands leaves a thread room for several vectors.
TEST(masked_rows, masked_ones_are_held_by_a_warp) {
  if constexpr (std::is_same_v<tn::default_space, tn::cuda>) {
    auto x = random_array<tn::bfloat16, 4>({2, 2, 100, 512});
    auto bias = random_array<tn::bfloat16, 3>({2, 100, 512});
    auto is_seen = random_array<bool, 2>({100, 512});
    std::string const text =
        tn::explain(masked_scores, x.view(), bias.view(), is_seen.view()).text();
    EXPECT_NE(text.find("row in registers of a warp or less"), std::string::npos) << text;
  }
}

// Exponentials that three sweeps more need.
template <class T> void check_best_two() {
  static auto const best_two = tn::compile([](auto x) {
    auto p = tn::softmax(tn::cast<float>(x), tn::axis<1>);
    auto first = tn::max(p, tn::axis<1>, tn::keepdim);
    auto second = tn::max(tn::where(p < first, p, 0.0f), tn::axis<1>, tn::keepdim);
    return tn::where(p >= second, p / (first + second), 0.0f);
  });
  for (std::int64_t length : {8, 60, 64, 65, 128, 1000, 9000})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto x = random_array<T, 2>({9, length}, how);
      // Far apart, so that no rounding decides which are the best two.
      doubles values = x.values();
      for (std::int64_t row = 0; row < 9; ++row)
        values[row * length + row * 7 % length] = 5, values[row * length + 3 * row % length] = 6;
      x.set(values);
      doubles p = reference::softmax(x.values(), 0b10);
      for (std::int64_t row = 0; row < 9; ++row) {
        double* const at = &p[row * length];
        double first = 0, second = 0;
        for (std::int64_t i = 0; i < length; ++i) first = std::max(first, at[i]);
        for (std::int64_t i = 0; i < length; ++i)
          if (at[i] < first) second = std::max(second, at[i]);
        for (std::int64_t i = 0; i < length; ++i)
          at[i] = at[i] >= second ? at[i] / (first + second) : 0;
      }
      check_close(tn::dtype::f32, result_of(best_two(x.view())), p,
                  {.arithmetic = 32 + sum_roundoffs(length)},
                  to_string(how) + std::string(" of length ") + std::to_string(length));
    }
}
TEST(masked_rows, of_three_reductions) {
  check_best_two<float>();
  check_best_two<tn::bfloat16>();
}

}  // namespace
