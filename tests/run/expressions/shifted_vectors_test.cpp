// SPDX-License-Identifier: Apache-2.0
// Operands that are shifted along their rows by less than a vector, or across them, in rows of
// many vectors, of which few are not whole.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;

std::int64_t around(std::int64_t k, std::int64_t n) { return (k % n + n) % n; }

// Element (p, r, c) of planes of rows, or what stands for those that there are not.
struct planes {
  doubles const& all;
  std::int64_t at(std::int64_t p, std::int64_t r, std::int64_t c) const {
    return (p * all.extents[1] + r) * all.extents[2] + c;
  }
  double rolled(std::int64_t p, std::int64_t r, std::int64_t c) const {
    return all[at(p, around(r, all.extents[1]), around(c, all.extents[2]))];
  }
  double padded(std::int64_t p, std::int64_t r, std::int64_t c, double otherwise) const {
    bool const is_inside = r >= 0 && r < all.extents[1] && c >= 0 && c < all.extents[2];
    return is_inside ? all[at(p, r, c)] : otherwise;
  }
};
template <class T, class F, class Element>
void check(F const& f, extents_of_rank<3> const& extents, arrangement how, Element const& element) {
  auto x = whole_numbers<T, 3>(extents, how);
  array<T, 3> result(extents);
  f.into(result.view())(x.view());
  doubles const a = x.values(), found = result.result();
  doubles expected = found;
  planes const of{a};
  for (std::int64_t p = 0; p < extents[0]; ++p)
    for (std::int64_t r = 0; r < extents[1]; ++r)
      for (std::int64_t c = 0; c < extents[2]; ++c) expected[of.at(p, r, c)] = element(of, p, r, c);
  ASSERT_EQ(found.values, expected.values)
      << extents[0] << " planes of " << extents[1] << " x " << extents[2] << ", " << to_string(how);
}
// Rows of vectors in strips of some width, or none; of one vector too few, or one element.
constexpr extents_of_rank<3> shapes[] = {{1, 5, 1024}, {3, 4, 512}, {2, 1, 1032},
                                         {1, 9, 264},  {1, 3, 520}, {2, 3, 513}};

// HasAll: what is tried of few dtypes, too.
template <class T, bool HasAll> void check_all() {
  static auto const around_rows = tn::compile([](auto x) {
    return tn::roll(x, tn::axis<2>, tn::ct<1>) + tn::roll(x, tn::axis<2>, tn::ct<-3>) * 2;
  });
  static auto const neighbours = tn::compile([](auto x) {
    return tn::roll(x, tn::axis<1>, tn::ct<1>) + tn::roll(x, tn::axis<1>, tn::ct<-1>) +
           tn::roll(x, tn::axis<2>, tn::ct<1>) + tn::roll(x, tn::axis<2>, tn::ct<-1>) - 4 * x;
  });
  static auto const before = tn::compile([](auto x) {
    auto const earlier = tn::slice(x, tn::axis<2>, tn::range<0, -5>);
    return x * 2 - tn::pad(earlier, tn::axis<2>, tn::widths<5, 0>, 7);
  });
  static auto const bordered = tn::compile([](auto x) {
    auto p = tn::pad(tn::pad(x, tn::axis<1>, tn::widths<1, 2>, 3), tn::axis<2>, tn::widths<2, 6>);
    return x +
           tn::slice(tn::slice(p, tn::axis<1>, tn::range<0, -3>), tn::axis<2>, tn::range<3, -5>) +
           tn::slice(tn::slice(p, tn::axis<1>, tn::range<3, tn::end>), tn::axis<2>,
                     tn::range<8, tn::end>);
  });
  static auto const above = tn::compile([](auto x) {
    auto p = tn::pad(x, tn::axis<1>, tn::widths<2, 0>, 1);
    return tn::slice(p, tn::axis<1>, tn::range<0, -2>) +
           tn::slice(p, tn::axis<1>, tn::range<1, -1>) * 2 + x;
  });
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                          arrangement::repeated, arrangement::transposed})
    for (auto const& extents : shapes) {
      check<T>(neighbours, extents, how, [](planes const& x, auto p, auto r, auto c) {
        return x.rolled(p, r - 1, c) + x.rolled(p, r + 1, c) + x.rolled(p, r, c - 1) +
               x.rolled(p, r, c + 1) - 4 * x.rolled(p, r, c);
      });
      if constexpr (HasAll) {
        check<T>(around_rows, extents, how, [](planes const& x, auto p, auto r, auto c) {
          return x.rolled(p, r, c - 1) + x.rolled(p, r, c + 3) * 2;
        });
        check<T>(before, extents, how, [](planes const& x, auto p, auto r, auto c) {
          return x.rolled(p, r, c) * 2 - x.padded(p, r, c - 5, 7);
        });
        check<T>(bordered, extents, how, [](planes const& x, auto p, auto r, auto c) {
          auto const at = [&](auto row, auto column) {
            if (column < 0 || column >= x.all.extents[2]) return 0.0;
            return x.padded(p, row, column, 3);
          };
          return x.rolled(p, r, c) + at(r - 1, c + 1) + at(r + 2, c + 6);
        });
        check<T>(above, extents, how, [](planes const& x, auto p, auto r, auto c) {
          return x.padded(p, r - 2, c, 1) + x.padded(p, r - 1, c, 1) * 2 + x.rolled(p, r, c);
        });
      }
    }
}
TEST(shifted_vectors, of_float) { check_all<float, true>(); }
TEST(shifted_vectors, of_bfloat16) { check_all<bf16, true>(); }
TEST(shifted_vectors, of_double) { check_all<double, false>(); }
TEST(shifted_vectors, of_bytes) { check_all<std::int8_t, false>(); }

