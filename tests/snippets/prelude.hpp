// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a documentation snippet may use without saying so.

#include <string>

#include <tenon/tenon.hpp>

namespace tn = tenon;
