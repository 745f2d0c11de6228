// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handlers that the decoder itself places.

#include <string>

#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"

namespace emulator {

void run_unknown(warp&, instruction const&);
void run_predicated(warp&, instruction const&);
void run_branch(warp&, instruction const&);
void run_branch_if(warp&, instruction const&);
void run_branch_table(warp&, instruction const&);
void run_return(warp&, instruction const&);
void run_exit(warp&, instruction const&);
void run_end_of_function(warp&, instruction const&);
void run_nothing(warp&, instruction const&);

void run_special(warp&, instruction const&);
void run_frame_address(warp&, instruction const&);
template <class F, class T> void run_narrow(warp& w, instruction const& i) {
  elementwise<[](F x) -> T { return static_cast<T>(x); }, T, F>(w, i);
}

// A special register by its name, and its size; -1: none.
int special_named(std::string const& name, unsigned& bytes);

}  // namespace emulator
