// SPDX-License-Identifier: Apache-2.0
// tenon-test: cuda-only
// What only a CUDA device can show: properties, pointers, stream-ordered memory, captured streams,
// and the messages.

#include "tenon/runtime/device.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "run/tensor/support.hpp"
#include "tenon/runtime/copy.hpp"
#include "tenon/runtime/stream.hpp"

namespace tn = tenon;

namespace {

class device : public testing::Test {
 protected:
  void SetUp() override {
    if (tn::device_count() == 0) GTEST_SKIP() << "no CUDA device";
    tn::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "test");
  }
  void TearDown() override {
    if (stream) cudaStreamDestroy(stream);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "an error was left behind";
  }
  cudaStream_t stream = nullptr;
};

TEST_F(device, properties_are_those_of_the_driver) {
  tn::device_properties const& found = tn::properties_of(tn::current_device());
  cudaDeviceProp expected{};
  tn::check(cudaGetDeviceProperties(&expected, tn::current_device()), "test");
  EXPECT_EQ(found.compute_capability, expected.major * 10 + expected.minor);
  EXPECT_EQ(found.multiprocessors, expected.multiProcessorCount);
  EXPECT_EQ(found.shared_bytes_per_block_opt_in, expected.sharedMemPerBlockOptin);
  EXPECT_EQ(found.l2_bytes, static_cast<std::size_t>(expected.l2CacheSize));
  EXPECT_EQ(&found, &tn::properties_of(tn::current_device())) << "asked once";
}

TEST_F(device, pointers_are_told_apart) {
  int on_stack = 0;
  std::vector<int> on_heap(3);
  tn::cuda::tensor<int, 3> on_device;
  void *pinned = nullptr, *managed = nullptr;
  tn::check(cudaMallocHost(&pinned, 64), "test");
  tn::check(cudaMallocManaged(&managed, 64), "test");
  EXPECT_FALSE(tn::is_device_pointer(nullptr));
  EXPECT_FALSE(tn::is_device_pointer(&on_stack));
  EXPECT_FALSE(tn::is_device_pointer(on_heap.data()));
  EXPECT_TRUE(tn::is_device_pointer(on_device.data()));
  EXPECT_TRUE(tn::is_device_pointer(on_device.data() + 2));
  EXPECT_TRUE(tn::is_device_pointer(pinned));
  EXPECT_TRUE(tn::is_device_pointer(managed));
  EXPECT_EQ(tn::device_of(on_device.data()), tn::current_device());
  cudaFreeHost(pinned);
  cudaFree(managed);
}

TEST_F(device, freed_memory_serves_the_next_tensor_of_the_stream) {
  void* first = nullptr;
  {
    tn::cuda::tensor<float, tn::dyn> x(stream, 1 << 20);
    first = x.data();
  }
  tn::cuda::tensor<float, tn::dyn> y(stream, 1 << 20);
  EXPECT_EQ(y.data(), first);
  EXPECT_EQ(y.on(), tn::stream(stream));
}

TEST_F(device, released_memory_returns_to_the_device) {
  auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    tn::check(cudaMemGetInfo(&free, &total), "test");
    return free;
  };
  std::size_t const bytes = 512 << 20;
  { tn::cuda::tensor<std::uint8_t, tn::dyn> x(stream, bytes); }
  tn::synchronize(stream);
  std::size_t const kept = free_bytes();
  tn::release_memory();
  EXPECT_GE(free_bytes(), kept + bytes / 2);
}

