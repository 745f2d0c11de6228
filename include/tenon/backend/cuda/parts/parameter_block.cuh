// SPDX-License-Identifier: Apache-2.0
#pragma once
// A kernel's parameters as far as they follow from the shapes: dividing lengths into magic numbers
// anew for every call would cost more than the rest of it.

#include <cstddef>

#include "tenon/backend/arguments.hpp"
#include "tenon/backend/cuda/parts/cache_policy.cuh"
#include "tenon/core/config.hpp"
#include "tenon/core/static_vector.hpp"

namespace tenon::detail {

// The other words are each call's, in arrays of the block.
struct parameter_block {
  struct array {
    int count = 0, at = 0;  // bytes from the start of the block
  };
  constexpr_vector<long long> words;
  array loads, stores, scalars, workspace, stored;

  std::size_t bytes() const { return static_cast<std::size_t>(words.size()) * sizeof(long long); }

  // What stores leave in the cache.
  void keep_stored(cache_policy policy) {
    if (stored.count > 0)
      __builtin_memcpy(reinterpret_cast<char*>(words.begin()) + stored.at, &policy, sizeof(policy));
  }

  // Into a copy of the block, because threads may launch one plan at once.
  void write(char* copy, bound_arguments const& call, void* workspace_of_call) const {
    __builtin_memcpy(copy, words.begin(), bytes());
    auto const put = [copy](array const& to, auto const* from) {
      __builtin_memcpy(copy + to.at, from, static_cast<std::size_t>(to.count) * sizeof(*from));
    };
    put(loads, call.loads);
    put(stores, call.stores);
    put(scalars, call.scalars);
    put(workspace, &workspace_of_call);
  }
};

TENON_ONCE_BEGIN
// @post the words are those from `first`, which has `size` bytes
[[gnu::cold]] inline void keep(parameter_block& block, void const* first, std::size_t size) {
  constexpr std::size_t word = sizeof(long long);
  block.words = constexpr_vector<long long>(static_cast<int>((size + word - 1) / word), 0);
  __builtin_memcpy(block.words.begin(), first, size);
}
template <class Arguments> [[gnu::cold]] parameter_block block_of(Arguments const& arguments) {
  using traits = typename Arguments::traits;
  parameter_block block;
  keep(block, &arguments, sizeof(Arguments));
  auto const place_of = [&](void const* member) {
    return static_cast<int>(static_cast<char const*>(member) -
                            reinterpret_cast<char const*>(&arguments));
  };
  block.loads = {traits::load_count, place_of(arguments.loads)};
  block.stores = {traits::store_count, place_of(arguments.stores)};
  block.scalars = {traits::scalar_count, place_of(arguments.scalars)};
  if constexpr (requires { arguments.workspace; })
    block.workspace = {1, place_of(&arguments.workspace)};
  if constexpr (requires { arguments.stored; }) block.stored = {1, place_of(&arguments.stored)};
  return block;
}
TENON_ONCE_END

}  // namespace tenon::detail
