// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands of some rows that are needed for the results alone, as the scales and shifts of a batch
// behind a norm are: nothing of them is kept while a row is reduced.

#include "tenon/schedule/rows.hpp"

namespace tenon::detail {

class late_load_finder {
 public:
  constexpr late_load_finder(iteration_space const& space, schedule const& s)
      : space_(space), schedule_(s) {
    for (int k = 0; k < space.instructions.size(); ++k) is_reduced_.push_back(false);
    // Backwards: users come after their operands.
    for (int k = space.instructions.size(); k-- > 0;) {
      instruction const& i = space.instructions[k];
      if (i.op->kind == op_kind::reduction || (is_reduced_[k] && s.places[k] == place::element))
        for (int operand : i.operands) is_reduced_[operand] = true;
    }
    for (place const where : s.store_places) has_results_ = has_results_ || where == place::element;
  }

  // @pre instruction k is a load of elements
  constexpr bool is_late(int k) const {
    instruction const& i = space_.instructions[k];
    unsigned const rows = i.axes & schedule_.rows;
    return schedule_.chosen == &schedules::rows && has_results_ && rows != 0 &&
           rows != schedule_.rows && (i.axes & schedule_.columns) == schedule_.columns &&
           i.operands.empty() && !is_reduced_[k];
  }

 private:
  iteration_space const& space_;
  schedule const& schedule_;
  constexpr_vector<bool> is_reduced_;  // or what a reduced value comes from
  bool has_results_ = false;           // of elements
};

}  // namespace tenon::detail