// One axis, by shifts of the call; a wide one beside narrow ones.
TEST(shifted_vectors, of_one_axis_by_numbers_of_the_call) {
  auto const f = tn::compile([](auto x, auto y, auto by) {
    return tn::cast<float>(tn::roll(x, tn::axis<0>, tn::ct<3>)) +
           tn::roll(y, tn::axis<0>, tn::ct<-2>) * 2.0f +
           tn::cast<float>(tn::roll(x, tn::axis<0>, by));
  });
  auto const g = tn::compile([](auto x, auto y) {
    return tn::cast<float>(tn::roll(x, tn::axis<0>, tn::ct<3>)) +
           tn::roll(y, tn::axis<0>, tn::ct<-2>) * 2.0f;
  });
  for (std::int64_t n : {2048, 1152, 1028, 77})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto x = whole_numbers<tn::half, 1>({n}, how);
      auto y = whole_numbers<float, 1>({n}, how);
      doubles const a = x.values(), b = y.values(), sums = result_of(f(x.view(), y.view(), 5)),
                    pairs = result_of(g(x.view(), y.view()));
      doubles expected = sums, of_two = sums;
      for (std::int64_t i = 0; i < n; ++i) {
        of_two[i] = a[around(i - 3, n)] + 2 * b[around(i + 2, n)];
        expected[i] = of_two[i] + a[around(i - 5, n)];
      }
      EXPECT_EQ(sums.values, expected.values) << n;
      EXPECT_EQ(pairs.values, of_two.values) << n;
    }
}

// What stands for elements that there are not is rounded where the operand's dtype has no such
// number.
TEST(shifted_vectors, fillings_that_are_no_bfloat16) {
  auto const f = tn::compile([](auto x) {
    auto const earlier = tn::slice(x, tn::axis<0>, tn::range<0, -1>);
    return tn::cast<float>(tn::pad(earlier, tn::axis<0>, tn::widths<1, 0>, 0.1f)) * 3.0f;
  });
  for (arrangement how : {arrangement::contiguous, arrangement::stepped}) {
    auto x = whole_numbers<bf16, 2>({4, 64}, how);
    doubles const found = result_of(f(x.view())), a = x.values();
    doubles expected = found;
    for (std::int64_t i = 0; i < found.size(); ++i) expected[i] = i < 64 ? found[0] : 3 * a[i - 64];
    EXPECT_EQ(found.values, expected.values);
    EXPECT_NEAR(found[0], 0.3, 0.002);
  }
}

}  // namespace
