// SPDX-License-Identifier: Apache-2.0
// Rows of which an operand is the same for all positions of the outermost axis, as the bias of
// attention scores is for all batches; and sums of operands of half types, and costly values, that
// several sweeps need.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr unsigned last_axis = 0b1000;

constexpr auto softmax_of_sum =
    tn::compile([](auto x, auto bias) { return tn::softmax(x + bias, tn::axis<-1>); });
constexpr auto norm_of_sum = tn::compile(
    [](auto x, auto bias, auto weight) { return tn::layer_norm(x + bias, tn::axis<-1>) * weight; });
// The sum is a result, too.
constexpr auto sum_and_norm = tn::compile([](auto x, auto bias) {
  auto const sum = x + bias;
  return tn::outputs(sum, tn::rms_norm(sum, tn::axis<-1>));
});

template <class T> void check(extents_of_rank<4> const& extents, arrangement how) {
  constexpr tn::dtype type = tn::dtype_of<T>;
  auto x = random_array<T, 4>(extents, how);
  auto bias = random_array<T, 3>({extents[1], extents[2], extents[3]});
  auto weight = random_array<T, 1>({extents[3]});
  doubles const sums = reference::elementwise(std::plus<>(), x.values(), bias.values());
  std::string const what = to_string(how) + std::string(" of length ") + std::to_string(extents[3]);
  double const roundoffs = 16 + sum_roundoffs(extents[3]);
  check_close(type, result_of(softmax_of_sum(x.view(), bias.view())),
              reference::softmax(sums, last_axis), {.arithmetic = roundoffs}, "softmax " + what);

  doubles const norms = reference::elementwise(
      std::multiplies<>(), reference::layer_norm(sums, last_axis, 1e-5), weight.values());
  doubles const scale = reference::elementwise([](double r) { return std::fabs(r) + 8; }, norms);
  check_close(type, result_of(norm_of_sum(x.view(), bias.view(), weight.view())), norms,
              {.arithmetic = roundoffs, .scale = &scale}, "layer_norm " + what);

  auto const [sum, norm] = sum_and_norm(x.view(), bias.view());
  check_close(type, result_of(sum), sums, {.arithmetic = 2}, "sum " + what);
  doubles const of_sums = reference::rms_norm(sums, last_axis, 1e-5);
  check_close(type, result_of(norm), of_sums, {.arithmetic = roundoffs}, "rms_norm " + what);
}

// Rows of the operand that is repeated: fewer and more than a multiprocessor's cache has room for.
template <class T> void check_type() {
  for (std::int64_t length : {1, 31, 256, 512, 1000, 2048, 4100})
    check<T>({3, 2, 5, length}, arrangement::contiguous);
  check<T>({3, 2, 150, 256}, arrangement::contiguous);
  check<T>({5, 1, 131, 520}, arrangement::misaligned);
  check<T>({2, 3, 60, 1024}, arrangement::transposed);
  check<T>({2, 1, 17, 20000}, arrangement::contiguous);
  check<T>({1, 1, 300, 512}, arrangement::contiguous);
  check<T>({0, 2, 300, 512}, arrangement::contiguous);
}

// What all rows share is in several sweeps, but for what is kept of it.
template <class T> void check_weights(std::int64_t length, arrangement how) {
  auto const f = tn::compile([](auto x, auto weight, auto bias) {
    return tn::softmax(tn::layer_norm(tn::cast<float>(x), weight, bias), tn::axis<-1>);
  });
  auto x = random_array<T, 2>({6, length}, how);
  auto weight = random_array<float, 1>({length}), bias = random_array<float, 1>({length});
  doubles const norms = reference::elementwise(std::multiplies<>(),
                                               reference::layer_norm(x.values(), 0b10, 1e-5),
                                               weight.values()),
                sums = reference::elementwise(std::plus<>(), norms, bias.values());
  check_close(tn::dtype::f32, result_of(f(x.view(), weight.view(), bias.view())),
              reference::softmax(sums, 0b10), {.arithmetic = 8 * (16 + sum_roundoffs(length))},
              to_string(how) + " of length " + std::to_string(length));
}
TEST(shared_rows, weights_before_a_softmax) {
  for (std::int64_t length : {20, 256, 1000, 1023, 4096, 30000}) {
    check_weights<tn::bfloat16>(length, arrangement::contiguous);
    check_weights<float>(length, arrangement::contiguous);
  }
  check_weights<tn::bfloat16>(1024, arrangement::misaligned);
}

