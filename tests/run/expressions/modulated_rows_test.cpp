// SPDX-License-Identifier: Apache-2.0
// Rows whose results have operands of some rows, which no reduction needs: scales, shifts and gates
// of a batch, as diffusion transformers have, and positions that all batches share.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// Rows in registers of lanes, warps and blocks, in shared memory, and longer ones; whole vectors
// and not.
constexpr std::int64_t lengths[] = {1,    8,    20,   33,   100,  201,   256,  384,
                                    1000, 1001, 1152, 4100, 9001, 20000, 70000};
constexpr arrangement kinds[] = {arrangement::contiguous, arrangement::misaligned,
                                 arrangement::transposed};

constexpr auto modulated = tn::compile([](auto x, auto scale, auto shift) {
  auto const norm = tn::layer_norm(tn::cast<float>(x), tn::axis<2>);
  return norm * (1 + tn::unsqueeze(scale, tn::axis<1>)) + tn::unsqueeze(shift, tn::axis<1>);
});
// Of two operands of each row's own, with two results.
constexpr auto gated = tn::compile([](auto x, auto y, auto gate, auto positions) {
  auto const norm = tn::rms_norm(tn::cast<float>(y), tn::axis<2>);
  auto const sum = x + tn::unsqueeze(gate, tn::axis<1>) * norm;
  return tn::outputs(sum, norm + positions);
});

template <class T>
void check(extents_of_rank<3> const& e, arrangement how, arrangement how_of_scale) {
  std::int64_t const rows = e[1], n = e[2];
  auto x = random_array<T, 3>(e, how), y = random_array<T, 3>(e, how);
  auto scale = random_array<T, 2>({e[0], n}, how_of_scale), shift = random_array<T, 2>({e[0], n});
  auto positions = random_array<T, 2>({rows, n}, how_of_scale);
  std::string const what = to_string(how) + std::string(", scales ") + to_string(how_of_scale) +
                           ", " + std::to_string(e[0]) + " x " + std::to_string(rows) + " x " +
                           std::to_string(n);
  double const roundoffs = 24 + sum_roundoffs(n);
  doubles const a = scale.values(), b = shift.values(), p = positions.values();

  doubles expected = reference::layer_norm(x.values(), 0b100, 1e-5), size = expected;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    std::int64_t const at = i / n / rows * n + i % n;
    size[i] = 8 + 2 * std::fabs(expected[i]);
    expected[i] = expected[i] * (1 + a[at]) + b[at];
  }
  check_close(tn::dtype::f32, result_of(modulated(x.view(), scale.view(), shift.view())), expected,
              {.arithmetic = roundoffs, .scale = &size}, "modulated, " + what);

  if (n == 1) return;  // the norm of one element is its sign, or nothing
  doubles sums = x.values(), norms = reference::rms_norm(y.values(), 0b100, 1e-5);
  for (std::int64_t i = 0; i < sums.size(); ++i) {
    sums[i] += a[i / n / rows * n + i % n] * norms[i];
    norms[i] += p[i % (rows * n)];
    size[i] = 8 + std::fabs(norms[i]);
  }
  auto const [sum, norm] = gated(x.view(), y.view(), scale.view(), positions.view());
  tolerance const allowed{.arithmetic = roundoffs, .scale = &size};
  check_close(tn::dtype::f32, result_of(sum), sums, allowed, "gated, " + what);
  check_close(tn::dtype::f32, result_of(norm), norms, allowed, "with positions, " + what);
}

template <class T> void check_type() {
  for (std::int64_t n : lengths)
    for (arrangement how : kinds)
      if (n < 5000 || how != arrangement::transposed) check<T>({2, 3, n}, how, how);
  for (std::int64_t n : {1152, 1001}) {
    check<T>({2, 3, n}, arrangement::contiguous, arrangement::misaligned);
    check<T>({2, 3, n}, arrangement::misaligned, arrangement::contiguous);
    check<T>({2, 3, n}, arrangement::contiguous, arrangement::transposed);
    check<T>({1, 70, n}, arrangement::contiguous, arrangement::contiguous);
    check<T>({70, 1, n}, arrangement::contiguous, arrangement::contiguous);
    check<T>({0, 3, n}, arrangement::contiguous, arrangement::contiguous);
  }
  check<T>({3, 200, 128}, arrangement::contiguous, arrangement::contiguous);
  check<T>({3, 6000, 31}, arrangement::contiguous, arrangement::contiguous);
}
TEST(modulated_rows, of_float) { check_type<float>(); }
TEST(modulated_rows, of_half) { check_type<tn::half>(); }
TEST(modulated_rows, of_bfloat16) { check_type<tn::bfloat16>(); }

// Wherever the operands lie, and however many rows there are.
template <class T> void check_bits() {
  auto const modulated = tn::compile([](auto x, auto scale, auto shift) {
    auto const norm = tn::layer_norm(tn::cast<float>(x), tn::axis<2>);
    return tn::cast<T>(norm * (1 + tn::unsqueeze(scale, tn::axis<1>)) +
                       tn::unsqueeze(shift, tn::axis<1>));
  });
  for (std::int64_t n : lengths) {
    auto x = random_array<T, 3>({2, 3, n});
    auto scale = random_array<T, 2>({2, n}), shift = random_array<T, 2>({2, n});
    doubles const all = result_of(modulated(x.view(), scale.view(), shift.view()));
    doubles expected = reference::layer_norm(x.values(), 0b100, 1e-5), size = expected;
    doubles const scales = scale.values(), shifts = shift.values();
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      std::int64_t const at = i / n / 3 * n + i % n;
      size[i] = 8 + 2 * std::fabs(expected[i]);
      expected[i] = expected[i] * (1 + scales[at]) + shifts[at];
    }
    check_close(tn::dtype_of<T>, all, expected,
                {.arithmetic = 24 + sum_roundoffs(n), .scale = &size}, std::to_string(n));
    for (arrangement how : kinds) {
      array<T, 3> moved({2, 3, n}, how, x.values());
      array<T, 2> a({2, n}, how, scale.values()), b({2, n}, how, shift.values());
      ASSERT_EQ(all.values, result_of(modulated(moved.view(), a.view(), b.view())).values)
          << to_string(how) << " of " << n;
    }
  }
}
TEST(modulated_rows, have_the_same_bits_everywhere) {
  check_bits<float>();
  check_bits<tn::bfloat16>();
}

}  // namespace
