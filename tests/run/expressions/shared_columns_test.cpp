// SPDX-License-Identifier: Apache-2.0
// Reductions along an axis that is not the last one, of products with weights that all of the last
// axis share: given, masks, found from lengths, or a softmax of scores.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// Whole vectors and not, tiles that end with an axis and before it, few positions and several
// slices of many; so few elements that each row is by itself, and so many that not even one sum of
// each row is.
constexpr extents_of_rank<3> shapes[] = {{3, 37, 64},  {4, 70, 13},   {2, 5, 8},    {1, 40, 1},
                                         {0, 4, 8},    {2, 512, 200}, {1, 9000, 8}, {2, 3000, 33},
                                         {300, 9, 72}, {2, 300, 520}, {20, 700, 13}};
constexpr extents_of_rank<3> largest_shape = {8, 1030, 1024};

constexpr auto pooled = tn::compile([](auto scores, auto x) {
  auto const weights = tn::unsqueeze(tn::softmax(scores, tn::axis<1>), tn::axis<2>);
  return tn::sum(weights * tn::cast<float>(x), tn::axis<1>);
});
constexpr auto weighted_mean = tn::compile([](auto weights, auto x) {
  auto const w = tn::cast<float>(weights);
  auto const sum = tn::sum(tn::unsqueeze(w, tn::axis<2>) * tn::cast<float>(x), tn::axis<1>);
  return sum / tn::sum(w, tn::axis<1>, tn::keepdim);
});
// The first few positions, and the largest of them.
constexpr auto masked = tn::compile([](auto lengths, auto x) {
  auto const until = tn::unsqueeze(tn::unsqueeze(lengths, tn::axis<1>), tn::axis<2>);
  auto const is_inside = tn::iota(x, tn::axis<1>) < until;
  auto const values = tn::cast<float>(x);
  auto const sum = tn::sum(tn::where(is_inside, values, 0.0f), tn::axis<1>);
  return tn::outputs(sum / tn::unsqueeze(tn::cast<float>(lengths), tn::axis<1>),
                     tn::max(tn::where(is_inside, values, -9.0f), tn::axis<1>));
});
// What each element is, beside its weighted sum: no slices.
constexpr auto weighted_elements = tn::compile([](auto scores, auto x) {
  auto const weights = tn::unsqueeze(tn::softmax(scores, tn::axis<1>), tn::axis<2>);
  return weights * tn::cast<float>(x);
});
// A value over all rows.
constexpr auto in_total = tn::compile([](auto weights, auto x) {
  auto const w = tn::unsqueeze(tn::cast<float>(weights), tn::axis<2>);
  return tn::max(tn::sum(w * tn::cast<float>(x), tn::axis<1>));
});

struct sums {
  doubles values, sizes;
};
// The sums over the second axis of weights times elements, and of their magnitudes.
sums weighted_sums(extents_of_rank<3> const& e, doubles const& weights, doubles const& x) {
  sums result{doubles({e[0], e[2]}), doubles({e[0], e[2]})};
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t const at = i / (e[1] * e[2]) * e[2] + i % e[2];
    double const product = weights[i / e[2]] * x[i];
    result.values[at] += product, result.sizes[at] += std::fabs(product);
  }
  return result;
}
// Each divided by its batch's number.
doubles divided(doubles values, doubles const& by) {
  std::int64_t const channels = values.extents[1];
  for (std::int64_t i = 0; i < values.size(); ++i) values[i] /= by[i / channels];
  return values;
}

