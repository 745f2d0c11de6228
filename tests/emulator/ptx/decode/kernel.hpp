// SPDX-License-Identifier: Apache-2.0
#pragma once
// A kernel: its head, and the functions that it calls, decoded when somebody asks for it first.

#include "ptx/program.hpp"

namespace emulator {

void read_kernel(kernel& k);

}  // namespace emulator
