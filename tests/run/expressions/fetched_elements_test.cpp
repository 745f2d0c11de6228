// SPDX-License-Identifier: Apache-2.0
// Elements that are fetched at indices along rows: from pieces of rows that are brought to shared
// memory as a whole, where these are whole vectors, else from where they are, with the same values.

// What is outside is missing, rather than the end of the program, on a device.
#define TENON_CHECK_INDICES 0

#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// One index, indices for a part of a warp, for several and for several blocks; of rows that are few
// vectors, many, more than shared memory has, and no whole ones.
constexpr std::int64_t counts[] = {1, 8, 30, 256, 3300}, lengths[] = {1, 8, 100, 256, 13000};

template <class I, int Rank>
array<I, Rank> random_indices(extents_of_rank<Rank> const& shape, std::int64_t length,
                              arrangement how = arrangement::contiguous) {
  double const beyond =
      static_cast<double>(std::min<std::int64_t>(length, std::numeric_limits<I>::max()));
  return random_array<I, Rank>(shape, how, std::is_signed_v<I> ? -beyond : 0, beyond);
}
std::int64_t wrapped(double index, std::int64_t length) {
  return static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(length) : index);
}

// Of each row its own elements, and of all rows the same columns.
template <class T, class I> void check(arrangement how = arrangement::contiguous) {
  static auto const own =
      tn::compile([](auto x, auto i) { return tn::take_along_axis(x, i, tn::axis<1>); });
  static auto const same = tn::compile([](auto x, auto i) { return tn::take(x, i, tn::axis<-1>); });
  for (std::int64_t n : counts)
    for (std::int64_t length : lengths) {
      auto x = random_array<T, 2>({5, length}, how);
      auto each = random_indices<I, 2>({5, n}, length);
      auto columns = random_indices<I, 1>({n}, length);
      doubles const all = x.values(), at = each.values(), common = columns.values();
      doubles of_own({5, n}), of_same({5, n});
      for (std::int64_t k = 0; k < 5 * n; ++k) {
        of_own[k] = all[k / n * length + wrapped(at[k], length)];
        of_same[k] = all[k / n * length + wrapped(common[k % n], length)];
      }
      array<T, 2> out({5, n});
      expect_one_launch([&](tn::stream on) { own.on(on).into(out.view())(x.view(), each.view()); });
      EXPECT_EQ(out.result().values, of_own.values) << n << " of " << length;
      same.into(out.view())(x.view(), columns.view());
      EXPECT_EQ(out.result().values, of_same.values) << n << " of " << length;
    }
}
TEST(fetched_elements, f32_by_i64) { check<float, std::int64_t>(); }
TEST(fetched_elements, bf16_by_i64) { check<tn::bfloat16, std::int64_t>(); }
TEST(fetched_elements, bytes_by_i32) { check<std::uint8_t, int>(); }
TEST(fetched_elements, f64_by_u8) { check<double, std::uint8_t>(); }
TEST(fetched_elements, rows_anywhere) {
  for (arrangement how : {arrangement::misaligned, arrangement::transposed, arrangement::reversed,
                          arrangement::padded, arrangement::repeated})
    check<float, int>(how);
}

// Elements of several operands, whose pieces lie behind one another, beside what is not fetched,
// and of one operand at two indices.
TEST(fetched_elements, several_pieces) {
  auto const f = tn::compile([](auto x, auto y, auto i, auto j, auto z) {
    auto const of_rows = [&](auto v, auto k) { return tn::take_along_axis(v, k, tn::axis<2>); };
    return of_rows(x, i) * z + tn::cast<float>(of_rows(y, i)) - of_rows(x, j);
  });
  constexpr std::int64_t batches = 3, rows = 4, n = 520, length = 64, other = 96;
  auto x = random_array<float, 3>({batches, rows, length});
  auto y = random_array<tn::half, 3>({batches, rows, other});
  auto i = random_indices<int, 3>({batches, rows, n}, length);
  auto j = random_indices<std::int64_t, 3>({batches, rows, n}, length);
  auto z = random_array<float, 3>({batches, rows, n});
  doubles const a = x.values(), b = y.values(), at = i.values(), then = j.values(), c = z.values(),
                result = result_of(f(x.view(), y.view(), i.view(), j.view(), z.view()));
  if (!std::is_same_v<tn::default_space, tn::cpu>) {
    std::string const schedule =
        tn::explain(f, x.view(), y.view(), i.view(), j.view(), z.view()).schedule;
    EXPECT_NE(schedule.find("is in shared memory"), std::string::npos) << schedule;
  }
  for (std::int64_t k = 0; k < result.size(); ++k) {
    std::int64_t const row = k / n;
    double const product = a[row * length + wrapped(at[k], length)] * c[k],
                 of_y = b[row * other + wrapped(at[k], other)],
                 of_x = a[row * length + wrapped(then[k], length)];
    ASSERT_NEAR(result[k], product + of_y - of_x,
                (std::abs(product) + std::abs(of_y) + std::abs(of_x)) * 3e-7);
  }
}

// An index that is chosen element by element.
TEST(fetched_elements, indices_that_are_computed) {
  auto const f = tn::compile([](auto x, auto i, auto y) {
    return tn::take_along_axis(x, tn::where(y > 0, i, -1), tn::axis<1>);
  });
  constexpr std::int64_t rows = 3, n = 300, length = 256;
  auto x = random_array<float, 2>({rows, length});
  auto i = random_indices<std::int64_t, 2>({rows, n}, length);
  auto y = random_array<float, 2>({rows, n});
  doubles const a = x.values(), at = i.values(), c = y.values(),
                result = result_of(f(x.view(), i.view(), y.view()));
  for (std::int64_t k = 0; k < result.size(); ++k)
    ASSERT_EQ(result[k], a[k / n * length + wrapped(c[k] > 0 ? at[k] : -1, length)]);
}

// On a device what is outside is NaN, and no index is taken for another one.
TEST(fetched_elements, what_is_outside_is_missing) {
  if (std::is_same_v<tn::default_space, tn::cpu>) GTEST_SKIP() << "the CPU backend throws";
  auto const f = tn::compile([](auto x, auto i) { return tn::take_along_axis(x, i, tn::axis<1>); });
  constexpr std::int64_t rows = 2, n = 272, length = 128;
  std::int64_t const far[] = {
      length,           -length - 1,        1ll << 32,
      (1ll << 32) + 1,  -(1ll << 32) - 1,   1ll << 62,
      (1ll << 62) + 64, -(1ll << 62) - 128, std::numeric_limits<std::int64_t>::min()};
  std::vector<std::int64_t> at;
  for (std::int64_t k = 0; k < rows * n; ++k)
    at.push_back(k % 3 == 0 ? far[k / 3 % std::size(far)] : k * 7 % (2 * length) - length);
  tn::tensor<std::int64_t, tn::dyn, tn::dyn> index(at, rows, n);
  auto x = random_array<float, 2>({rows, length});
  doubles const a = x.values(), result = result_of(f(x.view(), index));
  for (std::int64_t k = 0; k < result.size(); ++k) {
    std::int64_t const i = at[static_cast<std::size_t>(k)];
    if (i < -length || i >= length)
      ASSERT_TRUE(std::isnan(result[k])) << i;
    else
      ASSERT_EQ(result[k], a[k / n * length + (i < 0 ? i + length : i)]) << i;
  }
}

}  // namespace
