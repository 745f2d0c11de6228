// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opt-in: sort, argsort and sort_with_index, and what follows from an order: median, nanmedian, quantile. They are used in
// expressions as the functions of tenon.hpp are.

#if !defined(__CUDA_ARCH__)
#include "tenon/backend/cpu/sort.hpp"
#endif
#include "tenon/capture/sort.hpp"
#include "tenon/nn/order_statistics.hpp"
#if defined(__CUDACC__)
#include "tenon/backend/cuda/sort/plan.cuh"
#endif
