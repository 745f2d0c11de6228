// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the parts of the runtime know of each other. One lock guards all of it, also while launches
// run.

#include <cuda_runtime_api.h>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator.hpp"
#include "settings.hpp"

namespace emulator::runtime {

using lock = std::lock_guard<std::recursive_mutex>;
extern std::recursive_mutex all;

cudaError_t fail(cudaError_t);  // becomes the thread's last error, is returned
cudaError_t lost();             // of a kernel that went wrong, or success
void lose(cudaError_t);
void use_device();  // the thread has the device's context from now on
bool uses_device();

enum class kind { device, pinned, managed };
struct pool;
struct block {  // of memory; stays while its pool keeps it
  char* data = nullptr;
  std::size_t bytes = 0, capacity = 0;
  std::size_t asked = 0;  // of the last allocation, whose turn may not have come
  kind of = kind::device;
  pool* owner = nullptr;
  bool is_live = false;        // between the calls that allocate and free it
  bool is_registered = false;  // the interpreter knows of it
  bool is_graphs = false;      // lives while a graph runs
  std::uint64_t freed_in = 0;  // the stream whose free is still queued, 0: none
  int frees = 0;               // that are queued
};
block* block_at(void const* p);  // that holds it and is live; null: none
// All of it lies in one live block or variable.
bool is_usable(void const* p, std::size_t bytes);
// The interpreter knows it from now on, or no more; it is poisoned.
void make_ready(block&);
void make_gone(block&);
void trim_pools();  // at synchronisation: pools that keep nothing
void note_written(void* at, std::size_t bytes);

struct graph;
struct stream;
struct event {
  std::shared_ptr<stream> in;
  std::uint64_t upto = 0;
  graph* captured = nullptr;
  double seconds = 0;
};
struct operation {
  enum { launch, action, wait, memory_alloc, memory_free } what = action;
  emulator::launch kernel;
  std::function<void()> act;
  std::shared_ptr<stream> other;  // wait
  std::uint64_t upto = 0;
  block* memory = nullptr;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
};
struct stream {
  std::uint64_t id = 0, enqueued = 0, done = 0;
  std::deque<operation> queue;  // operations [done, enqueued)
  bool is_blocking = true, is_running = false;
  graph* capture = nullptr;
  bool is_capture_origin = false;
};
struct graph {
  std::vector<operation> nodes;
  bool is_invalid = false;
  std::set<std::shared_ptr<stream>> streams;
};

std::shared_ptr<stream> stream_of(cudaStream_t);  // null: no such stream
cudaError_t put(std::shared_ptr<stream> const&, operation);
void run_upto(std::shared_ptr<stream> const&, std::uint64_t index);
cudaError_t wait_for(std::shared_ptr<stream> const&);  // all of it; the error
cudaError_t wait_for_all();
bool is_unsafe_while_capturing();  // a stream is being captured: what could wait for it is refused

bool variable_at(void const* p, std::size_t bytes);

}  // namespace emulator::runtime

// What all of that begins with: nothing goes on after a kernel went wrong.
#define TENON_EMULATOR_ENTER()                                                        \
  emulator::runtime::lock rt_guard(emulator::runtime::all);                           \
  do {                                                                                \
    if (cudaError_t e = emulator::runtime::lost()) return emulator::runtime::fail(e); \
  } while (0)
// What programs call.
#define TENON_EMULATOR_API extern "C" __attribute__((visibility("default")))
