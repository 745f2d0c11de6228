// SPDX-License-Identifier: Apache-2.0
// Streams: what is given to one is queued until somebody waits for it.

#include <cstdio>
#include <exception>
#include <utility>

#include "runtime/streams.hpp"

namespace emulator::runtime {

std::map<cudaStream_t, std::shared_ptr<stream>> streams;
std::set<event*> events;
thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

namespace {

constexpr std::uint64_t longest_queue = 512;  // operations; then it is run
std::uint64_t streams_made = 0;
bool is_lost = false;  // nothing runs any more

}  // namespace

std::shared_ptr<stream> make_stream(bool is_blocking) {
  auto made = std::make_shared<stream>();
  static auto& ever =
      *new std::vector<std::shared_ptr<stream>>;  // so that no handle comes a second time
  ever.push_back(made);
  made->id = ++streams_made;
  made->is_blocking = is_blocking;
  return made;
}
std::shared_ptr<stream> const& legacy() {
  static auto const& it = *new std::shared_ptr<stream>(make_stream(true));
  return it;
}
static std::shared_ptr<stream> const& per_thread() {
  static thread_local std::shared_ptr<stream> it;
  if (!it) {
    it = make_stream(true);
    streams[reinterpret_cast<cudaStream_t>(it.get())] = it;
  }
  return it;
}
std::vector<std::shared_ptr<stream>> all_streams() {
  std::vector<std::shared_ptr<stream>> result{legacy()};
  for (auto const& [handle, s] : streams) result.push_back(s);
  if (options().seed % 2 != 0) return {result.rbegin(), result.rend()};
  return result;
}
void queue(std::shared_ptr<stream> const& s, operation o) {
  s->queue.push_back(std::move(o));
  ++s->enqueued;
}
void queue_wait(std::shared_ptr<stream> const& s, std::shared_ptr<stream> const& other) {
  if (other->done == other->enqueued || other == s) return;
  operation o;
  o.what = operation::wait, o.other = other, o.upto = other->enqueued;
  queue(s, std::move(o));
}
static void run_launches(std::vector<launch>& launches) {
  if (options().is_traced)
    for (auto const& l : launches)
      std::fprintf(
          stderr,
          "emulator: run %u x %u x %u blocks of %u x %u x %u, cluster %u, %zu bytes%s%s: %s\n",
          l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], l.cluster[0],
          l.dynamic_shared_bytes, l.is_cooperative ? ", cooperative" : "",
          l.may_begin_early ? ", early" : "", facts_of(*l.code).name.substr(0, 400).c_str());
  std::string wrong;
  try {
    wrong = run(launches);
  } catch (std::exception const& e) {
    wrong = e.what();
  }
  if (wrong.empty()) return;
  std::fprintf(stderr, "emulator: %s\n", wrong.c_str());
  auto const says = [&](char const* word) { return wrong.find(word) != std::string::npos; };
  lose(says("isaligned")                       ? cudaErrorMisalignedAddress
       : says("assert")                        ? cudaErrorAssert
       : says("outside") || says("allocation") ? cudaErrorIllegalAddress
                                               : cudaErrorLaunchFailure);
  is_lost = options().is_sticky;
}
static void perform(operation& o) {
  switch (o.what) {
    case operation::action:
      if (o.act) o.act();
      break;
    case operation::wait:
      run_upto(o.other, o.upto);
      break;
    case operation::memory_alloc:
      make_ready(*o.memory);
      break;
    case operation::memory_free:
      make_gone(*o.memory);
      break;
    case operation::launch:
      break;
  }
}
void invalidate(stream& s) {
  if (s.capture) s.capture->is_invalid = true;
}

std::shared_ptr<stream> stream_of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy();
  if (handle == cudaStreamPerThread) return per_thread();
  auto const found = streams.find(handle);
  return found == streams.end() ? nullptr : found->second;
}

cudaError_t put(std::shared_ptr<stream> const& s, operation o) {
  if (s->capture) {
    if (s->capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
    s->capture->nodes.push_back(std::move(o));
    return cudaSuccess;
  }
  if (s == legacy()) {
    for (auto const& other : all_streams())
      if (other->is_blocking) {
        if (other->capture) {  // waiting for it would become part of the graph
          invalidate(*other);
          return cudaErrorStreamCaptureImplicit;
        }
        queue_wait(s, other);
      }
  } else if (s->is_blocking) {
    queue_wait(s, legacy());
  }
  queue(s, std::move(o));
  if (s->queue.size() > longest_queue) run_upto(s, s->enqueued);
  return cudaSuccess;
}

void run_upto(std::shared_ptr<stream> const& s, std::uint64_t index) {
  if (s->is_running) return;  // reached again through waits for each other's past
  s->is_running = true;
  while (s->done < index && !s->queue.empty()) {
    if (is_lost) {
      s->done += s->queue.size();
      s->queue.clear();
      break;
    }
    if (s->queue.front().what == operation::launch) {
      std::vector<launch> launches;
      while (s->done < index && !s->queue.empty() && s->queue.front().what == operation::launch) {
        launches.push_back(std::move(s->queue.front().kernel));
        s->queue.pop_front();
        ++s->done;
      }
      run_launches(launches);
    } else {
      operation o = std::move(s->queue.front());
      s->queue.pop_front();
      ++s->done;
      perform(o);
    }
  }
  s->is_running = false;
}
cudaError_t wait_for(std::shared_ptr<stream> const& s) {
  run_upto(s, s->enqueued);
  return lost();
}
cudaError_t wait_for_all() {
  for (auto const& s : all_streams()) run_upto(s, s->enqueued);
  trim_pools();
  return lost();
}
bool is_unsafe_while_capturing() {
  if (capture_mode == cudaStreamCaptureModeRelaxed) return false;
  for (auto const& [handle, s] : streams)
    if (s->capture) return true;
  return false;
}
}  // namespace emulator::runtime
