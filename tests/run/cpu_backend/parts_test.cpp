// SPDX-License-Identifier: Apache-2.0
// The parts of the CPU backend on their own: the pairwise tree does not depend on the split,
// strided blocks come and go.
//
// tenon-test: cpu-only
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tenon/backend/cpu/pairwise.hpp"
#include "tenon/backend/cpu/strided_block.hpp"

namespace tenon::cpu_test {
namespace {

// The tree itself as a state: order and shape of every combination are visible in it.
struct spell_out {
  std::string operator()(std::string const& a, std::string const& b) const {
    return "(" + a + b + ")";
  }
};
using tree = cpu_backend::pairwise<std::string, spell_out>;

std::string tree_of(int begin, int end) {
  tree result{spell_out{}};
  for (int i = begin; i < end; ++i) result.push(std::string(1, static_cast<char>('a' + i)));
  return result.result("-");
}

TEST(cpu_pairwise, combines_neighbours_in_order) {
  EXPECT_EQ(tree_of(0, 0), "-");
  EXPECT_EQ(tree_of(0, 1), "a");
  EXPECT_EQ(tree_of(0, 3), "((ab)c)");
  EXPECT_EQ(tree_of(0, 7), "(((ab)(cd))((ef)g))");
  EXPECT_EQ(tree_of(0, 8), "(((ab)(cd))((ef)(gh)))");
}

TEST(cpu_pairwise, parts_of_a_power_of_two_give_the_same_tree) {
  for (int count = 1; count <= 26; ++count)
    for (int step : {1, 2, 4, 8, 16}) {
      tree of_parts{spell_out{}};
      for (int begin = 0; begin < count; begin += step)
        of_parts.push(tree_of(begin, std::min(begin + step, count)));
      ASSERT_EQ(of_parts.result("-"), tree_of(0, count)) << count << " in parts of " << step;
    }
}

TEST(cpu_strided_block, gather_and_scatter_follow_the_strides) {
  group_layout group;
  group.dims = 3;
  group.size = 5 * 3 * 4;
  group.extents[0] = 5, group.extents[1] = 3, group.extents[2] = 4;
  std::vector<int> memory(400);
  std::iota(memory.begin(), memory.end(), 0);
  long long const all_strides[][3] = {{12, 4, 1}, {1, 5, 15}, {-12, -4, -1},
                                      {0, 4, 1},  {20, 7, 0}, {-20, 6, 2}};
  for (auto const& strides : all_strides)
    for (int begin : {0, 1, 4, 11, 37})
      for (int count : {1, 3, 5, 23}) {
        std::vector<int> block(static_cast<std::size_t>(count)), copy(memory.size(), -1);
        cpu_backend::gather(group, strides, memory.data() + 200, begin, count, block.data());
        cpu_backend::scatter(group, strides, block.data(), begin, count, copy.data() + 200);
        for (int i = 0; i < count; ++i) {
          int n = begin + i;
          long long offset =
              200 + n / 12 * strides[0] + n / 4 % 3 * strides[1] + n % 4 * strides[2];
          ASSERT_EQ(block[i], memory[offset]);
          ASSERT_EQ(copy[offset], memory[offset]);
        }
        int const* direct =
            cpu_backend::direct_address(group, strides, memory.data() + 200, begin, count);
        for (int i = 0; direct && i < count; ++i) ASSERT_EQ(direct[i], block[i]);
      }
}

TEST(cpu_strided_block, contiguity_ignores_axes_of_length_one) {
  group_layout group;
  group.dims = 3;
  group.extents[0] = 5, group.extents[1] = 1, group.extents[2] = 4;
  long long const contiguous[] = {4, 99, 1}, with_gaps[] = {5, 4, 1}, repeated[] = {0, 4, 1};
  EXPECT_TRUE(cpu_backend::is_contiguous(group, contiguous));
  EXPECT_FALSE(cpu_backend::is_contiguous(group, with_gaps));
  EXPECT_FALSE(cpu_backend::is_contiguous(group, repeated));
}

}  // namespace
}  // namespace tenon::cpu_test
