// SPDX-License-Identifier: Apache-2.0
// tenon-test: cuda-only
// More than 2^31 elements: offsets that do not fit in 32 bits, in every kernel family.
#include "run/support/arrays.hpp"

namespace {

constexpr std::int64_t beyond = (std::int64_t(1) << 31) + 7;

class large : public testing::Test {
 protected:
  void SetUp() override {
    if (tn::device_count() == 0) GTEST_SKIP() << "no CUDA device";
    std::size_t available = 0, all = 0;
    tn::check(cudaMemGetInfo(&available, &all), "test");
    if (available < std::size_t(12) << 30) GTEST_SKIP() << "less than 12 GiB are free";
  }
  template <class Tensor> static Tensor filled(Tensor tensor, int byte) {
    tn::check(
        cudaMemset(tensor.data(), byte,
                   static_cast<std::size_t>(tensor.size()) * sizeof(typename Tensor::element_type)),
        "test");
    return tensor;
  }
};

TEST_F(large, sum_of_bool) {
  auto const x = filled(tn::tensor<bool, tn::dyn>(beyond), 1);
  EXPECT_EQ(tn::compile([](auto x) { return tn::sum(x); })(x).item(), beyond);
}

// The sum sees every element that the pointwise kernel wrote.
TEST_F(large, pointwise_of_bytes) {
  auto x = filled(tn::tensor<std::uint8_t, tn::dyn>(beyond), 1);
  auto const f = tn::compile([](auto x) { return x + 2; });
  auto const sum = tn::compile([](auto x) { return tn::sum(x); });
  EXPECT_EQ(sum(f(x)).item(), 3 * beyond);
  // One element after an aligned address, through the path of elements.
  tn::view<std::uint8_t, tn::dyn> const misaligned(x.data() + 1, beyond - 1);
  EXPECT_EQ(sum(f(misaligned)).item(), 3 * (beyond - 1));
}

TEST_F(large, rows_beyond_32_bits) {
  constexpr std::int64_t rows = 3 * 65536, columns = 16384;  // 3.2e9 elements
  auto const x = filled(tn::tensor<bool, tn::dyn, tn::dyn>(rows, columns), 1);
  auto const sums = tn::compile([](auto x) { return tn::sum(x, tn::axis<1>); })(x);
  auto const range = tn::compile([](auto x) { return tn::outputs(tn::min(x), tn::max(x)); })(sums);
  EXPECT_EQ(tn::get<0>(range).item(), columns);
  EXPECT_EQ(tn::get<1>(range).item(), columns);
}

// Few elements, but the last ones lie beyond 2^31.
TEST_F(large, stride_beyond_32_bits) {
  auto x = filled(tn::tensor<std::uint8_t, tn::dyn>(beyond), 0);
  tn::check(cudaMemset(x.data() + beyond - 3, 9, 3), "test");
  auto const corners =
      tn::view<std::uint8_t, tn::dyn, tn::dyn>::with_strides(x.data(), {2, 3}, {beyond - 3, 1});
  auto const found = tn::to_vector(tn::compile([](auto x) { return x * 2; })(corners));
  EXPECT_EQ(found, (std::vector<std::uint8_t>{0, 0, 0, 18, 18, 18}));
}

}  // namespace
