// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tenon: tensor expressions as plain lambdas, compiled into one kernel each.

#include "tenon/capture/functions.hpp"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/compile.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/report/explain.hpp"
#include "tenon/runtime/copy.hpp"
#include "tenon/runtime/npy.hpp"
#include "tenon/runtime/stream.hpp"
#if defined(__CUDACC__)
#include "tenon/runtime/memory_cuda.hpp"
#endif
