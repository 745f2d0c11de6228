// SPDX-License-Identifier: Apache-2.0
// Owning tensors in the default space: extents, ownership, host values, and every message about
// them.

#include "tenon/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "run/tensor/support.hpp"
#include "tenon/runtime/copy.hpp"

namespace tn = tenon;

namespace {

TEST(tensor, extents_in_order_of_the_type) {
  tn::tensor<float, "B", 512, tn::dyn> x(31, 33);
  EXPECT_EQ(x.extents(), (std::array<std::int64_t, 3>{31, 512, 33}));
  EXPECT_EQ(x.extent(2), 33);
  EXPECT_EQ(x.size(), 31 * 512 * 33);
  EXPECT_EQ(x.view().strides(), (std::array<std::int64_t, 3>{512 * 33, 33, 1}));
  EXPECT_TRUE(x.view().is_contiguous());
  EXPECT_EQ(x.layout(), x.view().layout());
}

TEST(tensor, memory_is_aligned_for_any_vector_load) {
  for (std::int64_t extent : {1, 31, 32, 33, 1009}) {
    tn::tensor<std::uint8_t, tn::dyn> x(extent);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 64, 0u) << extent;
  }
}

TEST(tensor, large_tensors_begin_at_a_large_page) {
  std::size_t const most = 4 * tn::detail::large_page;
  for (std::size_t bytes : {most - 1, most, most + 1}) {
    tn::cpu::tensor<std::uint8_t, tn::dyn> x(static_cast<std::int64_t>(bytes));
    auto const alignment = static_cast<std::size_t>(tn::detail::host_alignment(bytes));
    EXPECT_EQ(alignment, bytes < most ? 64u : tn::detail::large_page);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % alignment, 0u);
    x.data()[0] = x.data()[bytes - 1] = 1;
  }
}

TEST(tensor, no_elements) {
  tn::tensor<float, tn::dyn, 33> x(0);
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(x.data(), nullptr);
  EXPECT_TRUE(tn::to_vector(x).empty());
  EXPECT_EQ(x.clone().size(), 0);
  tn::tensor<float, tn::dyn, tn::dyn, tn::dyn> y(std::vector<float>{}, 3, 0, 5);
  EXPECT_EQ(y.size(), 0);
}

TEST(tensor, rank_0_holds_one_element) {
  tn::tensor<double> x(std::vector<double>{2.5});
  EXPECT_EQ(x.size(), 1);
  EXPECT_EQ(x.item(), 2.5);
  EXPECT_EQ(x.clone().item(), 2.5);
}

TEST(tensor, host_values_come_back) {
  for (std::int64_t rows : {1, 2, 31, 33})
    for (std::int64_t columns : {1, 3, 32, 101}) {
      std::vector<float> const values = counted(rows * columns);
      tn::tensor<float, tn::dyn, tn::dyn> x(values, rows, columns);
      EXPECT_EQ(tn::to_vector(x), values);
      EXPECT_EQ(tn::to_vector(x.clone()), values);
    }
}

TEST(tensor, bool_values_come_back) {
  bool const values[] = {true, false, true};
  tn::tensor<bool, 3> x(values);
  EXPECT_EQ(tn::to_vector(x), (std::vector<bool>{true, false, true}));
}

TEST(tensor, move_takes_the_memory) {
  tn::tensor<float, tn::dyn> x(counted(33), 33);
  float* const data = x.data();
  tn::tensor<float, tn::dyn> y = std::move(x);
  EXPECT_EQ(y.data(), data);
  EXPECT_EQ(x.data(), nullptr);  // NOLINT: what a moved-from tensor is
  tn::tensor<float, tn::dyn> z(counted(5), 5);
  z = std::move(y);
  EXPECT_EQ(z.data(), data);
  EXPECT_EQ(z.size(), 33);
}

TEST(tensor, self_move_keeps_the_values) {
  tn::tensor<float, tn::dyn> x(counted(33), 33);
  tn::tensor<float, tn::dyn>& same = x;
  x = std::move(same);
  EXPECT_EQ(tn::to_vector(x), counted(33));
}

TEST(tensor, swap) {
  tn::tensor<float, tn::dyn> x(counted(3), 3), y(counted(5), 5);
  std::swap(x, y);
  EXPECT_EQ(tn::to_vector(x), counted(5));
  EXPECT_EQ(tn::to_vector(y), counted(3));
}

TEST(tensor, clone_is_apart_from_the_original) {
  tn::tensor<float, tn::dyn> x(counted(33), 33);
  tn::tensor<float, tn::dyn> y = x.clone();
  tn::copy(x, tn::tensor<float, tn::dyn>(std::vector<float>(33, -1.f), 33));
  EXPECT_EQ(tn::to_vector(y), counted(33));
}

// --- messages

TEST(tensor_messages, negative_extent) {
  EXPECT_ERROR((tn::tensor<float, tn::dyn, 3>(-2)),
               "tenon: tensor: axis 0 has extent -2; extents are 0 or more");
}

TEST(tensor_messages, extent_above_the_signed_range_is_negative) {
  EXPECT_ERROR((tn::tensor<float, tn::dyn>(std::size_t(-1))),
               "tenon: tensor: axis 0 has extent -1; extents are 0 or more");
}

TEST(tensor_messages, extents_multiply_beyond_64_bits) {
  EXPECT_ERROR((tn::tensor<std::uint8_t, tn::dyn, tn::dyn>(1ll << 32, 1ll << 31)),
               "tenon: tensor: the elements of [4294967296, 2147483648] take 2^63 bytes or more; "
               "use smaller extents");
}

TEST(tensor_messages, bytes_beyond_64_bits) {
  EXPECT_ERROR((tn::tensor<double, tn::dyn>(1ll << 60)),
               "tenon: tensor: the elements of [1152921504606846976] take 2^63 bytes or more; use "
               "smaller extents");
}

TEST(tensor_messages, static_extent_differs) {
  try {
    tn::tensor<float, "B", 512>::with_extents({3, 256});
    FAIL() << "nothing was raised";
  } catch (tn::error const& e) {
    EXPECT_STREQ(e.what(),
                 "tenon: tensor: axis 1 has extent 256 but the type says 512; give the extent of "
                 "the type, or use "
                 "tn::dyn there");
    EXPECT_EQ(e.operation(), "tensor");
    EXPECT_EQ(e.shapes(), "[B, 512] given [3, 256]");
  }
}

TEST(tensor_messages, one_name_with_two_lengths) {
  EXPECT_ERROR((tn::tensor<float, "B", "T", "B">(3, 4, 5)),
               "tenon: tensor: extent \"B\" is 3 at axis 0 and 5 at axis 2; axes of one name have "
               "one length; use "
               "another name or tn::dyn");
}

TEST(tensor_messages, wrong_number_of_values) {
  EXPECT_ERROR((tn::tensor<float, tn::dyn, 3>(counted(5), 2)),
               "tenon: tensor: 5 values do not fill extents [2, 3]; give as many values as the "
               "extents multiply to");
}

TEST(tensor_messages, host_memory_is_not_enough) {
  EXPECT_ERROR((tn::cpu::tensor<std::uint8_t, tn::dyn>(1ll << 62)),
               "tenon: tensor: 4611686018427387904 bytes of cpu memory could not be allocated; "
               "free other tensors or "
               "use smaller extents");
}

}  // namespace
