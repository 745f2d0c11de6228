// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opt-in: sort, argsort and sort_with_index, to be used in expressions as the functions of tenon.hpp are.

#include "tenon/backend/cpu/sort.hpp"
#include "tenon/capture/sort.hpp"
#if defined(__CUDACC__)
#include "tenon/backend/cuda/sort/plan.cuh"
#endif
