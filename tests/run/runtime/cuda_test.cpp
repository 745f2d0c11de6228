// SPDX-License-Identifier: Apache-2.0
// tenon-test: cuda-only
// What only a device can show: streams, CUDA graphs, the number of launches, host pointers.
#include <thread>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

constexpr auto twice = tn::compile([](auto x) { return x * 2; }, "twice");
constexpr auto successor = tn::compile([](auto x) { return x + 1; }, "successor");
constexpr auto total = tn::compile([](auto x) { return tn::sum(x); }, "total");
constexpr auto softmax =
    tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); }, "softmax");
constexpr auto nested =
    tn::compile([](auto x) { return tn::mean(tn::silu(tn::sum(x, tn::axis<1>))); }, "nested");

constexpr auto shares = tn::compile(
    [](auto x) { return x / tn::sum(tn::sqrt(tn::sum(x * x, tn::axis<1>))); }, "shares");

class cuda_calls : public testing::Test {
 protected:
  void SetUp() override {
    if (tn::device_count() == 0) GTEST_SKIP() << "no CUDA device";
    for (cudaStream_t& s : streams)
      tn::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "test");
  }
  void TearDown() override {
    for (cudaStream_t s : streams)
      if (s) cudaStreamDestroy(s);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "an error was left behind";
  }

  // What `work` puts into the first stream, as a graph that has not run.
  template <class Work> cudaGraph_t captured(Work const& work) {
    cudaGraph_t cuda_graph = nullptr;
    tn::check(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal), "test");
    work();
    tn::check(cudaStreamEndCapture(streams[0], &cuda_graph), "test");
    return cuda_graph;
  }
  void replay(cudaGraph_t cuda_graph) {
    cudaGraphExec_t executable = nullptr;
    tn::check(cudaGraphInstantiate(&executable, cuda_graph, 0), "test");
    tn::check(cudaGraphLaunch(executable, streams[0]), "test");
    tn::synchronize(streams[0]);
    tn::check(cudaGraphExecDestroy(executable), "test");
  }

  cudaStream_t streams[2] = {};
};

std::vector<cudaGraphNodeType> node_types(cudaGraph_t cuda_graph) {
  std::size_t count = 0;
  tn::check(cudaGraphGetNodes(cuda_graph, nullptr, &count), "test");
  std::vector<cudaGraphNode_t> nodes(count);
  tn::check(cudaGraphGetNodes(cuda_graph, nodes.data(), &count), "test");
  std::vector<cudaGraphNodeType> types(count);
  for (std::size_t k = 0; k < count; ++k)
    tn::check(cudaGraphNodeGetType(nodes[k], &types[k]), "test");
  return types;
}

TEST_F(cuda_calls, result_is_allocated_on_the_stream_of_the_call) {
  auto x = random_array<float, 1>({1025});
  auto const result = twice.on(streams[0])(x.view());
  EXPECT_EQ(result.on().handle, streams[0]);
  check_close(tn::dtype::f32, result_of(result),
              reference::elementwise([](double v) { return v * 2; }, x.values()));
}

// One kernel and nothing else: no memset of a ticket, no copy. The first call made the workspace.
TEST_F(cuda_calls, every_call_is_one_kernel_node) {
  auto x = random_array<float, 2>({300, 5000});
  tn::tensor<float, tn::dyn, tn::dyn> same(300, 5000);
  tn::tensor<float> one;
  auto const count = [&](auto const& f, auto& out) {
    f.on(streams[0]).into(out)(x.view());
    cudaGraph_t const cuda_graph = captured([&] { f.on(streams[0]).into(out)(x.view()); });
    EXPECT_EQ(node_types(cuda_graph), std::vector<cudaGraphNodeType>{cudaGraphNodeTypeKernel})
        << f.name().name;
    tn::check(cudaGraphDestroy(cuda_graph), "test");
  };
  count(twice, same);
  count(softmax, same);
  count(total, one);
  count(nested, one);
  count(shares, same);
}

