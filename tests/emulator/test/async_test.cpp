// SPDX-License-Identifier: Apache-2.0
// Copies and stores that arrive later: waited for, and not.

#include "fixture.hpp"

using namespace emulator;

TEST(async, copies_by_each_thread) {
  memory<float> in(2048), out(2048);
  for (int k = 0; k < 2048; ++k) in[k] = k;
  ASSERT_EQ(result_of(call("copies", 2, 256, in, out)), "");
  for (int k = 0; k < 2048; ++k) {
    int const block = k / 1024, vector = k % 1024 / 4;
    EXPECT_EQ(out[k], in[block * 1024 + (255 - vector) * 4 + k % 4]) << k;
  }
}

TEST(async, bulk_copy_that_an_mbarrier_counts) {
  memory<float> in(512), out(512);
  for (int k = 0; k < 512; ++k) in[k] = k;
  ASSERT_EQ(result_of(call("bulk", 2, 256, in, out, 1)), "");
  for (int k = 0; k < 512; ++k) EXPECT_EQ(out[k], (k ^ 1) + 1) << k;
}

TEST(async, bulk_copy_that_nobody_waits_for_is_seen) {
  memory<float> in(512), out(512);
  for (int k = 0; k < 512; ++k) in[k] = k;
  std::string const result = result_of(call("bulk", 2, 256, in, out, 0));
  int wrong = 0;
  for (int k = 0; k < 512; ++k) wrong += out[k] != (k ^ 1) + 1;
  EXPECT_TRUE(wrong > 0 || !result.empty());
}

TEST(async, stores_to_all_blocks_of_a_cluster) {
  memory<unsigned> out(32);
  ASSERT_EQ(result_of(call("mail", 8, 64, out)), "");
  for (unsigned k = 0; k < 32; ++k) EXPECT_EQ(out[k], k % 4 * 100 + k / 4 % 4) << k;
}

TEST(async, copy_that_is_waited_for) {
  memory<float> in(128), out(128);
  for (int k = 0; k < 128; ++k) in[k] = k;
  ASSERT_EQ(result_of(call("copied", 1, 128, in, out, 1)), "");
  for (int k = 0; k < 128; ++k) EXPECT_EQ(out[k], in[k]) << k;
}

TEST(async, copy_that_nobody_waits_for_is_seen) {
  memory<float> in(128), out(128, -1.0f);
  for (int k = 0; k < 128; ++k) in[k] = k;
  std::string const result = result_of(call("copied", 1, 128, in, out, 0));
  int wrong = 0;
  for (int k = 0; k < 128; ++k) wrong += out[k] != in[k];
  EXPECT_TRUE(wrong > 0 || !result.empty());
}
