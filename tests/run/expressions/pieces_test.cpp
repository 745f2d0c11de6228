// SPDX-License-Identifier: Apache-2.0
// Results joined from equal pieces of what is computed: against plain loops, of any layout, along
// every axis, beside operands that are not in pieces, by shared tables, as gradients and in place.
#include "run/support/arrays.hpp"
#include "run/support/rotation.hpp"
#include "tenon/grad.hpp"
#include "tenon/nn/activation.hpp"

namespace {

using reference::doubles;

// result[.., k * length + j, ..] = value(k, ...) of pieces of i x j, along axis `axis` of two.
template <class Value>
std::vector<double> joined(std::int64_t count, std::int64_t rows, std::int64_t columns, int axis,
                           Value const& value) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < rows * (axis == 0 ? count : 1); ++i)
    for (std::int64_t j = 0; j < columns * (axis == 1 ? count : 1); ++j)
      result.push_back(axis == 0 ? value(i / rows, i % rows * columns + j)
                                 : value(j / columns, i * columns + j % columns));
  return result;
}

template <class T, int Axis> void check_axis() {
  static auto const two =
      tn::compile([](auto x, auto y) { return tn::concat(x + y, x - y, tn::axis<Axis>); });
  static auto const four = tn::compile(
      [](auto x, auto y) { return -tn::concat(x + y, y, tn::abs(x), y * 2, tn::axis<Axis>); });
  for (std::int64_t n : {0, 1, 2, 4, 7, 8, 16, 33, 64, 136})
    for (arrangement how : writable_arrangements) {
      auto x = random_array<T, 2>({5, n}, how, -4, 4), y = random_array<T, 2>({5, n}, how, -4, 4);
      auto const extents = [&](std::int64_t count) {
        return Axis == 0 ? std::array<std::int64_t, 2>{5 * count, n}
                         : std::array<std::int64_t, 2>{5, n * count};
      };
      array<T, 2> of_two(extents(2), how), of_four(extents(4), how);
      two.into(of_two.view())(x.view(), y.view());
      four.into(of_four.view())(x.view(), y.view());
      doubles const a = x.values(), b = y.values();
      auto const rounded = [](double v) { return as_double(from_double<T>(v)); };
      EXPECT_EQ(of_two.result().values,
                joined(2, 5, n, Axis,
                       [&](auto k, auto at) { return rounded(k ? a[at] - b[at] : a[at] + b[at]); }))
          << n << to_string(how);
      EXPECT_EQ(of_four.result().values,
                joined(4, 5, n, Axis,
                       [&](auto k, auto at) {
                         double const all[] = {a[at] + b[at], b[at], std::abs(a[at]), b[at] * 2};
                         return rounded(-all[k]);
                       }))
          << n << to_string(how);
    }
}

TEST(pieces, along_every_axis) {
  check_axis<std::int32_t, 0>();
  check_axis<std::int32_t, 1>();
}
TEST(pieces, of_half_types) {
  check_axis<tn::bfloat16, 0>();
  check_axis<tn::bfloat16, 1>();
}

