// SPDX-License-Identifier: Apache-2.0
// Rotations between the halves of the last axis, of which a thread has a vector of either half:
// alone, of products, beside other operands, normalised, and in parts.
#include "run/support/arrays.hpp"
#include "run/support/rotation.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/rope.hpp"

namespace {

using reference::doubles;

// Of vectors of four and eight elements, of halves of no whole number of them, and of more than one
// warp's.
constexpr std::int64_t sizes[] = {2, 8, 16, 24, 48, 64, 256, 272};
constexpr std::int64_t steps = 3;

template <class T> struct halves : testing::Test {};
using element_types = testing::Types<float, tn::half, tn::bfloat16>;
TYPED_TEST_SUITE(halves, element_types);

doubles product(doubles x, doubles const& weights) {
  for (std::int64_t at = 0; at < x.size(); ++at) x[at] *= weights[at % weights.size()];
  return x;
}
void add(rotation& to, doubles const& y) {
  for (std::int64_t at = 0; at < y.size(); ++at)
    to.value[at] += y[at], to.scale[at] += std::abs(y[at]);
}

TYPED_TEST(halves, are_exchanged_of_any_layout) {
  using T = TypeParam;
  auto const f = tn::compile([](auto x, auto c, auto s) { return tn::rope(x, c, s); });
  for (std::int64_t size : sizes)
    for (arrangement how : writable_arrangements) {
      auto x = random_array<T, 3>({2, steps, size}, how),
           result = array<T, 3>({2, steps, size}, how);
      auto c = random_array<T, 2>({steps, size / 2}), s = random_array<T, 2>({steps, size / 2});
      f.into(result.view())(x.view(), c.view(), s.view());
      expect_close<T>(result.result(), {x.values(), c.values(), s.values()});
      ASSERT_FALSE(this->HasFailure()) << size << " " << to_string(how);
    }
}

TYPED_TEST(halves, of_products_and_beside_others) {
  using T = TypeParam;
  auto const weighted =
      tn::compile([](auto x, auto w, auto c, auto s) { return tn::rope(x * w, c, s); });
  auto const added =
      tn::compile([](auto y, auto x, auto c, auto s) { return y + tn::rope(x, c, s); });
  for (std::int64_t size : sizes) {
    auto x = random_array<T, 2>({5, size}), y = random_array<T, 2>({5, size});
    auto w = random_array<T, 1>({size});
    auto c = random_array<T, 2>({5, size / 2}), s = random_array<T, 2>({5, size / 2});
    expect_close<T>(result_of(weighted(x.view(), w.view(), c.view(), s.view())),
                    {product(x.values(), w.values()), c.values(), s.values()});
    // The first call's operands are one array, those of others of its plan are not, and the other
    // way round.
    for (bool begins : {size != 64, size == 64}) {
      rotation expected(x.values(), c.values(), s.values());
      add(expected, begins ? x.values() : y.values());
      auto first = begins ? x.view() : y.view();
      expect_close<T>(result_of(added(first, x.view(), c.view(), s.view())), expected);
    }
    ASSERT_FALSE(this->HasFailure()) << size;
  }
}

// The halved axis is not the one along which vectors lie.
TYPED_TEST(halves, lie_apart) {
  using T = TypeParam;
  auto const f = tn::compile([](auto x, auto c, auto s) { return tn::rope(x, c, s); });
  for (std::int64_t size : {2, 6, 32}) {
    auto const across = arrangement::transposed;
    auto x = random_array<T, 2>({16, size}, across), result = array<T, 2>({16, size}, across);
    auto c = random_array<T, 2>({16, size / 2}, across),
         s = random_array<T, 2>({16, size / 2}, across);
    f.into(result.view())(x.view(), c.view(), s.view());
    expect_close<T>(result.result(), {x.values(), c.values(), s.values()});
    ASSERT_FALSE(this->HasFailure()) << size;
  }
}

// As a report of the call says; the other backend has one way for all elements.
TYPED_TEST(halves, are_in_one_thread) {
#if defined(__CUDACC__)
  using T = TypeParam;
  auto const turned = tn::compile([](auto x, auto c, auto s) { return tn::rope(x, c, s); });
  auto const normal =
      tn::compile([](auto x, auto c, auto s) { return tn::rope(tn::rms_norm(x), c, s); });
  auto const is_halved = [](auto const& f, std::int64_t size) {
    auto x = random_array<T, 2>({5, size});
    auto c = random_array<T, 1>({size / 2}), s = random_array<T, 1>({size / 2});
    std::string const schedule = tn::explain(f, x.view(), c.view(), s.view()).schedule;
    return schedule.find("vectors of either half") != std::string::npos;
  };
  for (std::int64_t size : {16, 48, 256, 272}) EXPECT_TRUE(is_halved(turned, size)) << size;
  for (std::int64_t size : {16, 64, 256}) EXPECT_TRUE(is_halved(normal, size)) << size;
  for (std::int64_t size : {2, 6}) EXPECT_FALSE(is_halved(turned, size)) << size;
  EXPECT_FALSE(is_halved(normal, 512));
#endif
}

// Where an element is stored, and what it is, follow from another number in the second half.
TYPED_TEST(halves, are_stored_in_parts_and_know_their_positions) {
  using T = TypeParam;
  auto const f = tn::compile([](auto x, auto c, auto s) {
    auto turned = tn::rope(x, c, s);
    auto masked = tn::where(tn::iota(x, tn::axis<-1>) < 48, turned, x);
    auto [first, second, third] = tn::split(masked, tn::axis<-1>, tn::lengths<16, 24, 24>);
    return tn::outputs(first, second, third);
  });
  for (arrangement how : {arrangement::contiguous, arrangement::padded, arrangement::misaligned}) {
    auto x = random_array<T, 2>({7, 64}, how);
    auto c = random_array<T, 1>({32}), s = random_array<T, 1>({32});
    array<T, 2> parts[] = {array<T, 2>({7, 16}, how), array<T, 2>({7, 24}, how),
                           array<T, 2>({7, 24}, how)};
    f.into(parts[0].view(), parts[1].view(), parts[2].view())(x.view(), c.view(), s.view());
    doubles const a = x.values(),
                  found[] = {parts[0].result(), parts[1].result(), parts[2].result()};
    rotation expected(a, c.values(), s.values());
    doubles whole(a.extents);
    for (std::int64_t row = 0; row < 7; ++row)
      for (std::int64_t i = 0; i < 64; ++i) {
        int const part = i < 16 ? 0 : i < 40 ? 1 : 2;
        std::int64_t const at = row * 64 + i,
                           begin = part == 0   ? 0
                                   : part == 1 ? 16
                                               : 40,
                           length = part == 0 ? 16 : 24;
        whole[at] = found[part][row * length + i - begin];
        if (i >= 48) expected.value[at] = a[at];
      }
    expect_close<T>(whole, expected);
    ASSERT_FALSE(this->HasFailure()) << to_string(how);
  }
}

// Rows divided by the root of their mean square, times the weights.
doubles normal_of(doubles const& x, doubles const& weights) {
  std::int64_t const size = weights.size();
  doubles result(x.extents);
  for (std::int64_t row = 0; row < x.size() / size; ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < size; ++i) sum += x[row * size + i] * x[row * size + i];
    double const by = 1 / std::sqrt(sum / static_cast<double>(size) + 1e-6);
    for (std::int64_t i = 0; i < size; ++i)
      result[row * size + i] = x[row * size + i] * by * weights[i];
  }
  return result;
}