TEST_F(cuda_calls, a_captured_call_replays_with_new_data) {
  auto x = random_array<float, 2>({300, 5000}, arrangement::contiguous, 0, 1);
  tn::tensor<float> sum, mean;
  auto const work = [&] {
    total.on(streams[0]).into(sum)(x.view());
    nested.on(streams[0]).into(mean)(x.view());
  };
  work();
  tn::synchronize(streams[0]);
  cudaGraph_t const cuda_graph = captured(work);
  for (int round = 0; round < 3; ++round) {
    x.set(random_doubles<float>({300, 5000}, 0, 1));
    replay(cuda_graph);
    doubles const rows = reference::reduced(x.values(), 0b10, false, reference::sum);
    tolerance const allowed{.arithmetic = sum_roundoffs(300 * 5000) + 8};
    check_close(tn::dtype::f32, result_of(sum),
                reference::reduced(rows, 0b1, false, reference::sum), allowed, "sum");
    doubles const gated = reference::elementwise(reference::silu, rows);
    check_close(tn::dtype::f32, result_of(mean),
                reference::reduced(gated, 0b1, false, reference::mean), allowed, "nested");
  }
  tn::check(cudaGraphDestroy(cuda_graph), "test");
}

// A kernel begins while the one before it comes to its end; a count that any of them read too early
// would be too low.
TEST_F(cuda_calls, a_kernel_sees_what_the_one_before_it_wrote) {
  constexpr int calls = 400;
  for (long long size : {1, 1025, 300000, 3000001}) {
    tn::tensor<float, tn::dyn> a(size), b(size);
    auto const work = [&] {
      for (int call = 0; call < calls; call += 2) {
        successor.on(streams[0]).into(b)(a);
        successor.on(streams[0]).into(a)(b);
      }
    };
    tn::check(cudaMemset(a.data(), 0, static_cast<std::size_t>(size) * sizeof(float)), "test");
    tn::check(cudaDeviceSynchronize(), "test");
    work();
    cudaGraph_t const cuda_graph = captured(work);
    replay(cuda_graph);
    tn::check(cudaGraphDestroy(cuda_graph), "test");
    EXPECT_EQ(tn::to_vector(a), std::vector<float>(static_cast<std::size_t>(size), 2 * calls));
  }
}

#if !defined(__CUDA_ARCH__)  // in the pass for the device there are no workspaces
// They have one handle and run beside each other.
TEST_F(cuda_calls, threads_own_default_streams_have_a_workspace_each) {
  auto const workspace = [] {
    return tn::detail::workspaces::get(64, tn::current_device(), cudaStreamPerThread);
  };
  void *first = nullptr, *second = nullptr, *again = nullptr;
  std::thread([&] {
    first = workspace();
    std::thread([&] { second = workspace(); }).join();
    again = workspace();
  }).join();
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, again);
}
#endif

// Allocating a workspace would become part of the graph, so that the call says what to do instead.
// A stream may have the handle of one that was destroyed, and its workspace: of some that there are
// at once, one has not.
TEST_F(cuda_calls, the_first_call_on_a_stream_may_not_be_captured) {
  auto x = random_array<float, 1>({1 << 20});
  tn::tensor<float> sum;
  std::string message;
  std::vector<cudaStream_t> used;
  while (message.substr(0, 5) != "tenon" && used.size() < 100) {
    used.push_back(streams[0]);
    tn::check(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking), "test");
    cudaGraph_t const cuda_graph =
        captured([&] { message = message_of([&] { total.on(streams[0]).into(sum)(x.view()); }); });
    tn::check(cudaGraphDestroy(cuda_graph), "test");
  }
  EXPECT_EQ(message.substr(0, 49), "tenon: workspace: the first call on a stream need");
  EXPECT_NE(message.find("; call the expression once on this stream before the capture begins"),
            std::string::npos)
      << message;
  for (cudaStream_t stream : used) tn::check(cudaStreamDestroy(stream), "test");
}

TEST_F(cuda_calls, a_captured_launch_whose_blocks_meet_replays) {
  auto x = random_array<float, 2>({300, 5000}, arrangement::contiguous, 0, 1);
  tn::tensor<float, tn::dyn, tn::dyn> result(300, 5000);
  auto const work = [&] { shares.on(streams[0]).into(result)(x.view()); };
  work();
  tn::synchronize(streams[0]);
  cudaGraph_t const cuda_graph = captured(work);
  for (int round = 0; round < 3; ++round) {
    x.set(random_doubles<float>({300, 5000}, 0, 1));
    replay(cuda_graph);
    doubles const squares = reference::elementwise([](double v) { return v * v; }, x.values());
    double total = 0;
    for (double v : reference::reduced(squares, 0b10, false, reference::sum).values)
      total += std::sqrt(v);
    check_close(tn::dtype::f32, result_of(result),
                reference::elementwise([&](double v) { return v / total; }, x.values()),
                {.arithmetic = sum_roundoffs(300 * 5000) + 8}, "shares");
  }
  tn::check(cudaGraphDestroy(cuda_graph), "test");
}

