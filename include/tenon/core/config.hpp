// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiler configuration: the one function annotation and the limits that every other header shares.

#if defined(__CUDACC__)
#define TENON_HD __host__ __device__
#else
#define TENON_HD
#endif

// Around functions that run once for each plan, or describe an error: optimizing them makes g++ 12
// compile the host code of five expressions 0.95 s longer by -O3 (of 3.8 s) and 0.3 s by -O1, and a
// call with a new shape is 1.5 us shorter for it (of 5 us, without the launch). nvcc 13.0 passes the
// pragma on to g++, with a warning of its own, but not the last one in a class: the end may not stand
// right before a closing brace.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && \
    !defined(__OPTIMIZE_SIZE__) && !defined(__CUDA_ARCH__)
#define TENON_PRAGMA(words) _Pragma(#words)
#if defined(__CUDACC__)
#define TENON_ONCE_BEGIN                                             \
  TENON_PRAGMA(nv_diagnostic push)                                   \
  TENON_PRAGMA(nv_diag_suppress 1675) TENON_PRAGMA(GCC push_options) \
      TENON_PRAGMA(GCC optimize("O0")) TENON_PRAGMA(nv_diagnostic pop)
#else
#define TENON_ONCE_BEGIN TENON_PRAGMA(GCC push_options) TENON_PRAGMA(GCC optimize("O0"))
#endif
#define TENON_ONCE_END TENON_PRAGMA(GCC pop_options)
#else
#define TENON_ONCE_BEGIN
#define TENON_ONCE_END
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
