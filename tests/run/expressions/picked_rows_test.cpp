// SPDX-License-Identifier: Apache-2.0
// Pointwise expressions whose operands lie a few places apart along their rows, in either
// direction, in memory that begins and ends with them.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// Whole numbers, each an element of memory, so that every dtype has sums of them exactly.
template <class T> std::vector<T> numbers(std::int64_t count) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(from_double<T>(static_cast<double>((i * 7 + i / 61) % 53)));
  return result;
}

// A view of some extents and strides, `in_front` elements behind the beginning of its memory.
template <class T, int Rank> class strided {
 public:
  using numbers_of_axes = extents_of_rank<Rank>;

  strided(numbers_of_axes const& extents, numbers_of_axes const& strides, std::int64_t in_front)
      : extents_(extents), strides_(strides), first_(in_front) {
    std::int64_t end = in_front + 1;
    for (int k = 0; k < Rank; ++k) {
      std::int64_t const last = (extents[k] - 1) * strides[k];
      first_ += last < 0 ? -last : 0, end += last < 0 ? -last : last;
    }
    elements_ = numbers<T>(end);
    memory_ = tn::tensor<T, tn::dyn>(elements_, end);
  }
  // With rows from their last elements on.
  dyn_view<T, Rank> from_the_end() {
    numbers_of_axes strides = strides_;
    strides[Rank - 1] = -strides[Rank - 1];
    return dyn_view<T, Rank>::with_strides(
        memory_.data() + first_ + (extents_[Rank - 1] - 1) * strides_[Rank - 1], extents_, strides);
  }
  dyn_view<T, Rank> view() {
    return dyn_view<T, Rank>::with_strides(memory_.data() + first_, extents_, strides_);
  }
  // Of the element at a position of the row-major order.
  double at(std::int64_t position) const {
    std::int64_t element = first_;
    for (int k = Rank - 1; k >= 0; --k) {
      element += position % extents_[k] * strides_[k];
      position /= extents_[k];
    }
    return as_double(elements_[static_cast<std::size_t>(element)]);
  }

 private:
  numbers_of_axes extents_, strides_;
  std::int64_t first_;
  std::vector<T> elements_;
  tn::tensor<T, tn::dyn> memory_{0};
};

// Rows of x and y from their ends, which a program knows of them, of views that begin there.
template <class X, class Y, class Z, int Rank>
void check(extents_of_rank<Rank> const& extents, extents_of_rank<Rank> const& of_x,
           extents_of_rank<Rank> const& of_y, std::int64_t in_front, arrangement how) {
  static auto const f = tn::compile(
      [](auto x, auto y) { return tn::flip(x, tn::axis<-1>) * 2 + tn::flip(y, tn::axis<-1>); });
  strided<X, Rank> x(extents, of_x, in_front);
  strided<Y, Rank> y(extents, of_y, in_front / 2);
  array<Z, Rank> z(extents, how);
  f.into(z.view())(x.from_the_end(), y.from_the_end());
  doubles const found = z.result();
  doubles expected = found;
  for (std::int64_t i = 0; i < found.size(); ++i) expected[i] = x.at(i) * 2 + y.at(i);
  ASSERT_EQ(found.values, expected.values)
      << "rows of " << extents[Rank - 1] << ", every " << of_x[Rank - 1] << " and "
      << of_y[Rank - 1] << ", " << in_front << " in front, to " << to_string(how);
}

constexpr std::int64_t steps[] = {2, 3, 4, -1, -2, 5, -3, -4, 1, -5},
                       lengths[] = {1, 3, 8, 9, 31, 33, 64, 257};

// Rows that are apart by an odd number of elements, or that follow each other.
template <class X, class Y, class Z> void check_rows() {
  constexpr int count = std::size(steps);
  for (int k = 0; k < count; ++k)
    for (std::int64_t length : lengths)
      for (std::int64_t in_front : {0, 1, 2, 3, 5}) {
        std::int64_t const of_x = steps[k], of_y = steps[(k + in_front + 1) % count];
        auto const row = [&](std::int64_t step) { return std::abs(step) * length; };
        check<X, Y, Z, 2>({3, length}, {row(of_x) + 1, of_x}, {row(of_y), of_y}, in_front,
                          in_front % 2 == 0 ? arrangement::contiguous : arrangement::misaligned);
        check<X, Y, Z, 2>({2, length}, {-row(of_x) - 4, of_x}, {0, of_y}, in_front,
                          arrangement::stepped);
      }
}
using bf16 = tn::bfloat16;
using byte = std::uint8_t;
TEST(picked_rows, of_bytes) { check_rows<byte, byte, byte>(); }
TEST(picked_rows, of_bfloat16) { check_rows<bf16, bf16, bf16>(); }
TEST(picked_rows, of_float) { check_rows<float, float, float>(); }
TEST(picked_rows, of_double) { check_rows<double, double, double>(); }
TEST(picked_rows, of_bytes_and_bfloat16) { check_rows<byte, bf16, bf16>(); }
TEST(picked_rows, of_bytes_and_float) { check_rows<byte, float, float>(); }
TEST(picked_rows, of_bytes_and_double) { check_rows<double, byte, double>(); }
TEST(picked_rows, of_bfloat16_and_float) { check_rows<bf16, float, float>(); }
TEST(picked_rows, of_half_and_double) { check_rows<double, tn::half, double>(); }

