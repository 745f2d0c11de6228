// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// Views of host memory: what permuting and slicing select, element access, and every message about
// them.

#include "tenon/tensor/tensor_view.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "run/tensor/support.hpp"
#include "tenon/tensor/tensor.hpp"

namespace tn = tenon;

namespace statement {
// Stands for a statement-form expression: tenon::assign is found through the tensor or the view.
struct fill {
  float value;
};
}  // namespace statement
template <> inline constexpr bool tenon::is_expression<statement::fill> = true;
namespace tenon {
template <class Target> void assign(Target& target, statement::fill const& expression) {
  for (std::int64_t i = 0; i < target.extent(0); ++i) target(i) = expression.value;
}
}  // namespace tenon

namespace {

TEST(view, row_major_over_a_pointer) {
  std::vector<float> const values = counted(31 * 33);
  tn::cpu::view<float const, "B", 33> x(values.data(), 31);
  EXPECT_EQ(x.size(), 31 * 33);
  for (int i = 0; i < 31; ++i)
    for (int j = 0; j < 33; ++j) ASSERT_EQ(x(i, j), static_cast<float>(i * 33 + j));
}

TEST(view, of_a_vector_a_span_and_an_array) {
  std::vector<float> values = counted(33);
  tn::cpu::view<float, tn::dyn> x = values;
  x(32) = -1;
  EXPECT_EQ(values[32], -1);
  std::span<float const> part(values.data() + 1, 7);
  tn::cpu::view<float const, tn::dyn> y = part;
  EXPECT_EQ(y.extent(0), 7);
  EXPECT_EQ(y(0), 1);
  std::array<double, 3> array{1, 2, 3};
  tn::cpu::view<double, 3> z = array;
  EXPECT_EQ(z(2), 3);
}

TEST(view, permuted) {
  std::vector<float> const values = counted(2 * 3 * 5);
  tn::cpu::view<float const, 2, 3, tn::dyn> x(values.data(), 5);
  auto y = x.permuted<2, 0, 1>();
  EXPECT_EQ(y.extents(), (std::array<std::int64_t, 3>{5, 2, 3}));
  EXPECT_FALSE(y.is_contiguous());
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 5; ++k) ASSERT_EQ(y(k, i, j), x(i, j, k));
}