TYPED_TEST(halves, of_normalised_rows) {
  using T = TypeParam;
  auto const f = tn::compile([](auto x, auto w, auto c, auto s) {
    auto normal = x * tn::rsqrt(tn::mean(x * x, tn::axis<-1>, tn::keepdim) + 1e-6f) * w;
    return tn::rope(normal, c, s);
  });
  for (std::int64_t size : {2, 8, 16, 24, 32, 64, 128, 256, 512})
    for (std::int64_t rows : {1, 37}) {
      auto x = random_array<T, 2>({rows, size});
      auto w = random_array<T, 1>({size});
      auto c = random_array<T, 1>({size / 2}), s = random_array<T, 1>({size / 2});
      expect_close<T>(result_of(f(x.view(), w.view(), c.view(), s.view())),
                      {normal_of(x.values(), w.values()), c.values(), s.values()});
      ASSERT_FALSE(this->HasFailure()) << rows << " x " << size;
    }
}

// Heads of queries and of keys, each with a weight, in two results of one launch.
template <class T> struct normalised {
  static constexpr int queries = 4, keys = 2;
  array<T, 4> q, k;
  array<float, 2> c, s;
  array<T, 1> wq, wk;
  array<T, 4> of_q, of_k;

  normalised(std::int64_t batch, std::int64_t size)
      : q(random_array<T, 4>({batch, steps, queries, size})),
        k(random_array<T, 4>({batch, steps, keys, size})),
        c(random_array<float, 2>({steps, size / 2})),
        s(random_array<float, 2>({steps, size / 2})),
        wq(random_array<T, 1>({size})),
        wk(random_array<T, 1>({size})),
        of_q(q.extents()),
        of_k(k.extents()) {}

  static void check(doubles const& result, doubles const& heads, doubles const& weights,
                    doubles const& cosines, doubles const& sines, std::int64_t count) {
    std::int64_t const size = weights.size();
    doubles c({heads.size() / size, size / 2}), s(c.extents);
    for (std::int64_t at = 0; at < c.size(); ++at) {
      std::int64_t const row = at / (size / 2) / count % steps;
      c[at] = cosines[row * (size / 2) + at % (size / 2)];
      s[at] = sines[row * (size / 2) + at % (size / 2)];
    }
    expect_close<T>(result, {normal_of(heads, weights), c, s});
  }
};