// Heads at one position share a row of each table, which is read once for several of them: along
// either axis that the tables do not have. The bits do not depend on how anything lies.
template <class T, class Table, bool AreInnermost> void check_heads() {
  static auto const f = tn::compile([](auto x, auto cosines, auto sines) {
    auto const of_heads = [](auto table) {
      if constexpr (AreInnermost)
        return tn::unsqueeze(table, tn::axis<1>);
      else
        return table;
    };
    auto c = of_heads(cosines), s = of_heads(sines);
    auto a = tn::slice(x, tn::axis<3>, tn::range<0, 16>),
         b = tn::slice(x, tn::axis<3>, tn::range<16, 32>);
    return tn::cast<T>(tn::concat(a * c - b * s, b * c + a * s, tn::axis<3>));
  });
  std::int64_t const steps = 12, size = 32;
  for (std::int64_t heads : {1, 2, 3, 8, 40}) {
    std::array<std::int64_t, 4> const extents =
        AreInnermost ? std::array{std::int64_t{2}, steps, heads, size}
                     : std::array{std::int64_t{2}, heads, steps, size};
    doubles const values = random_doubles<T>({extents.begin(), extents.end()});
    auto c = random_array<Table, 2>({steps, size / 2}),
         s = random_array<Table, 2>({steps, size / 2});
    std::vector<unsigned char> bits;
    for (arrangement how : writable_arrangements) {
      array<T, 4> x(extents, how, values), result(extents, how);
      f.into(result.view())(x.view(), c.view(), s.view());
      if (bits.empty()) bits = result.bits();
      EXPECT_EQ(result.bits(), bits) << heads << to_string(how);
      (void)result.result();
    }
    // As rows with a row of each table.
    std::int64_t const rows = 2 * steps * heads, half = size / 2;
    array<T, 4> x(extents, arrangement::contiguous, values), result(extents);
    doubles turned(reference::shape{rows, size}), found = turned,
                                                  all_c(reference::shape{rows, half});
    doubles all_s = all_c;
    doubles const of_c = c.values(), of_s = s.values();
    turned.values = x.values().values;
    for (std::int64_t at = 0; at < rows * half; ++at) {
      std::int64_t const row = at / half, step = AreInnermost ? row / heads % steps : row % steps;
      all_c[at] = of_c[step * half + at % half], all_s[at] = of_s[step * half + at % half];
    }
    f.into(result.view())(x.view(), c.view(), s.view());
    found.values = result.result().values;
    expect_close<T>(found, {turned, all_c, all_s}, std::to_string(heads));
  }
}
TEST(pieces, share_what_is_repeated) {
  check_heads<float, float, true>();
  check_heads<float, float, false>();
  check_heads<tn::bfloat16, float, true>();
  check_heads<tn::half, tn::half, false>();
}

template <int Size, class T> auto with_size(dyn_view<T, 2> const& x) {
  return tn::view<T, tn::dyn, Size>(x);
}

// Beside operands of all pieces, the other way of writing a rotation.
template <class T, int Size> void check_turned_beside() {
  static auto const f = tn::compile([](auto x, auto c, auto s) {
    auto a = tn::slice(x, tn::axis<1>, tn::range<0, Size / 2>),
         b = tn::slice(x, tn::axis<1>, tn::range<Size / 2, tn::end>);
    return x * c + tn::concat(-b, a, tn::axis<1>) * s;
  });
  std::int64_t const rows = 7, half = Size / 2;
  for (arrangement how : writable_arrangements) {
    auto x = random_array<T, 2>({rows, Size}, how), result = array<T, 2>({rows, Size}, how);
    auto c = random_array<T, 2>({rows, half}), s = random_array<T, 2>({rows, half});
    doubles const of_c = c.values(), of_s = s.values();
    doubles both_c(reference::shape{rows, Size}), both_s = both_c;
    for (std::int64_t at = 0; at < rows * Size; ++at) {
      std::int64_t const from = at / Size * half + at % half;
      both_c[at] = of_c[from], both_s[at] = of_s[from];
    }
    array<T, 2> all_c({rows, Size}, how, both_c), all_s({rows, Size}, how, both_s);
    f.into(with_size<Size, T>(result.view()))(with_size<Size, T>(x.view()),
                                              with_size<Size, T>(all_c.view()),
                                              with_size<Size, T>(all_s.view()));
    expect_close<T>(result.result(), {x.values(), of_c, of_s}, to_string(how));
  }
}
TEST(pieces, beside_operands_that_are_whole) {
  check_turned_beside<float, 64>();
  check_turned_beside<tn::bfloat16, 64>();
  check_turned_beside<tn::bfloat16, 22>();
  check_turned_beside<double, 16>();
}

