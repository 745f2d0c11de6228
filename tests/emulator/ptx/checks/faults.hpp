// SPDX-License-Identifier: Apache-2.0
#pragma once
// What goes wrong, said with the kernel, the block, the thread and the line of PTX.

#include <stdexcept>
#include <string>

#include "ptx/machine.hpp"

namespace emulator {

struct fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// lane -1: of the warp.

[[noreturn]] void fail(warp& w, int lane, std::string const& what);

std::string where_of(warp const& w, int lane);

std::string instruction_text(warp const& w, instruction const& i);

}  // namespace emulator
