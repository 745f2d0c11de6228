// SPDX-License-Identifier: Apache-2.0
// Short calls of rows of few elements, which lanes move by themselves: the bits that aligned rows,
// padded ones and those of long calls have, values of rows, and what all rows share.
#include "run/support/arrays.hpp"

namespace {

constexpr std::int64_t few = 37;
// As many rows as no short call has, of which the first few are compared.
constexpr std::int64_t more(std::int64_t columns) {
  return std::max<std::int64_t>(16411, (1 << 20) / columns + 411);
}

template <class T> void check_bits() {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto const g =
      tn::compile([](auto x, auto w, auto b) { return tn::layer_norm(x, w, b, tn::axis<1>); });
  for (std::int64_t columns : {2,  4,  5,  8,  9,   12,  15,  16,  17,  31,  32,  33,  36,
                               40, 63, 64, 65, 100, 101, 127, 128, 129, 160, 253, 255, 256}) {
    auto const run = [&](array<T, 2>& x, array<T, 1>& w, array<T, 1>& b, arrangement how) {
      array<T, 2> soft(x.extents(), how), norm(x.extents(), how);
      f.into(soft.view())(x.view());
      g.into(norm.view())(x.view(), w.view(), b.view());
      return std::pair(soft.result().values, norm.result().values);
    };
    auto const of_all = [&](std::int64_t rows, reference::doubles const& from) {
      reference::doubles result = from;
      result.values.resize(static_cast<std::size_t>(rows * columns));
      return reference::doubles({rows, columns}, result.values);
    };
    auto w = random_array<T, 1>({columns}), b = random_array<T, 1>({columns});
    array<T, 1> further_w({columns}, arrangement::misaligned, w.values()),
        further_b({columns}, arrangement::misaligned, b.values());
    auto x = random_array<T, 2>({more(columns), columns}, arrangement::misaligned);
    reference::doubles const values = x.values();
    auto all = run(x, w, b, arrangement::misaligned);
    all.first.resize(static_cast<std::size_t>(few * columns));
    all.second.resize(all.first.size());
    for (auto how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
      array<T, 2> some({few, columns}, how, of_all(few, values));
      ASSERT_EQ(run(some, w, b, how), all) << few << " x " << columns << ", " << to_string(how);
      ASSERT_EQ(run(some, further_w, further_b, arrangement::misaligned), all)
          << few << " x " << columns << ", " << to_string(how) << " to misaligned";
    }
    array<T, 2> one({1, columns}, arrangement::misaligned, of_all(1, values));
    all.first.resize(static_cast<std::size_t>(columns)), all.second.resize(all.first.size());
    ASSERT_EQ(run(one, w, b, arrangement::misaligned), all) << "1 x " << columns;
  }
}
TEST(lone_rows, have_the_same_bits_of_float) { check_bits<float>(); }
TEST(lone_rows, have_the_same_bits_of_bfloat16) { check_bits<tn::bfloat16>(); }

}  // namespace
