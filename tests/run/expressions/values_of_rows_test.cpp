// SPDX-License-Identifier: Apache-2.0
// Nothing is reduced, but an output lacks axes that another one has: it has a value for each row,
// or for each column, of what every row or column reads.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t lengths[] = {1,   2,   3,   4,    8,    31,   32,    33,    64,
                                    100, 128, 513, 1000, 1024, 4097, 16384, 33000, 200001};

// Whether the lower output varies along axis 0, so that the elements of a row are neighbours, or
// along axis 1.
template <class T, int Kept> void check_scaled() {
  auto const f = tn::compile([](auto x, auto s) {
    auto wide = tn::unsqueeze(s, tn::axis<1 - Kept>);
    return tn::outputs(x * wide, tn::exp(s));
  });
  for (std::int64_t length : lengths)
    for (std::int64_t count : {1, 5, 133, 2000})
      for (arrangement how :
           {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
        if (length * count > 1 << 18) continue;
        extents_of_rank<2> const shape =
            Kept == 0 ? extents_of_rank<2>{count, length} : extents_of_rank<2>{length, count};
        auto x = random_array<T, 2>(shape, how);
        auto s = random_array<float, 1>({count});
        array<float, 2> scaled(shape);
        array<float, 1> exponentials({count});
        f.into(scaled.view(), exponentials.view())(x.view(), s.view());
        std::string const what =
            std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + ", " + to_string(how);
        doubles const factors = s.values();
        doubles const wide(Kept == 0 ? reference::shape{count, 1} : reference::shape{1, count},
                           factors.values);
        check_close(
            tn::dtype::f32, scaled.result(),
            reference::elementwise([](double a, double b) { return a * b; }, x.values(), wide),
            {.arithmetic = 1}, "scaled, " + what);
        check_close(tn::dtype::f32, exponentials.result(),
                    reference::elementwise([](double v) { return std::exp(v); }, factors),
                    {.arithmetic = 4}, "exponentials, " + what);
      }
}
TEST(values_of_rows, of_f32) { check_scaled<float, 0>(); }
TEST(values_of_rows, of_bf16) { check_scaled<tn::bfloat16, 0>(); }
TEST(values_of_rows, of_columns_of_f32) { check_scaled<float, 1>(); }
TEST(values_of_rows, of_columns_of_bf16) { check_scaled<tn::bfloat16, 1>(); }

}  // namespace