// Images whose channels lie beside each other, as planes: rows of several axes, and rows of few
// elements.
template <class X, class Z> void check_images() {
  for (std::int64_t channels : {2, 3, 4, 7})
    for (std::int64_t height : {1, 3})
      for (std::int64_t width : {1, 2, 5, 16, 37})
        for (std::int64_t pad : {0, 1})
          for (std::int64_t in_front : {0, 1}) {
            std::int64_t const row = (width + pad) * channels, image = height * row;
            extents_of_rank<4> const planes{2, channels, height, width},
                of_planes{image, 1, row, channels};
            check<X, Z, Z, 4>(planes, of_planes, {0, 1, 0, 0}, in_front, arrangement::contiguous);
            check<X, Z, Z, 4>(planes, {image, 1, -row, -channels}, of_planes, in_front,
                              arrangement::misaligned);
          }
}
TEST(picked_rows, images_of_bytes) { check_images<byte, float>(); }
TEST(picked_rows, images_of_bfloat16) { check_images<bf16, bf16>(); }

// As they are written: both operands are of one tensor.
template <class T> void check_parts() {
  static auto const halves = tn::compile([](auto x) {
    return tn::slice(x, tn::axis<1>, tn::range<0, tn::end, 2>) * 2 +
           tn::slice(x, tn::axis<1>, tn::range<1, tn::end, 2>);
  });
  static auto const turned = tn::compile([](auto x) { return tn::flip(x, tn::axis<1>) * 2 + x; });
  for (std::int64_t rows : {1, 4, 130})
    for (std::int64_t pairs : {1, 4, 13, 32, 129}) {
      std::int64_t const length = 2 * pairs;
      strided<T, 2> x({rows, length}, {length, 1}, 0);
      doubles sums({rows, pairs}), expected({rows, length});
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < pairs; ++c)
          sums[r * pairs + c] = x.at(r * length + 2 * c) * 2 + x.at(r * length + 2 * c + 1);
        for (std::int64_t c = 0; c < length; ++c)
          expected[r * length + c] = x.at(r * length + length - 1 - c) * 2 + x.at(r * length + c);
      }
      EXPECT_EQ(result_of(halves(x.view())).values, sums.values) << rows << " x " << length;
      EXPECT_EQ(result_of(turned(x.view())).values, expected.values) << rows << " x " << length;
    }
}
TEST(picked_rows, halves_and_reversed_of_float) { check_parts<float>(); }
TEST(picked_rows, halves_and_reversed_of_bfloat16) { check_parts<bf16>(); }
TEST(picked_rows, halves_and_reversed_of_bytes) { check_parts<byte>(); }

// Three loads, of which a warp has whole stretches, and parts of them, and rows that go on into the
// next one.
template <class T> void check_neighbours() {
  static auto const f = tn::compile([](auto x) {
    return tn::slice(x, tn::axis<1>, tn::range<0, -2>) +
           tn::slice(x, tn::axis<1>, tn::range<1, -1>) * 2 +
           tn::slice(x, tn::axis<1>, tn::range<2, tn::end>);
  });
  for (std::int64_t rows : {1, 3, 34})
    for (std::int64_t length : {3, 35, 257, 514, 515, 1026, 1500}) {
      std::int64_t const count = length - 2;
      strided<T, 2> x({rows, length}, {length + 1, 1}, 1);
      doubles expected({rows, count});
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < count; ++c) {
          std::int64_t const at = r * length + c;
          expected[r * count + c] = x.at(at) + x.at(at + 1) * 2 + x.at(at + 2);
        }
      EXPECT_EQ(result_of(f(x.view())).values, expected.values) << rows << " x " << length;
    }
}
TEST(picked_rows, neighbours_of_float) { check_neighbours<float>(); }
TEST(picked_rows, neighbours_of_bfloat16) { check_neighbours<bf16>(); }
TEST(picked_rows, neighbours_of_bytes) { check_neighbours<byte>(); }
TEST(picked_rows, neighbours_of_double) { check_neighbours<double>(); }

// Of whole aligned vectors, backward and forward beside each other: because the expression says so,
// or, element by element, because the view does.
template <class X, class Y, class Z> void check_backward() {
  static auto const f = tn::compile(
      [](auto x, auto y) { return tn::flip(x, tn::axis<1>) * 2 + tn::flip(y, tn::axis<0>); });
  static auto const as_given = tn::compile([](auto x, auto y) { return x * 2 + y; });
  for (std::int64_t rows : {1, 4, 65})
    for (std::int64_t length : {8, 16, 48, 496, 528, 1040})
      for (std::int64_t in_front : {0, 1, 16, 32}) {
        strided<X, 2> x({rows, length}, {length + 16, 1}, in_front);
        strided<Y, 2> y({rows, length}, {length, 1}, 0);
        array<Z, 2> z({rows, length}, arrangement::contiguous);
        f.into(z.view())(x.view(), y.view());
        doubles const found = z.result();
        doubles expected = found;
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < length; ++c)
            expected[r * length + c] =
                x.at(r * length + length - 1 - c) * 2 + y.at((rows - 1 - r) * length + c);
        ASSERT_EQ(found.values, expected.values)
            << rows << " x " << length << ", " << in_front << " in front";
        as_given.into(z.view())(x.from_the_end(), y.view());
        doubles const of_views = z.result();
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < length; ++c)
            expected[r * length + c] = x.at(r * length + length - 1 - c) * 2 + y.at(r * length + c);
        ASSERT_EQ(of_views.values, expected.values)
            << "a view of " << rows << " x " << length << ", " << in_front << " in front";
      }
}
TEST(picked_rows, backward_of_float) { check_backward<float, float, float>(); }
TEST(picked_rows, backward_of_bfloat16) { check_backward<bf16, bf16, bf16>(); }
TEST(picked_rows, backward_of_bytes) { check_backward<byte, byte, byte>(); }
TEST(picked_rows, backward_of_bytes_and_doubles) { check_backward<byte, double, double>(); }
TEST(picked_rows, backward_of_bfloat16_and_float) { check_backward<bf16, float, float>(); }

}  // namespace
