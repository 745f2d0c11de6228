// SPDX-License-Identifier: Apache-2.0
// Copies between every pair of spaces and kinds of strides against an element-by-element loop.

#include "tenon/runtime/copy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "run/tensor/support.hpp"

namespace tn = tenon;

namespace {

constexpr std::int64_t end = tn::detail::open_bound;

// The views of a matrix of twice the extents that show rows x columns elements.
enum class kind {
  contiguous,
  padded_rows,
  every_second,
  reversed_rows,
  reversed_columns,
  transposed
};
constexpr kind kinds[] = {kind::contiguous,    kind::padded_rows,      kind::every_second,
                          kind::reversed_rows, kind::reversed_columns, kind::transposed};

template <class Space, class T> using matrix = tn::basic_view<Space, T, tn::dyn, tn::dyn>;

template <class Space, class T>
matrix<Space, T> window(T* data, std::int64_t rows, std::int64_t columns, kind of) {
  using view = matrix<Space, T>;
  switch (of) {
    case kind::contiguous:
      return view(data, rows, columns);
    case kind::padded_rows:
      return view(data, rows, 2 * columns).template sliced<1>(0, columns);
    case kind::every_second:
      return view(data, rows, 2 * columns).template sliced<1>(1, end, 2);
    case kind::reversed_rows:
      return view(data, rows, columns).template sliced<0>(end, end, -1);
    case kind::reversed_columns:
      return view(data, rows, columns).template sliced<1>(end, end, -1);
    case kind::transposed:
      return view(data, columns, rows).template permuted<1, 0>();
  }
  return view(data, 0, 0);
}

template <class Types> class copy : public testing::Test {};

template <class TargetSpace, class SourceSpace, class T> struct setting {
  using target = TargetSpace;
  using source = SourceSpace;
  using element = T;
};
using settings =
    testing::Types<setting<tn::cpu, tn::cpu, std::uint8_t>, setting<tn::cpu, tn::cpu, tn::half>,
                   setting<tn::cpu, tn::cpu, float>, setting<tn::cpu, tn::cpu, double>
#if defined(__CUDACC__)
                   ,
                   setting<tn::cuda, tn::cuda, std::uint8_t>, setting<tn::cuda, tn::cuda, tn::half>,
                   setting<tn::cuda, tn::cuda, float>, setting<tn::cuda, tn::cuda, double>,
                   setting<tn::cpu, tn::cuda, float>, setting<tn::cuda, tn::cpu, float>,
                   setting<tn::cpu, tn::cuda, tn::half>, setting<tn::cuda, tn::cpu, double>
#endif
                   >;
TYPED_TEST_SUITE(copy, settings);

TYPED_TEST(copy, every_kind_of_strides) {
  using T = typename TypeParam::element;
  using target_space = typename TypeParam::target;
  using source_space = typename TypeParam::source;
  for (std::int64_t rows : {1, 2, 31})
    for (std::int64_t columns : {1, 13, 33})
      for (kind from : kinds)
        for (kind into : kinds) {
          std::int64_t const count = 2 * rows * columns;
          std::vector<T> const values = counted<T>(count);
          std::vector<T> const untouched(static_cast<std::size_t>(count), T(99.f));
          tn::basic_tensor<source_space, T, tn::dyn> source(values, count);
          tn::basic_tensor<target_space, T, tn::dyn> target(untouched, count);
          tn::copy(window<target_space>(target.data(), rows, columns, into),
                   window<source_space, T const>(source.data(), rows, columns, from));

          std::vector<T> expected = untouched;
          auto const in = window<tn::cpu, T const>(values.data(), rows, columns, from);
          auto const out = window<tn::cpu>(expected.data(), rows, columns, into);
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) out(i, j) = in(i, j);
          std::vector<T> const result = tn::to_vector(target);
          for (std::size_t i = 0; i < result.size(); ++i)
            ASSERT_EQ(static_cast<float>(result[i]), static_cast<float>(expected[i]))
                << rows << " x " << columns << ", kind " << static_cast<int>(from) << " to "
                << static_cast<int>(into);
        }
}

TYPED_TEST(copy, no_elements) {
  using T = typename TypeParam::element;
  tn::basic_tensor<typename TypeParam::source, T, tn::dyn, 3> source(0);
  tn::basic_tensor<typename TypeParam::target, T, tn::dyn, 3> target(0);
  tn::copy(target, source);
}