TYPED_TEST(halves, of_normalised_heads) {
  using T = TypeParam;
  auto const f = tn::compile([](auto q, auto k, auto c, auto s, auto wq, auto wk) {
    auto heads = tn::cast<float>(tn::concat(q, k, tn::axis<2>));
    auto mean = tn::mean(heads * heads, tn::axis<-1>, tn::keepdim);
    auto weight = tn::where(tn::iota(heads, tn::axis<2>) < 4, wq, wk);
    auto turned = tn::rope(heads * tn::rsqrt(mean + 1e-6f) * weight, tn::unsqueeze(c, tn::axis<1>),
                           tn::unsqueeze(s, tn::axis<1>));
    auto [of_q, of_k] = tn::split(tn::cast<T>(turned), tn::axis<2>, tn::lengths<4, 2>);
    return tn::outputs(of_q, of_k);
  });
  // With 256 elements the lanes of a row are a whole warp's.
  for (std::int64_t batch : {1, 3})
    for (std::int64_t size : {8, 16, 24, 32, 128, 256, 512}) {
      normalised<T> of(batch, size);
      f.into(of.of_q.view(), of.of_k.view())(of.q.view(), of.k.view(), of.c.view(), of.s.view(),
                                             of.wq.view(), of.wk.view());
      doubles const c = of.c.values(), s = of.s.values();
      of.check(of.of_q.result(), of.q.values(), of.wq.values(), c, s, 4);
      ASSERT_FALSE(this->HasFailure()) << batch << ", queries of " << size;
      of.check(of.of_k.result(), of.k.values(), of.wk.values(), c, s, 2);
      ASSERT_FALSE(this->HasFailure()) << batch << ", keys of " << size;
    }
}