// The gradient of a product of halves.
TEST(pieces, of_gradients_of_slices) {
  auto const f = tn::compile([](auto x, auto d) {
    return tn::vjp([](auto x) {
      auto a = tn::slice(x, tn::axis<1>, tn::range<0, 24>),
           b = tn::slice(x, tn::axis<1>, tn::range<24, 48>);
      return tn::silu(a) * b;
    })(x, d);
  });
  for (arrangement how : writable_arrangements) {
    auto x = random_array<float, 2>({9, 48}, how), result = array<float, 2>({9, 48}, how);
    auto d = random_array<float, 2>({9, 24}, how);
    f.into(with_size<48, float>(result.view()))(with_size<48, float>(x.view()),
                                                with_size<24, float>(d.view()));
    doubles const of_x = x.values(), of_d = d.values();
    doubles expected(reference::shape{9, 48}), scale = expected;
    for (std::int64_t at = 0; at < 9 * 24; ++at) {
      std::int64_t const first = at / 24 * 48 + at % 24, second = first + 24;
      double const a = of_x[first], b = of_x[second], gate = 1 / (1 + std::exp(-a));
      expected[first] = of_d[at] * b * gate * (1 + a * (1 - gate));
      expected[second] = of_d[at] * a * gate;
      scale[first] = std::abs(of_d[at] * b) * gate * (1 + std::abs(a));
      scale[second] = std::abs(expected[second]);
    }
    check_close(tn::dtype::f32, result.result(), expected, {.arithmetic = 32, .scale = &scale},
                to_string(how));
  }
}

// A result may lie where an operand of all pieces does.
TEST(pieces, in_place) {
  auto const f =
      tn::compile([](auto x, auto y) { return x + tn::concat(y + 1, y * 2, -y, tn::axis<1>); });
  for (arrangement how : writable_arrangements) {
    auto x = random_array<std::int32_t, 2>({6, 24}, how, -9, 9);
    auto y = random_array<std::int32_t, 2>({6, 8}, how, -9, 9);
    doubles const a = x.values(), b = y.values();
    auto const view = with_size<24, std::int32_t>(x.view());
    f.into(view)(view, with_size<8, std::int32_t>(y.view()));
    doubles const found = x.result();
    for (std::int64_t at = 0; at < 6 * 24; ++at) {
      double const of_y = b[at / 24 * 8 + at % 8];
      double const all[] = {of_y + 1, of_y * 2, -of_y};
      ASSERT_EQ(found[at], a[at] + all[at % 24 / 8]) << at << to_string(how);
    }
  }
}

// As a report of the call says.
TEST(pieces, are_stored_by_themselves) {
  auto const f = tn::compile([](auto x, auto y) { return tn::concat(x + y, x - y, tn::axis<1>); });
  auto x = random_array<float, 2>({5, 16}), y = random_array<float, 2>({5, 16});
  std::string const all = tn::explain(f, x.view(), y.view()).schedule;
  EXPECT_NE(all.find("piece by piece along axis 1"), std::string::npos) << all;
#if defined(__CUDACC__)
  auto z = random_array<float, 1>({16});
  std::string const shared = tn::explain(f, x.view(), z.view()).schedule;
  EXPECT_NE(shared.find("several of a thread"), std::string::npos) << shared;
#endif
}

// A product that is one of the pieces is rounded before anything is added to it.
#if defined(__CUDACC__)
TEST(pieces, round_products_first) {
  auto const f =
      tn::compile([](auto x, auto y, auto z) { return tn::concat(x * y, y * y, tn::axis<1>) + z; });
  auto x = random_array<float, 2>({64, 32}), y = random_array<float, 2>({64, 32});
  auto z = random_array<float, 2>({64, 1});
  doubles const a = x.values(), b = y.values(), c = z.values(),
                found = result_of(f(x.view(), y.view(), tn::view<float, tn::dyn, 1>(z.view())));
  for (std::int64_t at = 0; at < found.size(); ++at) {
    std::int64_t const row = at / 64, from = row * 32 + at % 32;
    auto const product = static_cast<float>((at % 64 < 32 ? a : b)[from] * b[from]);
    ASSERT_EQ(found[at], static_cast<float>(static_cast<double>(product) + c[row])) << at;
  }
}
#endif

}  // namespace