template <class T, class W> void check(extents_of_rank<3> const& e, arrangement how) {
  std::string const what = to_string(how) + ", " + std::to_string(e[0]) + " x " +
                           std::to_string(e[1]) + " x " + std::to_string(e[2]);
  auto x = random_array<T, 3>(e, how);
  auto scores = random_array<float, 2>({e[0], e[1]}, how);
  doubles const values = x.values(), of_scores = reference::softmax(scores.values(), 0b10);
  double const roundoffs = 16 + 2 * sum_roundoffs(e[1]);

  sums const pool = weighted_sums(e, of_scores, values);
  check_close(tn::dtype::f32, result_of(pooled(scores.view(), x.view())), pool.values,
              {.arithmetic = roundoffs, .scale = &pool.sizes}, "pooled, " + what);
  doubles elements = values;
  for (std::int64_t i = 0; i < elements.size(); ++i) elements[i] *= of_scores[i / e[2]];
  check_close(tn::dtype::f32, result_of(weighted_elements(scores.view(), x.view())), elements,
              {.arithmetic = roundoffs}, "elements, " + what);

  array<W, 2> weights({e[0], e[1]}, how, random_doubles<W>({e[0], e[1]}, 1, 3));
  doubles const of_weights = weights.values(),
                whole = reference::reduced(of_weights, 0b10, false, reference::sum);
  sums const all = weighted_sums(e, of_weights, values);
  doubles const sizes = divided(all.sizes, whole);
  check_close(tn::dtype::f32, result_of(weighted_mean(weights.view(), x.view())),
              divided(all.values, whole), {.arithmetic = roundoffs, .scale = &sizes},
              "mean, " + what);
  if (all.values.size() > 0) {
    doubles largest({}), size({});
    largest[0] = -1e30;
    for (std::int64_t i = 0; i < all.values.size(); ++i) {
      largest[0] = std::fmax(largest[0], all.values[i]);
      size[0] = std::fmax(size[0], all.sizes[i]);
    }
    check_close(tn::dtype::f32, result_of(in_total(weights.view(), x.view())), largest,
                {.arithmetic = roundoffs, .scale = &size}, "in total, " + what);
  }

  array<std::int32_t, 1> lengths({e[0]}, arrangement::contiguous,
                                 random_doubles<std::int32_t>({e[0]}, 1, double(e[1])));
  doubles const until = lengths.values();
  doubles inside({e[0], e[1]}), largest({e[0], e[2]});
  for (std::int64_t i = 0; i < inside.size(); ++i) inside[i] = i % e[1] < until[i / e[1]];
  for (double& one : largest.values) one = -9;
  for (std::int64_t i = 0; i < values.size(); ++i)
    if (inside[i / e[2]] != 0) {
      double& one = largest[i / (e[1] * e[2]) * e[2] + i % e[2]];
      one = std::fmax(one, values[i]);
    }
  sums const first = weighted_sums(e, inside, values);
  doubles const first_sizes = divided(first.sizes, until);
  auto const [mean, most] = masked(lengths.view(), x.view());
  check_close(tn::dtype::f32, result_of(mean), divided(first.values, until),
              {.arithmetic = roundoffs, .scale = &first_sizes}, "masked, " + what);
  check_close(tn::dtype::f32, result_of(most), largest, {.arithmetic = 0}, "largest, " + what);
}

template <class T, class W> void check_types() {
  for (extents_of_rank<3> const& shape : shapes)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::transposed})
      check<T, W>(shape, how);
}
TEST(shared_columns, of_many) {
  check<tn::bfloat16, float>(largest_shape, arrangement::contiguous);
  check<tn::bfloat16, float>(largest_shape, arrangement::misaligned);
}
TEST(shared_columns, of_float) { check_types<float, tn::bfloat16>(); }
TEST(shared_columns, of_bfloat16) { check_types<tn::bfloat16, float>(); }
TEST(shared_columns, of_masks) { check_types<tn::half, std::uint8_t>(); }

