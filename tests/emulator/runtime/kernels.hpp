// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs' kernels and variables, and what a kernel needs of a multiprocessor.

#include <memory>
#include <string>

#include "runtime/state.hpp"

namespace emulator::runtime {

struct binary {
  std::string text;  // PTX
  int target = 90;   // of it
  std::shared_ptr<module> loaded;
  bool is_broken = false;
};
struct function {
  binary* of = nullptr;
  std::string name;
  kernel* code = nullptr;
  int dynamic_shared_limit = -1;  // -1: 48 KB less what is declared
  bool may_have_large_clusters = false;
};
struct variable {
  binary* of = nullptr;
  std::string name;
  std::size_t bytes = 0;
  char* at = nullptr;
};

// Handles of kernels and the host's addresses of them are both known; null: neither.
function* function_of(void const* p);
kernel* code_of(function& f);  // null where its PTX cannot be read
variable* variable_of(void const* p);

int registers_of(kernel_facts const& facts);
int dynamic_limit(function const& f, kernel_facts const& facts);
// Blocks that a multiprocessor holds at once.
int resident_blocks(kernel_facts const& facts, unsigned threads, std::size_t dynamic_shared);
// Clusters that the device holds at once.
int resident_clusters(int blocks_of_multiprocessor, unsigned cluster);

struct wishes {
  unsigned cluster[3] = {1, 1, 1};
  bool has_cluster = false, is_cooperative = false, is_early = false;
};
wishes wishes_of(cudaLaunchAttribute const* attributes, unsigned count);

}  // namespace emulator::runtime
