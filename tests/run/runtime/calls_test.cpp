// SPDX-License-Identifier: Apache-2.0
// The ways to call an expression: allocated results, given outputs, statements, build-time choices,
// files.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "tenon/npy.hpp"

namespace {

using reference::doubles;
using reference::elementwise;

// By its parts: nvcc 13.0 misspells a named extent in a template argument that is written out.
template <class Tensor>
void expect_type(Tensor const&, tn::dtype type, std::initializer_list<tn::extent> extents) {
  EXPECT_EQ(tn::dtype_of<typename Tensor::element_type>, type);
  EXPECT_TRUE(std::equal(extents.begin(), extents.end(), Tensor::static_extents.begin(),
                         Tensor::static_extents.end()));
}

doubles doubled(doubles const& x) {
  return elementwise([](double v) { return v * 2; }, x);
}

struct layer {
  tn::tensor<float, 8> weight;
  auto of(tn::tensor<float, tn::dyn, 8> const& x) const {
    auto const f = tn::compile([](auto x, auto weight) { return x * weight; });
    static_assert(decltype(tn::launches(f, x, weight))::value == 1);
    return f(x, weight);
  }
};
TEST(calls, launches_with_a_member_are_counted_by_the_type) {
  auto values = random_array<float, 2>({2, 8});
  auto weights = random_array<float, 1>({8});
  layer l{};
  tn::copy(l.weight, weights.view());
  tn::tensor<float, tn::dyn, 8> x(2);
  tn::copy(x, values.view());
  EXPECT_EQ(l.of(x).extent(0), 2);
}

TEST(calls, results_have_the_extents_of_the_expression) {
  tn::tensor<tn::bfloat16, "B", "T", 8> h(2, 3);
  tn::tensor<tn::bfloat16, 8> weight;
  auto const f = tn::compile([](auto h, auto weight) {
    auto scaled = h * weight;
    return tn::outputs(scaled, tn::sum(scaled, tn::axis<2>),
                       tn::max(scaled, tn::axis<2>, tn::keepdim), scaled > 0);
  });
  auto const [scaled, sum, max, is_positive] = f(h, weight);
  expect_type(scaled, tn::dtype::bf16, {"B", "T", 8});
  expect_type(sum, tn::dtype::bf16, {"B", "T"});
  expect_type(max, tn::dtype::bf16, {"B", "T", 1});
  expect_type(is_positive, tn::dtype::boolean, {"B", "T", 8});
  EXPECT_EQ(scaled.extents(), (std::array<std::int64_t, 3>{2, 3, 8}));
}

TEST(calls, into_outputs_of_the_caller) {
  auto x = random_array<float, 2>({33, 130});
  array<float, 2> twice({33, 130}, arrangement::padded);
  tn::tensor<float, tn::dyn> sums(33);
  auto const f = tn::compile([](auto x) { return tn::outputs(x * 2, tn::sum(x, tn::axis<1>)); });
  auto target = twice.view();
  f.on({}).into(target, sums)(x.view());
  check_close(tn::dtype::f32, twice.result(), doubled(x.values()));
  doubles const scale = reference::reduced(x.values(), 0b10, false, reference::sum_of_magnitudes);
  check_close(tn::dtype::f32, result_of(sums),
              reference::reduced(x.values(), 0b10, false, reference::sum),
              {.arithmetic = sum_roundoffs(130), .scale = &scale});
}

TEST(calls, statements_on_tensors_and_views) {
  auto x = random_array<float, 2>({33, 130}),
       y = random_array<float, 2>({33, 130}, arrangement::transposed);
  auto const a = x.view(), b = y.view();
  float const factor = 1.5f;
  tn::tensor<float, tn::dyn, tn::dyn> z(33, 130);
  z = a * factor + b * 2;
  doubles const expected =
      elementwise([](double v, double w) { return v * 1.5 + w * 2; }, x.values(), y.values());
  doubles const scale = elementwise([](double) { return 10.5; }, expected);
  tolerance const allowed{.arithmetic = 2, .scale = &scale};
  check_close(tn::dtype::f32, result_of(z), expected, allowed, "tensor");

  array<float, 2> w({33, 130}, arrangement::stepped);
  w.view() = a * factor + b * 2;
  check_close(tn::dtype::f32, w.result(), expected, allowed, "view");
}

TEST(calls, a_statement_may_read_what_it_writes) {
  auto x = random_array<float, 2>({33, 130}, arrangement::reversed);
  doubles const before = x.values();
  auto const z = x.view();
  z = z * 2;
  check_close(tn::dtype::f32, x.result(), doubled(before), {}, "z = z * 2");
  z = tn::softmax(z, tn::axis<-1>);
  check_close(tn::dtype::f32, x.result(), reference::softmax(doubled(before), 0b10),
              {.arithmetic = 16 + sum_roundoffs(130)}, "softmax in place");
}

TEST(calls, one_of_dispatches_to_every_constant) {
  auto x = random_array<float, 1>({1025});
  auto const f = tn::compile([](auto x, auto is_negated, auto exponent) {
    auto signed_x = [&] {
      if constexpr (is_negated)
        return -x;
      else
        return x * 1;
    }();
    return signed_x + exponent;
  });
  for (bool is_negated : {false, true})
    for (int exponent : {2, 5}) {
      doubles const expected = elementwise(
          [=](double v) {
            return static_cast<double>(static_cast<float>(is_negated ? -v : v)) + exponent;
          },
          x.values());
      auto const result =
          f(x.view(), tn::one_of<true, false>(is_negated), tn::one_of<2, 5>(exponent));
      check_close(tn::dtype::f32, result_of(result), expected, {}, std::to_string(exponent));
    }
}

TEST(calls, a_build_time_constant_is_another_specialization) {
  auto x = random_array<float, 2>({7, 9});
  auto const f = tn::compile([](auto x, auto count) {
    auto result = x;
    for (int k = 0; k < count; ++k) result = result * 2;
    return result;
  });
  check_close(tn::dtype::f32, result_of(f(x.view(), tn::ct<0>)), x.values());
  check_close(tn::dtype::f32, result_of(f(x.view(), tn::ct<3>)),
              elementwise([](double v) { return v * 8; }, x.values()));
}

TEST(calls, npy_file_to_expression_and_back) {
  auto x = random_array<float, 2>({12, 5});
  std::string const path = (std::filesystem::temp_directory_path() /
                            ("tenon_calls_" + std::to_string(getpid()) + ".npy"))
                               .string();
  tn::save_npy(path, x.view());
  auto const loaded = tn::to<tn::default_space>(tn::load_npy<float, tn::dyn, 5>(path));
  tn::save_npy(path, tn::compile([](auto x) { return x * 2; })(loaded));
  doubles const found = result_of(tn::load_npy<float, tn::dyn, tn::dyn>(path));
  std::remove(path.c_str());
  check_close(tn::dtype::f32, found, doubled(x.values()));
}

TEST(calls, an_executable_may_be_copied) {
  auto x = random_array<float, 1>({100});
  auto const f = tn::compile([](auto x) { return x * 2; });
  auto const g = f;
  check_close(tn::dtype::f32, result_of(g(x.view())), doubled(x.values()));
  EXPECT_EQ(tn::cache_statistics(f, x.view()).misses, tn::cache_statistics(g, x.view()).misses);
}

TEST(calls, empty_tensors_give_empty_results) {
  tn::tensor<float, tn::dyn, tn::dyn> x(0, 5);
  auto const f = tn::compile([](auto x) { return tn::outputs(x * 2, tn::sum(x, tn::axis<1>)); });
  auto const [twice, sums] = f(x);
  EXPECT_EQ(twice.size(), 0);
  EXPECT_EQ(sums.size(), 0);
}

// An empty std::vector has no memory, and nothing of it is read, at positions neither.
TEST(calls, empty_operands_need_no_memory) {
  auto const f = tn::compile([](auto x, auto y) { return tn::concat(x, y, tn::axis<0>); });
  array<float, 1> y({5});
  y.set(reference::doubles({5}, {1, 2, 3, 4, 5}));
  auto const nothing = tn::view<float const, tn::dyn>::with_extents(nullptr, {0});
  EXPECT_EQ(result_of(f(nothing, y.view())).values, y.values().values);
  EXPECT_EQ(result_of(f(y.view(), nothing)).values, y.values().values);
  EXPECT_EQ(result_of(f(nothing, nothing)).size(), 0);
}

}  // namespace
