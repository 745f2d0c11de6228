// SPDX-License-Identifier: Apache-2.0
// Captures and graphs.

#include <memory>
#include <utility>

#include "runtime/streams.hpp"

using namespace emulator;
using namespace emulator::runtime;

namespace {

std::map<graph*, std::unique_ptr<graph>> graphs, executables;

cudaError_t launch_graph(graph const& g, std::shared_ptr<stream> const& s) {
  for (operation const& node : g.nodes)
    if (cudaError_t e = put(s, node)) return e;
  return cudaSuccess;
}
graph* graph_of(cudaGraph_t handle) {
  graph* const g = reinterpret_cast<graph*>(handle);
  return graphs.count(g) ? g : nullptr;
}
}  // namespace

TENON_EMULATOR_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  if (s == legacy()) return fail(cudaErrorStreamCaptureUnsupported);
  if (s->capture) return fail(cudaErrorIllegalState);
  auto made = std::make_unique<graph>();
  s->capture = made.get();
  s->is_capture_origin = true;
  made->streams.insert(s);
  graphs[made.get()] = std::move(made);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* to) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  *to = nullptr;
  if (!s->capture) return fail(cudaErrorIllegalState);
  if (!s->is_capture_origin) return fail(cudaErrorStreamCaptureUnmatched);
  graph* const g = s->capture;
  for (auto const& each : g->streams) each->capture = nullptr, each->is_capture_origin = false;
  g->streams.clear();
  for (event* e : events)
    if (e->captured == g) e->captured = nullptr;
  if (g->is_invalid) {
    graphs.erase(g);
    return fail(cudaErrorStreamCaptureInvalidated);
  }
  *to = reinterpret_cast<cudaGraph_t>(g);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                                     cudaStreamCaptureStatus* to) {
  TENON_EMULATOR_ENTER();
  auto const s = stream_of(handle);
  if (!s) return fail(cudaErrorInvalidResourceHandle);
  if (s == legacy() && is_unsafe_while_capturing()) {
    bool is_implicit = false;
    for (auto const& [other, each] : streams) is_implicit |= each->capture && each->is_blocking;
    if (is_implicit) return fail(cudaErrorStreamCaptureImplicit);
  }
  *to = !s->capture              ? cudaStreamCaptureStatusNone
        : s->capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* to,
                                                 size_t* count) {
  TENON_EMULATOR_ENTER();
  graph* const g = graph_of(handle);
  if (!g || !count) return fail(cudaErrorInvalidValue);
  for (std::size_t k = 0; to && k < *count; ++k)
    to[k] = k < g->nodes.size() ? reinterpret_cast<cudaGraphNode_t>(&g->nodes[k]) : nullptr;
  if (!to || *count > g->nodes.size()) *count = g->nodes.size();
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* to) {
  TENON_EMULATOR_ENTER();
  *to = reinterpret_cast<operation*>(node)->type;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  TENON_EMULATOR_ENTER();
  if (!graph_of(handle)) return fail(cudaErrorInvalidValue);
  graphs.erase(graph_of(handle));
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t handle,
                                                    unsigned long long) {
  TENON_EMULATOR_ENTER();
  graph* const g = graph_of(handle);
  if (!g) return fail(cudaErrorInvalidValue);
  auto made = std::make_unique<graph>();
  made->nodes = g->nodes;
  *to = reinterpret_cast<cudaGraphExec_t>(made.get());
  executables[made.get()] = std::move(made);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* to,
                                                             cudaGraph_t handle,
                                                             unsigned long long flags) {
  return cudaGraphInstantiate(to, handle, flags);
}
TENON_EMULATOR_API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  use_device();
  auto const found = executables.find(reinterpret_cast<graph*>(handle));
  auto const s = stream_of(on);
  if (found == executables.end() || !s) return fail(cudaErrorInvalidResourceHandle);
  return fail(launch_graph(*found->second, s));
}
TENON_EMULATOR_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  TENON_EMULATOR_ENTER();
  return executables.erase(reinterpret_cast<graph*>(handle)) ? cudaSuccess
                                                             : fail(cudaErrorInvalidResourceHandle);
}
