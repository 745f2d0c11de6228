// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions that the device has and modules only declare: printf, assert, malloc and the like.

#include <string>

#include "ptx/machine.hpp"

namespace emulator {

// Of a call of such a function; null: the emulator has none of that name.
using builtin = void (*)(warp& w, call_plan const& plan);
builtin builtin_named(std::string const& name);

}  // namespace emulator
