// SPDX-License-Identifier: Apache-2.0
// Entry point of the test programs of the CPU backend.

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
