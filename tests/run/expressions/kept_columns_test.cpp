// SPDX-License-Identifier: Apache-2.0
// Rows that lie next to each other and stay on chip: layer norm and softmax over the channels of
// images, whose positions are whole vectors or not.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

template <class T> void check(extents_of_rank<3> const& shape, arrangement how) {
  auto const norm = tn::compile([](auto x, auto w, auto b) {
    auto const v = tn::cast<float>(x);
    auto const mean = tn::mean(v, tn::axis<1>, tn::keepdim);
    auto const variance = tn::var(v, tn::axis<1>, tn::correction<0>, tn::keepdim);
    return (v - mean) * tn::rsqrt(variance + 1e-5f) * tn::unsqueeze(w, tn::axis<1>) +
           tn::unsqueeze(b, tn::axis<1>);
  });
  auto const soft =
      tn::compile([](auto x) { return tn::softmax(tn::cast<float>(x), tn::axis<1>); });
  auto x = random_array<T, 3>(shape, how);
  auto w = random_array<T, 1>({shape[1]}), b = random_array<T, 1>({shape[1]});
  doubles const values = x.values(), weights = w.values(), biases = b.values();
  std::string const what = std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " +
                           std::to_string(shape[2]) + ", " + to_string(how);
  double const roundoffs = 16 + sum_roundoffs(shape[1]);

  doubles expected = reference::layer_norm(values, 0b010, 1e-5);
  for (std::int64_t k = 0; k < expected.size(); ++k) {
    std::int64_t const channel = k / shape[2] % shape[1];
    expected[k] = expected[k] * weights[channel] + biases[channel];
  }
  doubles const scale = reference::elementwise([](double r) { return std::fabs(r) + 8; }, expected);
  check_close(tn::dtype::f32, result_of(norm(x.view(), w.view(), b.view())), expected,
              {.arithmetic = roundoffs, .scale = &scale}, "layer norm " + what);
  check_close(tn::dtype::f32, result_of(soft(x.view())), reference::softmax(values, 0b010),
              {.arithmetic = roundoffs}, "softmax " + what);
}

template <class T> void check_shapes() {
  for (extents_of_rank<3> const& shape : {extents_of_rank<3>{1, 1, 1},
                                          {3, 1, 13},
                                          {2, 33, 7},
                                          {1, 770, 49},
                                          {2, 384, 196},
                                          {3, 96, 64},
                                          {2, 96, 1023},
                                          {5, 19, 256},
                                          {1, 3000, 8},
                                          {1, 9, 4097}})
    for (arrangement how : arrangements) check<T>(shape, how);
}
TEST(kept_columns, of_float) { check_shapes<float>(); }
TEST(kept_columns, of_bfloat16) { check_shapes<tn::bfloat16>(); }
TEST(kept_columns, of_half) { check_shapes<tn::half>(); }

// Stored in the type of the images, one by itself and beside others.
template <class T> void check_images() {
  auto const soft = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  for (std::int64_t images : {1, 9})
    for (std::int64_t positions : {49, 64}) {
      auto x = random_array<T, 3>({images, 100, positions});
      check_close(tn::dtype_of<T>, result_of(soft(x.view())), reference::softmax(x.values(), 0b010),
                  {.arithmetic = 16 + sum_roundoffs(100)},
                  std::to_string(images) + " x 100 x " + std::to_string(positions));
    }
}
TEST(kept_columns, of_one_image_and_of_many) {
  check_images<float>(), check_images<tn::bfloat16>();
}

}  // namespace
