// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other: in warps, blocks, clusters, grids and launches.

#include "fixture.hpp"

using namespace emulator;

TEST(synchronisation, shuffles_barriers_and_atomics_of_a_sum) {
  int const n = 1000;
  memory<float> a(n), out(1);
  for (int k = 0; k < n; ++k) a[k] = k;
  ASSERT_EQ(result_of(call("sum", 4, 96, a, out, n)), "");
  EXPECT_EQ(out[0], 499500);
}

TEST(synchronisation, groups_of_lanes_take_different_ways) {
  memory<int> out(64);
  ASSERT_EQ(result_of(call("tiles", 1, 64, out)), "");
  for (int k = 0; k < 64; ++k) {
    int const first = k / 8 * 8;
    int expected = 0;
    for (int j = first; j < first + 8; ++j) expected += k / 8 % 2 ? j : (j % 3 == 0) << (j - first);
    EXPECT_EQ(out[k], expected) << k;
  }
}

TEST(synchronisation, barriers_count_and_combine) {
  memory<int> out(128);
  ASSERT_EQ(result_of(call("count", 1, 128, out)), "");
  for (int k = 0; k < 128; ++k) EXPECT_EQ(out[k], 43 * 100 + 1) << k;
}

TEST(synchronisation, named_barriers_pass_work_on) {
  memory<int> out(256);
  ASSERT_EQ(result_of(call("named", 1, 128, out)), "");
  for (int k = 0; k < 256; ++k) EXPECT_EQ(out[k], k / 64 * 100 + (63 - k % 64)) << k;
}

TEST(synchronisation, clusters_read_each_other) {
  memory<int> out(8);
  ASSERT_EQ(result_of(call("clusters", 8, 64, out)), "");
  for (int k = 0; k < 8; ++k) EXPECT_EQ(out[k], k < 4 ? 60 : 220) << k;
}

TEST(synchronisation, all_blocks_of_a_cooperative_launch_are_there) {
  int const blocks = 300;
  memory<unsigned> arrived(1);
  memory<int> data(blocks), out(blocks);
  launch l = call("grid_barrier", blocks, 32, arrived, data, out);
  l.is_cooperative = true;
  ASSERT_EQ(result_of(l), "");
  for (int k = 0; k < blocks; ++k) EXPECT_EQ(out[k], blocks * (blocks + 1) / 2) << k;
}

TEST(synchronisation, early_launch_waits_for_the_one_in_front) {
  memory<int> data(256), out(256);
  launch second = call("consumer", 4, 64, data, out, 1);
  second.may_begin_early = true;
  ASSERT_EQ(result_of({call("producer", 4, 64, data), second}), "");
  for (int k = 0; k < 256; ++k) EXPECT_EQ(out[k], 6) << k;
}

TEST(synchronisation, early_launch_that_does_not_wait_is_seen) {
  if (options().seed != 0) GTEST_SKIP() << "whether it comes too early depends on the seed";
  memory<int> data(256), out(256);
  launch second = call("consumer", 4, 64, data, out, 0);
  second.may_begin_early = true;
  ASSERT_EQ(result_of({call("producer", 4, 64, data), second}), "");
  int wrong = 0;
  for (int k = 0; k < 256; ++k) wrong += out[k] != 6;
  EXPECT_GT(wrong, 0);
}
