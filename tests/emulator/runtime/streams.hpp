// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams, events and graphs that there are.

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "runtime/state.hpp"

namespace emulator::runtime {

extern std::map<cudaStream_t, std::shared_ptr<stream>> streams;
extern std::set<event*> events;
extern thread_local cudaStreamCaptureMode capture_mode;

// That of launches without a stream.
std::shared_ptr<stream> const& legacy();
std::shared_ptr<stream> make_stream(bool is_blocking);
// In the order in which they are run when all are waited for.
std::vector<std::shared_ptr<stream>> all_streams();
void queue(std::shared_ptr<stream> const& s, operation o);
void queue_wait(std::shared_ptr<stream> const& s, std::shared_ptr<stream> const& other);
event* event_of(cudaEvent_t handle);  // null: no such event
void invalidate(stream& s);           // the capture that it is in

}  // namespace emulator::runtime