TEST(view, sliced_as_python_slices) {
  std::vector<float> const values = counted(33);
  tn::cpu::view<float const, tn::dyn> x(values);
  auto expect = [](auto const& y, std::vector<float> const& expected) {
    ASSERT_EQ(y.size(), static_cast<std::int64_t>(expected.size()));
    for (std::int64_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(y(i), expected[static_cast<std::size_t>(i)]);
  };
  constexpr std::int64_t end = tn::detail::open_bound;
  expect(x.sliced<0>(1, 4), {1, 2, 3});
  expect(x.sliced<0>(-3, end), {30, 31, 32});
  expect(x.sliced<-1>(1, end, 13), {1, 14, 27});
  expect(x.sliced<0>(end, end, -16), {32, 16, 0});
  expect(x.sliced<0>(4, 1, -1), {4, 3, 2});
  expect(x.sliced<0>(5, 5), {});
  expect(x.sliced<0>(100, 200), {});
  expect(x.sliced<0>(2, 20, 3).sliced<0>(end, end, -2), {17, 11, 5});
}

TEST(view, sliced_on_an_inner_axis) {
  std::vector<float> const values = counted(7 * 11);
  tn::cpu::view<float const, 7, 11> x(values.data());
  auto y = x.sliced<1>(9, 0, -4).sliced<0>(1, 7, 2);
  EXPECT_EQ(y.extents(), (std::array<std::int64_t, 2>{3, 3}));
  EXPECT_EQ(y.strides(), (std::array<std::int64_t, 2>{22, -4}));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(y(i, j), x(1 + 2 * i, 9 - 4 * j));
}

TEST(view, slice_of_no_elements_of_a_null_pointer) {
  tn::cpu::tensor<float, tn::dyn, 5> x(0);
  auto y = x.view().sliced<1>(tn::detail::open_bound, tn::detail::open_bound, -1);
  EXPECT_EQ(y.size(), 0);
  auto z = x.view().sliced<0>(1, 2);
  EXPECT_EQ(z.data(), nullptr);
}

TEST(view, zero_stride_repeats) {
  float value = 3;
  auto x = tn::cpu::view<float, 4>::with_strides(&value, {4}, {0});
  EXPECT_EQ(x(3), 3);
  EXPECT_TRUE(tn::overlaps_itself(x.layout()));
}

TEST(view, copying_a_view_rebinds_it) {
  std::vector<float> a = counted(3), b{7, 8, 9};
  tn::cpu::view<float, tn::dyn> x = a;
  tn::cpu::view<float, tn::dyn> const y = b;
  x = y;
  EXPECT_EQ(x.data(), b.data());
  EXPECT_EQ(a[0], 0);
}

TEST(view, assigning_an_expression_writes_the_elements) {
  tn::cpu::tensor<float, tn::dyn> x(5);
  x = statement::fill{2};
  EXPECT_EQ(x(4), 2);
  x.view().sliced<0>(1, 2) = statement::fill{3};
  EXPECT_EQ(x(0), 2);
  EXPECT_EQ(x(1), 3);
}

TEST(view, explicit_conversion_checks_the_extents) {
  std::vector<float> values = counted(6);
  tn::cpu::view<float, tn::dyn, tn::dyn> x(values.data(), 2, 3);
  tn::cpu::view<float const, 2, "T"> y(x);
  EXPECT_EQ(y(1, 2), 5);
  EXPECT_ERROR((tn::cpu::view<float, 2, 4>(x)),
               "tenon: view: axis 1 has extent 3 but the type says 4; give the extent of the type, "
               "or use tn::dyn "
               "there");
  EXPECT_ERROR((tn::cpu::view<float, "N", "N">(x)),
               "tenon: view: extent \"N\" is 2 at axis 0 and 3 at axis 1; axes of one name have "
               "one length; use "
               "another name or tn::dyn");
}

// --- messages

TEST(view_messages, negative_extent) {
  float value = 0;
  EXPECT_ERROR((tn::cpu::view<float, tn::dyn>(&value, -1)),
               "tenon: view: axis 0 has extent -1; extents are 0 or more");
}

TEST(view_messages, vector_of_another_length) {
  std::vector<float> values = counted(5);
  EXPECT_ERROR((tn::cpu::view<float, 4>(values)),
               "tenon: view: axis 0 has extent 5 but the type says 4; give the extent of the type, "
               "or use tn::dyn "
               "there");
}

TEST(view_messages, extents_too_large) {
  float value = 0;
  EXPECT_ERROR((tn::cpu::view<float, tn::dyn>(&value, 1ll << 61)),
               "tenon: view: the elements of [2305843009213693952] take 2^63 bytes or more; use "
               "smaller extents");
}

TEST(view_messages, strides_too_large) {
  float value = 0;
  for (std::int64_t stride : {1ll << 61, -(1ll << 61) - 1, 1ll << 62})
    EXPECT_ERROR((tn::cpu::view<float, 2, tn::dyn>::with_strides(&value, {2, 3}, {stride, 1})),
                 "tenon: view: strides [" + std::to_string(stride) +
                     ", 1] reach beyond 2^63 bytes; use smaller strides, counted in elements");
  auto unused = tn::cpu::view<float, 1>::with_strides(&value, {1}, {1ll << 62});
  EXPECT_EQ(unused(0), 0) << "the stride of an axis of extent 1 is never taken";
}

TEST(view_messages, step_of_zero) {
  std::vector<float> values = counted(5);
  tn::cpu::view<float, tn::dyn> x = values;
  EXPECT_ERROR(x.sliced<0>(0, 5, 0),
               "tenon: sliced: the step is 0; use a positive or negative step");
}

TEST(view_messages, index_out_of_range) {
  tn::cpu::tensor<float, tn::dyn, 4> x(3);
  EXPECT_ERROR(x(3, 0),
               "tenon: view: index [3, 0] is outside of extents [3, 4]; indexes are 0 to extent-1");
  EXPECT_ERROR(
      x(0, -1),
      "tenon: view: index [0, -1] is outside of extents [3, 4]; indexes are 0 to extent-1");
}

TEST(view_messages, size_of_an_impossible_layout) {
  tn::layout x{2, {1ll << 40, 1ll << 40}, {1, 1}, 0};
  EXPECT_ERROR(tn::size(x),
               "tenon: layout: extents [1099511627776, 1099511627776] are negative or multiply "
               "beyond 64 bits; use "
               "extents from 0 on whose product is below 2^63");
}

}  // namespace