TEST_F(device, tensor_may_be_made_inside_a_captured_stream) {
  tn::cuda::tensor<float, tn::dyn> x(counted(33), 33), y(33);
  EXPECT_FALSE(tn::is_capturing(stream));
  tn::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "test");
  EXPECT_TRUE(tn::is_capturing(stream));
  {
    tn::cuda::tensor<float, tn::dyn> between(stream, 33);
    tn::copy(between, x, stream);
    tn::copy(y, between.view().sliced<0>(32, tn::detail::open_bound, -1), stream);
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  tn::check(cudaStreamEndCapture(stream, &graph), "test");
  tn::check(cudaGraphInstantiate(&executable, graph, 0), "test");
  tn::check(cudaGraphLaunch(executable, stream), "test");
  std::vector<float> const result = tn::to_vector(y.view(), stream);
  for (std::size_t i = 0; i < 33; ++i) EXPECT_EQ(result[i], static_cast<float>(32 - i));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST_F(device, host_copy_inside_a_captured_stream_is_refused) {
  tn::cuda::tensor<float, tn::dyn> x(counted(3), 3);
  tn::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "test");
  std::string const message = message_of([&] { tn::to_vector(x.view(), stream); });
  EXPECT_EQ(message.find("tenon: copy: not possible while a stream is being captured: "), 0u)
      << message;
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
}

TEST_F(device, order_makes_one_stream_wait_for_another) {
  constexpr std::int64_t count = 1 << 24;
  tn::cuda::tensor<std::int32_t, tn::dyn> x(stream, count), y(stream, count);
  cudaStream_t other = nullptr;
  tn::check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "test");
  tn::check(cudaMemsetAsync(y.data(), 0, count * 4, stream), "test");
  for (int value = 0; value < 8; ++value)
    tn::check(cudaMemsetAsync(x.data(), value, count * 4, stream), "test");
  tn::order(stream, other);
  tn::copy(y, x, other);
  tn::synchronize(other);
  EXPECT_EQ(tn::to_vector(y.view().sliced<0>(count - 1, count)),
            (std::vector<std::int32_t>{0x07070707}));
  cudaStreamDestroy(other);
}

TEST_F(device, tensors_are_freed_on_their_own_device) {
  if (tn::device_count() < 2) GTEST_SKIP() << "one CUDA device only";
  {
    tn::cuda::tensor<float, tn::dyn> x(3);
    tn::device_guard const other(1);
    tn::cuda::tensor<float, tn::dyn> y(3);
    EXPECT_EQ(tn::device_of(y.data()), 1);
    x = std::move(y);
  }
  EXPECT_EQ(tn::current_device(), 0);
}

TEST_F(device, copies_beyond_32_bit_offsets) {
  constexpr std::int64_t count = (1ll << 32) + 7;
  tn::cuda::tensor<std::uint8_t, tn::dyn> x(count), y(count);
  tn::check(cudaMemset(x.data(), 1, static_cast<std::size_t>(count)), "test");
  tn::copy(x.view().sliced<0>(count - 2, count),
           tn::cpu::tensor<std::uint8_t, 2>(std::vector<std::uint8_t>{5, 6}).view());
  tn::copy(y.view().sliced<0>(tn::detail::open_bound, tn::detail::open_bound, -1), x);
  EXPECT_EQ(tn::to_vector(y.view().sliced<0>(0, 3)), (std::vector<std::uint8_t>{6, 5, 1}));
  EXPECT_EQ(tn::to_vector(y.view().sliced<0>(count - 1, count)), (std::vector<std::uint8_t>{1}));
}

// --- messages

TEST_F(device, message_of_too_large_a_tensor) {
  std::string const message =
      message_of([] { tn::cuda::tensor<std::uint8_t, tn::dyn> x(1ll << 45); });
  EXPECT_EQ(message.find("tenon: tensor: 35184372088832 bytes of cuda memory could not be "
                         "allocated on device 0, where "),
            0u)
      << message;
  EXPECT_NE(message.find(
                " are free; free other tensors, call tn::release_memory(), or use smaller extents"),
            std::string::npos)
      << message;
}

TEST_F(device, message_of_a_device_that_is_not_there) {
  int const count = tn::device_count();
  EXPECT_ERROR(tn::properties_of(count), "tenon: device: there is no device " +
                                             std::to_string(count) + "; devices are 0 to " +
                                             std::to_string(count - 1));
  EXPECT_ERROR(tn::properties_of(-1), "tenon: device: there is no device -1; devices are 0 to " +
                                          std::to_string(count - 1));
}

