// SPDX-License-Identifier: Apache-2.0
// What kernels do wrong is found and named.

#include "fixture.hpp"

using namespace emulator;

// Before the settings are read: no test here runs for long without a change.
static bool const is_impatient = setenv("TENON_EMULATOR_HANG", "1000000", 1) == 0;

TEST(faults, write_behind_an_allocation) {
  memory<float> a(1000);
  std::string const result = result_of(call("over", 1, 32, a, 995));
  EXPECT_TRUE(says(result, "outside of all")) << result;
  EXPECT_TRUE(says(result, "block (0, 0, 0) thread (5, 0, 0)")) << result;
}

TEST(faults, misaligned_access) {
  memory<float> a(1000);
  std::string const result = result_of(call("mis", 1, 32, a));
  EXPECT_TRUE(says(result, "misaligned")) << result;
}

TEST(faults, barrier_that_not_all_reach) {
  memory<int> a(64);
  std::string const result = result_of(call("stuck", 1, 128, a));
  EXPECT_TRUE(says(result, "deadlock")) << result;
}

TEST(faults, loop_that_nobody_ends) {
  memory<int> a(64);
  std::string const result = result_of(call("hang", 1, 64, a));
  EXPECT_TRUE(says(result, "deadlock")) << result;
}

TEST(faults, assertion) {
  memory<int> a(64, 7);
  std::string const result = result_of(call("says", 1, 64, a));
  EXPECT_TRUE(says(result, "assertion failed: a[0] != 7")) << result;
}

TEST(faults, printf_is_none) {
  memory<int> a(64, 3);
  testing::internal::CaptureStdout();
  EXPECT_EQ(result_of(call("says", 1, 64, a)), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "block 0 says 0.000000 and text 3\n");
}

TEST(faults, shared_memory_of_a_block_that_has_ended) {
  memory<unsigned> out(2);
  std::string const result = result_of(call("gone", 2, 32, out));
  EXPECT_TRUE(says(result, options().finds_races ? "race" : "has ended")) << result;
}

TEST(faults, race_between_warps) {
  if (!options().finds_races) GTEST_SKIP() << "of TENON_EMULATOR_CHECK=race";
  memory<int> out(64);
  std::string const result = result_of(call("racy", 1, 64, out));
  EXPECT_TRUE(says(result, "race in shared memory")) << result;
}

TEST(faults, race_within_a_warp) {
  if (!options().finds_races) GTEST_SKIP() << "of TENON_EMULATOR_CHECK=race";
  memory<int> out(32);
  EXPECT_EQ(result_of(call("warp_order", 1, 32, out, 1)), "");
  std::string const result = result_of(call("warp_order", 1, 32, out, 0));
  EXPECT_TRUE(says(result, "race in shared memory")) << result;
}

TEST(faults, read_of_what_nothing_has_written) {
  if (!options().finds_unwritten) GTEST_SKIP() << "of TENON_EMULATOR_CHECK=init";
  int const n = 32;
  memory<float> a(n), b(n), c(n);
  freed(a.data());
  allocated(a.data(), n * sizeof(float));  // again, and nobody writes it
  std::string const result = result_of(call("add", 1, 32, a, b, c, n));
  EXPECT_TRUE(says(result, "that nothing has written")) << result;
}
