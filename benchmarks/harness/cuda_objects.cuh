// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA's handles as objects that give themselves back: stream, memory, a pair of events, a captured
// graph.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "tenon/runtime/error_cuda.hpp"

namespace bench {

class owned_stream {
 public:
  owned_stream() {
    tenon::check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "stream");
  }
  ~owned_stream() { cudaStreamDestroy(handle_); }
  owned_stream(owned_stream const&) = delete;
  owned_stream& operator=(owned_stream const&) = delete;
  operator cudaStream_t() const { return handle_; }
  void synchronize() const { tenon::check(cudaStreamSynchronize(handle_), "stream"); }

 private:
  cudaStream_t handle_ = nullptr;
};

class device_memory {
 public:
  explicit device_memory(std::size_t bytes) {
    tenon::check(cudaMalloc(&data_, bytes), "device_memory");
  }
  ~device_memory() { cudaFree(data_); }
  device_memory(device_memory const&) = delete;
  device_memory& operator=(device_memory const&) = delete;
  void* data() const { return data_; }
  template <class T> T* as() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

class event_pair {
 public:
  event_pair() {
    tenon::check(cudaEventCreate(&begin_), "event");
    tenon::check(cudaEventCreate(&end_), "event");
  }
  ~event_pair() { cudaEventDestroy(begin_), cudaEventDestroy(end_); }
  event_pair(event_pair const&) = delete;
  event_pair& operator=(event_pair const&) = delete;

  void begin(cudaStream_t on) const { tenon::check(cudaEventRecord(begin_, on), "event"); }
  // Waits for everything since begin().
  double end_us(cudaStream_t on) const {
    tenon::check(cudaEventRecord(end_, on), "event");
    tenon::check(cudaEventSynchronize(end_), "event");
    float ms = 0;
    tenon::check(cudaEventElapsedTime(&ms, begin_, end_), "event");
    return ms * 1e3;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

// What `work` puts into the stream, as a graph.
class captured_graph {
 public:
  template <class Work> captured_graph(cudaStream_t on, Work const& work) {
    tenon::check(cudaStreamBeginCapture(on, cudaStreamCaptureModeRelaxed), "capture");
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(on, &graph_);  // the stream must be usable again
      if (graph_) cudaGraphDestroy(graph_);
      cudaGetLastError();
      throw;
    }
    tenon::check(cudaStreamEndCapture(on, &graph_), "capture");
    tenon::check(cudaGraphInstantiate(&runnable_, graph_, 0), "capture");
    tenon::check(cudaGraphUpload(runnable_, on), "capture");
  }
  ~captured_graph() { cudaGraphExecDestroy(runnable_), cudaGraphDestroy(graph_); }
  captured_graph(captured_graph const&) = delete;
  captured_graph& operator=(captured_graph const&) = delete;

  void replay(cudaStream_t on) const { tenon::check(cudaGraphLaunch(runnable_, on), "replay"); }

  // Kernels that a replay launches, and the copies and fills beside them.
  int kernel_count() const { return static_cast<int>(kernels().size()); }
  int other_count() const { return static_cast<int>(nodes().size()) - kernel_count(); }

 private:
  std::vector<cudaGraphNode_t> nodes() const {
    std::size_t size = 0;
    tenon::check(cudaGraphGetNodes(graph_, nullptr, &size), "capture");
    std::vector<cudaGraphNode_t> result(size);
    if (size) tenon::check(cudaGraphGetNodes(graph_, result.data(), &size), "capture");
    return result;
  }
  std::vector<cudaGraphNode_t> kernels() const {
    std::vector<cudaGraphNode_t> result;
    for (cudaGraphNode_t node : nodes()) {
      cudaGraphNodeType type;
      tenon::check(cudaGraphNodeGetType(node, &type), "capture");
      if (type == cudaGraphNodeTypeKernel) result.push_back(node);
    }
    return result;
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t runnable_ = nullptr;
};

}  // namespace bench
