// SPDX-License-Identifier: Apache-2.0
// Entry point of the test programs of the CUDA backend: without a device every test is skipped. A program that was configured
// without one has no device code (cmake/TenonTargets.cmake) and fails where it meets one.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

class device_required : public testing::Environment {
  void SetUp() override {
    int device_count = 0;
    cudaError_t status = cudaGetDeviceCount(&device_count);
    if (status != cudaSuccess || device_count == 0) {
      GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(status);
    }
#if defined(TENON_COMPILE_ONLY)
    FAIL() << "configured where there was no CUDA device: configure the build again";
#endif
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new device_required);
  return RUN_ALL_TESTS();
}