// The sums do not depend on where a row begins, and so not on the kernel: of rows of one axis, of
// whole warps, and of two axes, of which the halved one has fewer threads than the row.
template <class F, class T, int Rank>
void expect_same_bits(F const& f, array<T, Rank> const& values, array<T, 1>& c, array<T, 1>& s) {
  std::vector<unsigned char> bits[2];
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
    array<T, Rank> x(values.extents(), how, values.values()), result(values.extents(), how);
    f.into(result.view())(x.view(), c.view(), s.view());
    bits[how == arrangement::misaligned] = result.bits();
  }
  EXPECT_EQ(bits[0], bits[1]) << values.extents()[Rank - 1];
}
// As in the other tests in two parts, which other kernels store than rows as a whole.
template <class F, class T, int Rank>
void expect_same_bits_of_parts(F const& f, array<T, Rank> const& values, array<T, 1>& c,
                               array<T, 1>& s) {
  std::vector<unsigned char> bits[2][2];
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
    auto extents = values.extents();
    array<T, Rank> x(extents, how, values.values());
    extents[0] = 2;
    array<T, Rank> first(extents, how);
    extents[0] = 3;
    array<T, Rank> second(extents, how);
    f.into(first.view(), second.view())(x.view(), c.view(), s.view());
    bool const is_moved = how == arrangement::misaligned;
    bits[is_moved][0] = first.bits(), bits[is_moved][1] = second.bits();
  }
  EXPECT_EQ(bits[0][0], bits[1][0]) << values.extents()[Rank - 1];
  EXPECT_EQ(bits[0][1], bits[1][1]) << values.extents()[Rank - 1];
}

TYPED_TEST(halves, of_rows_have_the_same_bits_wherever_they_begin) {
  using T = TypeParam;
  auto const products = tn::compile([](auto x, auto c, auto s) {
    return tn::rope(x * tn::rsqrt(tn::sum(x * x, tn::axis<-1>, tn::keepdim) + 1e-6f), c, s);
  });
  auto const squares = tn::compile(
      [](auto x, auto c, auto s) { return tn::rope(tn::rms_norm(x, tn::axis<-1>), c, s); });
  auto const largest = tn::compile([](auto x, auto c, auto s) {
    auto normal = tn::exp(x - tn::max(x, tn::axis<-1>, tn::keepdim));
    return tn::rope(normal / tn::sum(normal, tn::axis<-1>, tn::keepdim), c, s);
  });
  auto const parts = tn::compile([](auto x, auto c, auto s) {
    auto normal = x * tn::rsqrt(tn::sum(x * x, tn::axis<-1>, tn::keepdim) + 1e-6f);
    auto [first, second] = tn::split(tn::rope(normal, c, s), tn::axis<0>, tn::lengths<2, 3>);
    return tn::outputs(first, second);
  });
  auto const of_two_axes = tn::compile([](auto x, auto c, auto s) {
    auto normal = x * tn::rsqrt(tn::sum(x * x, tn::axis<1, 2>, tn::keepdim) + 1e-6f);
    auto [first, second] = tn::split(tn::rope(normal, c, s), tn::axis<0>, tn::lengths<2, 3>);
    return tn::outputs(first, second);
  });
  for (std::int64_t size : {8, 16, 32, 64, 128, 256}) {
    auto x = random_array<T, 2>({5, size});
    auto c = random_array<T, 1>({size / 2}), s = random_array<T, 1>({size / 2});
    expect_same_bits(products, x, c, s);
    expect_same_bits(squares, x, c, s);
    expect_same_bits(largest, x, c, s);
    expect_same_bits_of_parts(parts, x, c, s);
  }
  for (std::int64_t rows : {2, 4}) {
    auto x = random_array<T, 3>({5, rows, 32});
    auto c = random_array<T, 1>({16}), s = random_array<T, 1>({16});
    expect_same_bits_of_parts(of_two_axes, x, c, s);
  }
}

}  // namespace