// Each stream has tickets of its own; with shared ones a block of one launch would end the other's.
TEST_F(cuda_calls, two_streams_reduce_at_once) {
  constexpr int rounds = 100;
  auto x = random_array<float, 1>({3000000}, arrangement::contiguous, 0, 1),
       y = random_array<float, 1>({2000003}, arrangement::contiguous, 0, 1);
  std::vector<tn::tensor<float>> x_sums(rounds), y_sums(rounds);
  for (int round = 0; round < rounds; ++round) {
    total.on(streams[0]).into(x_sums[static_cast<std::size_t>(round)])(x.view());
    total.on(streams[1]).into(y_sums[static_cast<std::size_t>(round)])(y.view());
  }
  tn::check(cudaDeviceSynchronize(), "test");
  auto const check = [](array<float, 1> const& of, std::vector<tn::tensor<float>> const& sums) {
    float const first = sums[0].item();
    EXPECT_NEAR(first, reference::sum(of.values().values),
                first * sum_roundoffs(of.size()) * 0x1p-24);
    for (tn::tensor<float> const& sum : sums) EXPECT_EQ(sum.item(), first);
  };
  check(x, x_sums);
  check(y, y_sums);
}

TEST_F(cuda_calls, a_host_pointer_is_refused) {
  std::vector<float> on_host(100);
  tn::view<float, tn::dyn> const host_view(on_host.data(), 100);
  tn::tensor<float, tn::dyn> x(100);
  EXPECT_ERROR(twice(host_view),
               "tenon: call: the pointer is not memory that the device can use; copy the data with "
               "tn::to<tn::cuda> first (expression twice, operand 0)");
  EXPECT_ERROR(twice.into(host_view)(x),
               "tenon: call: the pointer is not memory that the device can use; copy the data with "
               "tn::to<tn::cuda> first (expression twice)");
}

TEST_F(cuda_calls, managed_and_pinned_memory_are_usable) {
  for (bool is_managed : {true, false}) {
    float* data = nullptr;
    tn::check(is_managed ? cudaMallocManaged(&data, 400) : cudaMallocHost(&data, 400), "test");
    for (int k = 0; k < 100; ++k) data[k] = static_cast<float>(k);
    doubles const result = result_of(twice(tn::view<float, tn::dyn>(data, 100)));
    for (int k = 0; k < 100; ++k) EXPECT_EQ(result[k], 2 * k);
    tn::check(is_managed ? cudaFree(data) : cudaFreeHost(data), "test");
  }
}

// Plans are shared by threads, of which a new one has not used the device yet.
TEST_F(cuda_calls, new_threads_call_what_another_has_planned) {
  auto x = random_array<float, 1>({4100});
  std::vector<float> const expected = tn::to_vector(twice(x.view()));
  for (cudaStream_t on : {streams[0], cudaStream_t{}}) {
    std::vector<std::vector<float>> results(8);
    std::vector<std::thread> threads;
    for (std::vector<float>& mine : results)
      threads.emplace_back([&mine, &x, on] {
        for (int call = 0; call < 3; ++call) mine = tn::to_vector(twice.on(on)(x.view()));
      });
    for (std::thread& t : threads) t.join();
    for (std::vector<float> const& mine : results) EXPECT_EQ(mine, expected);
  }
}

// An address that was the device's may later be the host's.
TEST_F(cuda_calls, expressions_on_both_spaces_in_one_program) {
  tn::cpu::tensor<float, tn::dyn> host(std::vector<float>{1, 2, 3}, 3);
  auto const device = tn::to<tn::cuda>(host);
  EXPECT_EQ(tn::to_vector(twice(host)), tn::to_vector(twice(device)));
}

}  // namespace