TYPED_TEST(copy, rank_0) {
  using T = typename TypeParam::element;
  tn::basic_tensor<typename TypeParam::source, T> source(std::vector<T>{T(7.f)});
  tn::basic_tensor<typename TypeParam::target, T> target;
  tn::copy(target, source);
  EXPECT_EQ(static_cast<float>(target.item()), 7.f);
}

TYPED_TEST(copy, eight_axes) {
  using T = typename TypeParam::element;
  std::vector<T> const values = counted<T>(256);
  tn::basic_tensor<typename TypeParam::source, T, 2, 2, 2, 2, 2, 2, 2, 2> source(values);
  tn::basic_tensor<typename TypeParam::target, T, 2, 2, 2, 2, 2, 2, 2, 2> target;
  tn::copy(target.view().template permuted<7, 6, 5, 4, 3, 2, 1, 0>(), source);
  std::vector<T> const result = tn::to_vector(target);
  for (unsigned i = 0; i < 256; ++i) {
    unsigned mirrored = 0;
    for (unsigned bit = 0; bit < 8; ++bit) mirrored |= (i >> bit & 1) << (7 - bit);
    ASSERT_EQ(static_cast<float>(result[mirrored]), static_cast<float>(values[i]));
  }
}

// The source is read whole before an element that it shares with the target is written.
TYPED_TEST(copy, overlapping_views_of_one_tensor) {
  using T = typename TypeParam::element;
  using space = typename TypeParam::target;
  tn::basic_tensor<space, T, tn::dyn> x(counted<T>(33), 33);
  tn::copy(x.view(), x.view().template sliced<0>(end, end, -1));
  std::vector<T> result = tn::to_vector(x);
  for (std::size_t i = 0; i < 33; ++i)
    ASSERT_EQ(static_cast<float>(result[i]), static_cast<float>(32 - i));
  tn::copy(x.view().template sliced<0>(1, end), x.view().template sliced<0>(0, -1));
  result = tn::to_vector(x);
  for (std::size_t i = 1; i < 33; ++i)
    ASSERT_EQ(static_cast<float>(result[i]), static_cast<float>(33 - i));
}

TYPED_TEST(copy, to_another_space_and_back) {
  using T = typename TypeParam::element;
  tn::basic_tensor<typename TypeParam::source, T, "B", 7> x(counted<T>(31 * 7), 31);
  auto y = tn::to<typename TypeParam::target>(x);
  static_assert(
      std::is_same_v<decltype(y), tn::basic_tensor<typename TypeParam::target, T, "B", 7>>);
  auto z = tn::to<tn::cpu>(y.view().template permuted<1, 0>());
  EXPECT_EQ(z.extents(), (std::array<std::int64_t, 2>{7, 31}));
  EXPECT_TRUE(z.view().is_contiguous());
  EXPECT_EQ(static_cast<float>(z(6, 2)), 20.f);
}

// --- messages

TEST(copy_messages, shapes_differ) {
  tn::tensor<float, tn::dyn, tn::dyn> x(3, 4), y(4, 3);
  try {
    tn::copy(x, y);
    FAIL() << "nothing was raised";
  } catch (tn::error const& e) {
    EXPECT_STREQ(e.what(),
                 "tenon: copy: the target has extents [3, 4] and the source [4, 3]; give views of "
                 "equal extents");
    EXPECT_EQ(e.operation(), "copy");
    EXPECT_EQ(e.shapes(), "[3, 4] and [4, 3]");
  }
}

TEST(copy_messages, target_overlaps_itself) {
  tn::tensor<float, tn::dyn> x(3), y(3);
  EXPECT_ERROR((tn::copy(tn::view<float, tn::dyn>::with_strides(x.data(), {3}, {0}), y), 0),
               "tenon: copy: elements of the target share memory, extents [3]; write to a view "
               "without zero or "
               "overlapping strides");
}

TEST(copy_messages, null_pointer) {
  tn::tensor<float, tn::dyn> x(3);
  tn::view<float, tn::dyn> nothing(nullptr, 3);
  EXPECT_ERROR((tn::copy(nothing, x), 0),
               "tenon: copy: the target is a null pointer; give views of allocated memory");
  EXPECT_ERROR((tn::copy(x, nothing), 0),
               "tenon: copy: the source is a null pointer; give views of allocated memory");
}

}  // namespace
