// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lists of all operators, by kind: what the laws, the reports and the documentation go through.

#include "tenon/core/type_list.hpp"
#include "tenon/ops/indexed_reduction.hpp"
#include "tenon/ops/indexed_scan.hpp"
#include "tenon/ops/indexing.hpp"
#include "tenon/ops/moments.hpp"
#include "tenon/ops/movement.hpp"
#include "tenon/ops/pointwise.hpp"
#include "tenon/ops/random.hpp"
#include "tenon/ops/reduction.hpp"
#include "tenon/ops/scan.hpp"
#include "tenon/ops/scatter.hpp"
#include "tenon/ops/source.hpp"
#include "tenon/ops/top.hpp"
#include "tenon/ops/window.hpp"

namespace tenon::ops {

using source_table = type_list<input, scalar, literal, size, index>;

using pointwise_table =
    type_list<add, sub, mul, div, neg, abs, square, fma, sqrt, rsqrt, reciprocal, pow,            //
              floor, ceil, trunc, round, frac, sign, fmod, remainder, floor_divide,               //
              bitwise_and, bitwise_or, bitwise_xor, bitwise_not, shift_left, shift_right,         //
              isnan, isinf, isfinite, copysign, nextafter,                                        //
              exp, exp2, exp10, expm1, log, log2, log10, log1p, cbrt, hypot, logaddexp,           //
              sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh,      //
              erf, erfc,                                                                          //
              equal, not_equal, less, less_equal, greater, greater_equal,                         //
              maximum, minimum, clamp, where,                                                     //
              logical_and, logical_or, logical_xor, logical_not,                                  //
              cast,                                                                               //
              relu, sigmoid, silu, gelu, gelu_tanh, softplus,                                     //
              leaky_relu, threshold, softshrink, hardshrink, hardsigmoid, hardswish, softsign,    //
              elu, selu, mish, logsigmoid, tanhshrink>;

using reduction_table =
    type_list<sum, product, maximum_of, minimum_of, any_of, all_of, moments, log_sum_exp>;

// Reductions of elements with their positions, which `indexed` makes.
using indexed_reduction_table = type_list<arg_maximum, arg_minimum, top<8, true>>;

using projection_table = type_list<mean_of, m2_of, log_sum_exp_of, max_part, sum_part,  //
                                   chosen_value, chosen_index, top_value<0>, top_index<0>>;

using scan_table = type_list<cumulative_sum, cumulative_product, cumulative_maximum,
                             cumulative_minimum, cumulative_log_sum_exp>;

// Reductions of short blocks along an axis, which stay in their places.
using block_table = type_list<block_maximum, block_minimum, block_total>;

// Scans of elements with their positions, which `indexed` makes, and of which it is made again.
using indexed_scan_table = type_list<cumulative_arg_maximum, cumulative_arg_minimum>;

// Functions of a seed, a stream and a position.
using random_table = type_list<random_bits, random_bits_64, random_normal>;

// What reading at an index becomes in a program.
using indexing_table = type_list<indexed, advance, advance_checked, advance_position,
                                 advance_position_checked, index_within, fetch, address>;

// What writing at an index becomes.
using scatter_table =
    type_list<target_position, is_target, greatest_update, least_update, last_update>;

// What storing a part becomes.
using window_table = type_list<window_index, window_offset>;

using movement_table = type_list<broadcast, transpose, slice, reshape, take>;

}  // namespace tenon::ops
