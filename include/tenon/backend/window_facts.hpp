// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows of rows → whether all of their accesses are whole, or can be taken element by element
// beyond the ends.

#include "tenon/backend/vector_facts.hpp"

namespace tenon::detail {

// V: elements of an access.
template <class Program, int V> class window_facts : vector_facts<Program, V> {
  using base = vector_facts<Program, V>;
  using base::call_;
  using base::facts_;
  using base::layout_;
  using base::shown_;
  using base::shown_fact_;
  using typename base::traits;
  using typename base::values;
  using typename base::windows;

 public:
  window_facts(bound_layout const& layout, bound_arguments const& call)
      : base(layout, call, false, true) {}

  // Whether every aligned vector of columns that leader Leader would read is whole: the position
  // that it follows from goes on by one from a vector's first column on.
  template <int Leader> [[gnu::cold]] bool reads_whole_columns() {
    constexpr int shift = windows::all.shifts[windows::all.columns[Leader]];
    constexpr stepped_position steps = windows::all.steps(Leader);
    constexpr long long beyond = V + windows::most_apart;
    long long const last = steps.step * (layout_.columns.extents[layout_.columns.dims - 1] - 1);
    shown_ = windows::all.positions[Leader];
    shown_fact_ = {true, 1, -shift, V, steps.begin - beyond, steps.begin + last + beyond};
    auto const& facts = facts_;
    bool result = true;
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      constexpr moved_kind kind = values::template kind<k>;
      this->template note<k>();
      if constexpr (windows::all.is_bent(k) && k == windows::all.columns[Leader])
        this->facts_[k] = this->template inside_ends<k>();
      if constexpr ((kind == moved_kind::number || kind == moved_kind::address) &&
                    windows::all.follows_from(Leader, k))
        result = result && this->is_narrow(facts[k]);
      if constexpr (k == Leader) result = result && this->template is_in_vectors<k>();
    });
    constexpr position_within_ends ends = windows::all.ends[windows::all.columns[Leader]];
    if constexpr (ends.is_one() && ends.how == beyond_ends::around) {
      vector_fact const &from = facts[ends.from], &length = facts[ends.length];
      result = result && from.low >= -length.base && from.high < 2 * length.base;
    }
    return result;
  }
  // Whether positions along the innermost axis are what the program says, and others do not go on
  // there.
  [[gnu::cold]] bool has_stepped_positions(int width) const {
    bound_layout const& layout = layout_;
    bound_arguments const& call = call_;
    int const inner = layout.columns.dims - 1;
    if (inner < 0 || layout.columns.extents[inner] % width != 0) return false;
    bool result = true;
    visit_instructions<Program>([&](auto index) {
      using I = typename traits::template at<decltype(index)::value>;
      if constexpr (std::is_same_v<typename I::op, ops::index>) {
        operand_layout const& from = layout.loads[I::bits];
        constexpr stepped_position steps = I::steps;
        result = result && from.column_strides[inner] == steps.step;
        if (steps.step > 0)
          result = result && this->goes_on_with_rows(from) &&
                   reinterpret_cast<std::intptr_t>(call.loads[I::bits]) == steps.begin;
      }
    });
    return result;
  }

 private:
  // Of the number K that names a column: as it is where it is not beyond an end. What is beyond one
  // is read element by element, mirrored once at most.
  template <int K> vector_fact inside_ends() const {
    constexpr position_within_ends ends = windows::all.ends[K];
    vector_fact const &from = facts_[ends.from], &length = facts_[ends.length];
    if (!length.is_exact() || length.base < 1) return {};
    if constexpr (ends.how == beyond_ends::clamped) {
      return from.within(0, length.base);
    } else {
      long long const last = length.base - 1;
      vector_fact const& period = facts_[ends.period];
      bool const is_near = from.low >= -last && from.high <= 2 * last;
      return is_near && period.is_exact() && period.base == 2 * last ? from.within(0, last)
                                                                     : vector_fact{};
    }
  }
};

}  // namespace tenon::detail
