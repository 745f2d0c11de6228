// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the runtime asks of the interpreter: modules of PTX text, queues of launches, what memory
// there is. Addresses of global memory are addresses of the host.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

struct module;  // parsed PTX text
struct kernel;  // one .entry of it

struct parameter {
  std::size_t offset, size;
};
struct kernel_facts {
  std::string name;
  std::vector<parameter> parameters;  // where they lie in the buffer of arguments
  std::size_t parameter_bytes = 0;
  std::size_t static_shared_bytes = 0;  // of what the entry and its functions use
  unsigned max_threads = 1024;          // .maxntid, .reqntid
  unsigned min_blocks = 0;              // .minnctapersm
  unsigned required_cluster[3] = {0, 0, 0};
};

// Throws std::runtime_error with the line. Bodies of functions are read when a kernel is asked for
// that calls them.
std::shared_ptr<module> load_module(std::string ptx);
kernel* find_kernel(module&, std::string const& name);  // null if there is none
kernel_facts const& facts_of(kernel const&);
void* address_of_global(module&, std::string const& name,
                        std::size_t* size);  // null if there is none

struct launch {
  kernel* code = nullptr;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  std::size_t dynamic_shared_bytes = 0;
  std::vector<unsigned char> arguments;  // facts_of(*code).parameter_bytes
  bool is_cooperative = false;           // all blocks are resident at once
  // Programmatic stream serialization: may begin when all blocks of the launch in front have said
  // griddepcontrol.launch_dependents or ended.
  bool may_begin_early = false;
};

// Runs launches as one stream would: one begins when the one in front has ended, or early as above;
// then blocks of both take turns, and griddepcontrol.wait waits until the launch in front, and so
// all before it, has ended. Returns an empty text, or what went wrong and where. @pre one thread at
// a time
std::string run(std::vector<launch>& queue);

// What memory there is: every access of global memory has to lie in one allocation.
void allocated(void* at, std::size_t bytes);
void freed(void* at);
// The host wrote there; what lies outside of allocations is nothing. The check `init` looks at it.
void written(void* at, std::size_t bytes);

}  // namespace emulator
