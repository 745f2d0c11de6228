// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiler configuration: the one function annotation and the limits that every other header shares.

#if defined(__CUDACC__)
#define TENON_HD __host__ __device__
#else
#define TENON_HD
#endif

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "tenon: configuration: C++20 is needed; compile with -std=c++20"
#endif

#if defined(__FAST_MATH__)
#error "tenon: configuration: -ffast-math is less exact than Tenon promises; compile without it"
#endif

namespace tenon {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

// Largest rank of any operand; the axis masks of the scheduler are 32 bits wide, kernels hold this many strides.
inline constexpr int max_rank = 8;

// Largest number of graph nodes one expression may have before and after every pass. g++ 12 evaluates 2^25 operations in
// one constant expression unless told otherwise: the passes over 510 nodes take fewer, over 750 nodes more.
inline constexpr int max_nodes = 512;

}  // namespace tenon
