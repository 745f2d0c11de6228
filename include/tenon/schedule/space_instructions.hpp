// SPDX-License-Identifier: Apache-2.0
#pragma once
// The instructions of an iteration space while it is built: equal ones are one.

#include "tenon/ops/indexing.hpp"
#include "tenon/ops/source.hpp"
#include "tenon/schedule/space.hpp"

namespace tenon::detail {

class space_instructions {
 protected:
  template <class T> static constexpr int position(constexpr_vector<T>& list, T const& item) {
    for (int k = 0; k < list.size(); ++k)
      if (list[k] == item) return k;
    list.push_back(item);
    return list.size() - 1;
  }

  // Two demands may come to the same instruction, for example through a transposed and a plain
  // operand of rank 1.
  constexpr int add(instruction const& wanted) {
    unsigned hash = wanted.op->hash ^ static_cast<unsigned>(wanted.bits);
    for (int operand : wanted.operands) hash = hash * 31u + static_cast<unsigned>(operand);
    int& bucket = buckets_[static_cast<int>(hash % bucket_count)];
    for (int k = bucket; k >= 0; k = same_bucket_[k])
      if (space_.instructions[k] == wanted) return k;
    space_.instructions.push_back(wanted);
    same_bucket_.push_back(bucket);
    return bucket = space_.instructions.size() - 1;
  }

  constexpr int add_quantity(quantity const& q) {
    return add({op_id<ops::size>, dtype::i64, {}, 0, 0, position(space_.sizes, q)});
  }
  constexpr int add_of(op_info const* op, dtype type,
                       static_vector<int, max_operands> const& operands) {
    instruction result{op, type, operands};
    for (int operand : operands) result.axes |= space_.instructions[operand].axes;
    return add(result);
  }

  iteration_space space_;

 private:
  static constexpr int bucket_count = 64;

  constexpr_vector<int> buckets_ =
      constexpr_vector<int>(bucket_count, -1);  // latest instruction of each hash
  constexpr_vector<int> same_bucket_;           // the one before it
};

}  // namespace tenon::detail
