// SPDX-License-Identifier: Apache-2.0
#pragma once
// expect_one_launch: a call puts one kernel into its stream and nothing else, as a captured graph
// shows.

#include <gtest/gtest.h>

#include <vector>

#include "tenon/tenon.hpp"

// Makes the call; on CUDA then out of a graph, twice, so that what a kernel leaves behind for the
// next one is seen. @post the outputs are those of the last call
template <class Call> void expect_one_launch(Call const& call) {
#if defined(__CUDACC__)
  cudaStream_t on = nullptr;
  tenon::check(cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking), "test");
  call(tenon::stream(on));  // makes the plan and the workspace
  cudaGraph_t cuda_graph = nullptr;
  tenon::check(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal), "test");
  call(tenon::stream(on));
  tenon::check(cudaStreamEndCapture(on, &cuda_graph), "test");

  std::size_t count = 0;
  tenon::check(cudaGraphGetNodes(cuda_graph, nullptr, &count), "test");
  std::vector<cudaGraphNode_t> nodes(count);
  tenon::check(cudaGraphGetNodes(cuda_graph, nodes.data(), &count), "test");
  EXPECT_EQ(count, 1u) << "launches, copies and fills of one call";
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    tenon::check(cudaGraphNodeGetType(node, &type), "test");
    EXPECT_EQ(type, cudaGraphNodeTypeKernel);
  }

  cudaGraphExec_t executable = nullptr;
  tenon::check(cudaGraphInstantiate(&executable, cuda_graph, 0), "test");
  for (int replay = 0; replay < 2; ++replay) tenon::check(cudaGraphLaunch(executable, on), "test");
  tenon::synchronize(tenon::stream(on));
  tenon::check(cudaGraphExecDestroy(executable), "test");
  tenon::check(cudaGraphDestroy(cuda_graph), "test");
  tenon::check(cudaStreamDestroy(on), "test");
#else
  call(tenon::stream{});
#endif
}
