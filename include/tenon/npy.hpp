// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opt-in: tn::load_npy and tn::save_npy, tensors from and to NumPy's .npy files.

#include "tenon/runtime/npy.hpp"
