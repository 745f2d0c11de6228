// SPDX-License-Identifier: Apache-2.0
#pragma once
// A CUDA stream as a plain value, named without CUDA's headers so that every translation unit has
// the same type.

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace tenon {

// Does not own. Default: the legacy default stream. The CPU space ignores it.
struct stream {
  CUstream_st* handle = nullptr;

  constexpr stream() = default;
  constexpr stream(CUstream_st* stream_handle) : handle(stream_handle) {}
  constexpr bool operator==(stream const&) const = default;
};

}  // namespace tenon