// Weights of the rows of a matrix, which stand for all of it.
TEST(shared_columns, of_one_matrix) {
  auto const f = tn::compile([](auto w, auto x) {
    return tn::sum(tn::unsqueeze(w, tn::axis<1>) * tn::cast<float>(x), tn::axis<0>);
  });
  for (extents_of_rank<2> const& e :
       {extents_of_rank<2>{9, 70}, {5000, 64}, {1100000, 8}, {2100, 4100}}) {
    auto x = random_array<tn::bfloat16, 2>(e);
    auto w = random_array<float, 1>({e[0]});
    sums const expected = weighted_sums({1, e[0], e[1]}, w.values(), x.values());
    doubles const values(reference::shape{e[1]}, expected.values.values),
        sizes(reference::shape{e[1]}, expected.sizes.values);
    check_close(tn::dtype::f32, result_of(f(w.view(), x.view())), values,
                {.arithmetic = 8 + sum_roundoffs(e[0]), .scale = &sizes},
                std::to_string(e[0]) + " x " + std::to_string(e[1]));
  }
}

// The same bits, wherever the elements lie.
TEST(shared_columns, bits_are_of_the_shape) {
  for (extents_of_rank<3> const& e : {extents_of_rank<3>{5, 300, 72}, {1, 9000, 13}}) {
    auto x = random_array<tn::bfloat16, 3>(e),
         other = random_array<tn::bfloat16, 3>(e, arrangement::misaligned);
    auto padded = random_array<tn::bfloat16, 3>(e, arrangement::padded);
    auto scores = random_array<float, 2>({e[0], e[1]});
    other.set(x.values()), padded.set(x.values());
    doubles const expected = result_of(pooled(scores.view(), x.view()));
    for (auto* one : {&x, &other, &padded})
      EXPECT_EQ(result_of(pooled(scores.view(), one->view())).values, expected.values);
  }
}

// A phase of what is shared behind one of both, along two axes that are no single one in memory;
// threads without rows are in both.
TEST(shared_columns, after_other_sums) {
  auto const f = tn::compile([](auto scores, auto x) {
    auto const middle = tn::axis<1, 2>;
    auto const deviation = scores - tn::mean(scores, middle, tn::keepdim);
    auto const spread = tn::mean(deviation * deviation, middle);
    auto const sum = tn::sum(tn::unsqueeze(scores, tn::axis<3>) * tn::cast<float>(x), middle);
    return sum / tn::unsqueeze(spread, tn::axis<1>);
  });
  for (extents_of_rank<4> const& e : {extents_of_rank<4>{2, 20, 30, 104}, {9, 4, 25, 90}})
    for (arrangement how : {arrangement::contiguous, arrangement::padded}) {
      auto x = random_array<tn::bfloat16, 4>(e, how);
      auto scores = random_array<float, 3>({e[0], e[1], e[2]}, how);
      std::int64_t const count = e[1] * e[2];
      doubles spread({e[0]});
      doubles const values = scores.values();
      for (std::int64_t b = 0; b < e[0]; ++b) {
        double mean = 0;
        for (std::int64_t i = 0; i < count; ++i) mean += values[b * count + i] / double(count);
        for (std::int64_t i = 0; i < count; ++i)
          spread[b] += std::pow(values[b * count + i] - mean, 2) / double(count);
      }
      sums const all = weighted_sums({e[0], count, e[3]}, values, x.values());
      doubles const sizes = divided(all.sizes, spread);
      check_close(tn::dtype::f32, result_of(f(scores.view(), x.view())),
                  divided(all.values, spread),
                  {.arithmetic = 16 + 2 * sum_roundoffs(count), .scale = &sizes},
                  to_string(how) + ", " + std::to_string(e[3]));
    }
}

#if defined(__CUDACC__)
TEST(shared_columns, are_explained) {
  auto scores = random_array<float, 2>({2, 512}), turned = random_array<float, 2>({200, 512});
  auto x = random_array<tn::bfloat16, 3>({2, 512, 200}),
       other = random_array<tn::bfloat16, 3>({200, 512, 2}, arrangement::transposed);
  auto const shares = [](tn::explanation const& e) {
    return std::string(e.schedule).find("which share some operands") != std::string::npos;
  };
  EXPECT_TRUE(shares(tn::explain(pooled, scores.view(), x.view())));
  // Neighbours in memory are batches there, which have scores of their own.
  EXPECT_FALSE(shares(tn::explain(pooled, turned.view(), other.view())));
}
#endif

}  // namespace
