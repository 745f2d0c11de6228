// SPDX-License-Identifier: Apache-2.0
// Group normalisation with a weight and a bias for each channel, which neighbouring elements share:
// groups of any length and place.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t groups = 4;

template <class T>
void check(std::array<std::int64_t, 4> const& shape, arrangement how = arrangement::contiguous) {
  static auto const f = tn::compile(
      [](auto x, auto w, auto b) { return tn::silu(tn::group_norm(x, tn::ct<groups>, w, b)); });
  auto x = random_array<T, 4>(shape, how);
  auto w = random_array<T, 1>({shape[1]}), b = random_array<T, 1>({shape[1]});
  array<T, 4> out(shape, how);
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(out.view())(x.view(), w.view(), b.view()); });
  doubles normal = x.values();
  std::int64_t const image = shape[2] * shape[3], length = shape[1] / groups * image;
  normal.extents = {shape[0], groups, length};
  normal = reference::layer_norm(normal, 0b100, 1e-5);
  normal.extents = x.values().extents;
  doubles expected = normal, scale = normal;
  doubles const weights = w.values(), biases = b.values();
  for (std::int64_t i = 0; i < normal.size(); ++i) {
    std::int64_t const c = i / image % shape[1];
    double const v = normal[i] * weights[c] + biases[c];
    expected[i] = reference::silu(v);
    scale[i] = std::fabs(normal[i] * weights[c]) + std::fabs(biases[c]) + 4;
  }
  check_close(tn::dtype_of<T>, out.result(), expected,
              {.arithmetic = 16 + sum_roundoffs(length), .scale = &scale},
              "group norm of " + std::to_string(shape[0]) + " x " + std::to_string(shape[1]) +
                  " x " + std::to_string(shape[2]) + " x " + std::to_string(shape[3]));
}

template <class T> void check_shapes() {
  check<T>({2, 12, 8, 16});
  check<T>({3, 4, 8, 8});
  check<T>({2, 12, 5, 33});
  check<T>({5, 40, 1, 1});
  check<T>({1, 8, 1, 7});
  check<T>({3, 12, 64, 64});
  check<T>({1, 8, 128, 512});
  check<T>({2, 64, 8, 16}, arrangement::misaligned);
  check<T>({2, 12, 8, 16}, arrangement::transposed);
  check<T>({2, 12, 8, 16}, arrangement::padded);
}

TEST(group_norm, by_channels_f32) { check_shapes<float>(); }
TEST(group_norm, by_channels_bf16) { check_shapes<tn::bfloat16>(); }

}  // namespace