TEST_F(device, an_error_of_the_caller_is_not_ours) {
  EXPECT_EQ(cudaMalloc(nullptr, 1), cudaErrorInvalidValue);
  tn::cuda::tensor<float, tn::dyn> x(counted(33), 33);
  EXPECT_EQ(tn::to_vector(x.view().sliced<0>(0, 33, 2)).size(), 17u);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "and it is still there for the caller";
}

__global__ void write_to(int* address) { *address = 1; }

// A child process, since the device is lost to the process afterwards.
TEST_F(device, a_failed_kernel_is_reported_by_the_next_call_and_destructors_are_silent) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto fail = [] {
    {
      tn::cuda::tensor<float, tn::dyn> x(counted(33), 33);
      write_to<<<1, 1>>>(reinterpret_cast<int*>(8));
      tn::check(cudaGetLastError(), "launch");
      std::string const first = message_of([] { tn::synchronize(); });
      std::string const second = message_of([] { tn::cuda::tensor<float, tn::dyn> y(33); });
      std::fprintf(stderr, "%s\n%s\n", first.c_str(), second.c_str());
    }
    std::exit(0);
  };
  EXPECT_EXIT(
      fail(), testing::ExitedWithCode(0),
      "tenon: synchronize: an earlier asynchronous error was found: cudaErrorIllegalAddress[^\n]*\n"
      "tenon: tensor: an earlier asynchronous error was found: cudaErrorIllegalAddress");
}

// The text needs no device: a status is described the same way wherever it comes from.
std::string described(cudaError_t status) {
  return message_of([&] { tn::check(status, "launch"); });
}

TEST(check, success_is_silent) { EXPECT_EQ(described(cudaSuccess), "nothing was raised"); }

TEST(check, earlier_asynchronous_error) {
  for (cudaError_t status : {cudaErrorIllegalAddress, cudaErrorMisalignedAddress,
                             cudaErrorLaunchFailure, cudaErrorAssert})
    EXPECT_EQ(described(status),
              std::string("tenon: launch: an earlier asynchronous error was found: ") +
                  cudaGetErrorName(status) + " (" + cudaGetErrorString(status) +
                  "); a kernel launched before this call failed and the device's state is lost; "
                  "run the program under "
                  "compute-sanitizer to find the kernel, and restart the process");
}

TEST(check, no_device) {
  for (cudaError_t status : {cudaErrorNoDevice, cudaErrorInsufficientDriver})
    EXPECT_EQ(described(status), std::string("tenon: launch: no CUDA device can be used: ") +
                                     cudaGetErrorName(status) + " (" + cudaGetErrorString(status) +
                                     "); check nvidia-smi and the driver, or use tn::cpu tensors");
}

TEST(check, no_kernel_image) {
  std::string const device = tn::detail::device_architecture();
  EXPECT_EQ(described(cudaErrorNoKernelImageForDevice),
            "tenon: launch: no kernel image for this device: compiled for " +
                tn::detail::compiled_architectures() + ", the device is " + device +
                ": cudaErrorNoKernelImageForDevice (" +
                cudaGetErrorString(cudaErrorNoKernelImageForDevice) + "); add -arch=" + device +
                " to nvcc's options");
  EXPECT_EQ(std::string_view(tn::detail::compiled_architectures().view()).find("sm_"), 0u);
}

TEST(check, captured_stream) {
  EXPECT_EQ(described(cudaErrorStreamCaptureUnsupported),
            std::string("tenon: launch: not possible while a stream is being captured: "
                        "cudaErrorStreamCaptureUnsupported (") +
                cudaGetErrorString(cudaErrorStreamCaptureUnsupported) +
                "); do it before the capture begins");
}

TEST(check, any_other_status) {
  EXPECT_EQ(described(cudaErrorInvalidValue),
            "tenon: launch: cudaErrorInvalidValue (invalid argument); see the CUDA runtime "
            "documentation");
}

}  // namespace
