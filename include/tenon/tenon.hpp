// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tenon: tensor expressions as plain lambdas, compiled into one kernel each.

// What holds the checks comes first: how deep it is included is so many lines of every message.
#include "tenon/core/extents.hpp"
#include "tenon/tensor/tensor.hpp"
#include "tenon/capture/function.hpp"
#include "tenon/runtime/refusals.hpp"
#include "tenon/runtime/call_checks.hpp"

// Before the operators of expressions, which would be candidates of every == and + in here: 1 % of the header under nvcc.
#include "tenon/compile.hpp"
#include "tenon/report/explain.hpp"
#include "tenon/runtime/copy.hpp"
#include "tenon/runtime/stream.hpp"
#if defined(__CUDACC__)
#include "tenon/runtime/memory_cuda.hpp"
#endif

#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/block_reduction.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/functions.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/padding.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/capture/random.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/capture/scan.hpp"
#include "tenon/capture/scatter.hpp"
#include "tenon/capture/scatter_nd.hpp"
#include "tenon/capture/search.hpp"
#include "tenon/capture/topk.hpp"
#include "tenon/nn/activation.hpp"
#include "tenon/nn/blend.hpp"
#include "tenon/nn/channel_norm.hpp"
#include "tenon/nn/group_norm.hpp"
#include "tenon/nn/label_loss.hpp"
#include "tenon/nn/loss.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/norms.hpp"
#include "tenon/nn/optimizer.hpp"
#include "tenon/nn/quantize.hpp"
#include "tenon/nn/rope.hpp"
#include "tenon/nn/scatter_mean.hpp"
#include "tenon/nn/softmax.hpp"
