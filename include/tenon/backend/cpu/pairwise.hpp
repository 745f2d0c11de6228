// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sequence of states, pushed in order → their combination, by a balanced tree that depends on
// their number alone.

#include <cstdint>

namespace tenon::cpu_backend {

// Works as a binary counter: level k holds the combination of 2^k neighbouring states, so that n
// states need log2(n) slots and the rounding error grows with log2(n).
//
// A run of 2^k states that begins at a multiple of 2^k is combined among itself first. Hence
// pushing the results of such runs, each from a tree of its own, gives the same bits as one tree:
// it does not matter how the work was split.
template <class State, class Combine> class pairwise {
 public:
  explicit pairwise(Combine combine) : combine_(combine) {}

  void push(State state) {
    int level = 0;
    for (std::uint64_t bits = count_; bits & 1; bits >>= 1, ++level)
      state = combine_(levels_[level], state);
    levels_[level] = state;
    ++count_;
  }

  // @post the combination of all states, earlier ones to the left; `identity` when there is none
  State result(State const& identity) const {
    if (count_ == 0) return identity;
    int level = __builtin_ctzll(count_);
    State state = levels_[level];
    for (++level; count_ >> level; ++level)
      if (count_ >> level & 1) state = combine_(levels_[level], state);
    return state;
  }

 private:
  State levels_[64];  // those of the set bits of count_ are in use
  std::uint64_t count_ = 0;
  Combine combine_;
};

}  // namespace tenon::cpu_backend