// Of many positions the rows stay as they are.
TEST(shared_rows, of_float) {
  check_type<float>();
  check<float>({66, 1, 130, 256}, arrangement::contiguous);
}
TEST(shared_rows, of_half) { check_type<tn::half>(); }
TEST(shared_rows, of_bfloat16) { check_type<tn::bfloat16>(); }

template <class T> void check_costly() {
  constexpr tn::dtype type = tn::dtype_of<T>;
  static auto const capped =
      tn::compile([](auto x) { return tn::softmax(tn::tanh(x) * 3, tn::axis<-1>); });
  // In f32: of a half type gelu may be a quarter of a unit off.
  static auto const scaled = tn::compile(
      [](auto x) { return tn::cast<T>(tn::rms_norm(tn::gelu(tn::cast<float>(x)), tn::axis<-1>)); });
  for (std::int64_t length : {1, 60, 512, 1000, 2048, 9000, 33000})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto x = random_array<T, 2>({7, length}, how);
      std::string const what = to_string(how) + std::string(" of length ") + std::to_string(length);
      tolerance const allowed{.arithmetic = 24 + sum_roundoffs(length)};
      doubles const bounded =
          reference::elementwise([](double v) { return std::tanh(v) * 3; }, x.values());
      check_close(type, result_of(capped(x.view())), reference::softmax(bounded, 0b10), allowed,
                  "capped " + what);
      doubles const gelu = reference::elementwise(reference::gelu, x.values());
      check_close(type, result_of(scaled(x.view())), reference::rms_norm(gelu, 0b10, 1e-5), allowed,
                  "scaled " + what);
    }
}
TEST(shared_rows, costly_values) {
  check_costly<float>();
  check_costly<tn::half>();
  check_costly<tn::bfloat16>();
}

TEST(shared_rows, follow_each_other) {
  auto x = random_array<float, 4>({4, 2, 100, 512});
  auto bias = random_array<float, 3>({2, 100, 512});
  std::string const text = tn::explain(softmax_of_sum, x.view(), bias.view()).text();
  bool const is_cuda = std::is_same_v<tn::default_space, tn::cuda>;
  EXPECT_NE(text.find(is_cuda ? "walked as 200 x 4" : "walked as 4 x 200"), std::string::npos)
      << text;
}

// A product that no sum takes in: of a gate and what it gates, with the scale of each row.
template <class T> void check_gated(std::int64_t length, arrangement how) {
  auto const f = tn::compile([](auto x, auto y) {
    auto gated = tn::silu(tn::cast<float>(x)) * tn::cast<float>(y);
    auto scale = 1.0f / tn::maximum(tn::max(tn::abs(gated), tn::axis<1>, tn::keepdim), 1e-12f);
    return tn::outputs(gated * scale, tn::squeeze(scale, tn::axis<1>));
  });
  auto const norm = tn::compile([](auto x, auto y) {
    return tn::rms_norm(tn::silu(tn::cast<float>(x)) * tn::cast<float>(y), tn::axis<1>);
  });
  std::int64_t const rows = 7;
  auto x = random_array<T, 2>({rows, length}, how), y = random_array<T, 2>({rows, length}, how);
  doubles const gates = x.values(), others = y.values();
  doubles gated({rows, length}), scales({rows});
  for (std::int64_t i = 0; i < rows; ++i) {
    double most = 1e-12;
    for (std::int64_t j = i * length; j < (i + 1) * length; ++j) {
      gated[j] = gates[j] / (1 + std::exp(-gates[j])) * others[j];
      most = std::max(most, std::fabs(gated[j]));
    }
    scales[i] = 1 / most;
  }
  doubles scaled = gated;
  for (std::int64_t j = 0; j < rows * length; ++j) scaled[j] *= scales[j / length];
  std::string const what = to_string(how) + std::string(" of length ") + std::to_string(length);
  auto const [values, factors] = f(x.view(), y.view());
  check_close(tn::dtype::f32, result_of(values), scaled, {.arithmetic = 16}, "scaled " + what);
  check_close(tn::dtype::f32, result_of(factors), scales, {.arithmetic = 16}, "scales " + what);
  check_close(tn::dtype::f32, result_of(norm(x.view(), y.view())),
              reference::rms_norm(gated, 0b10, 1e-5), {.arithmetic = 16 + sum_roundoffs(length)},
              "rms_norm " + what);
}
TEST(shared_rows, products_are_kept) {
  for (std::int64_t length : {1, 33, 256, 1000, 1152, 4100, 11008})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned})
      check_gated<float>(length, how), check_gated<tn::bfloat16>(length, how);
}

}  // namespace
