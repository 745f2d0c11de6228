// SPDX-License-Identifier: Apache-2.0
#pragma once
// A schedule of rows whose elements are fetched at indices that the row alone has → one that loads
// them from where the row's index says: the row finds its place, and its elements lie in order.

#include "tenon/schedule/rows.hpp"
#include "tenon/schedule/space_instructions.hpp"

namespace tenon {
namespace detail {

class gathered_rows : space_instructions {
 public:
  constexpr gathered_rows(iteration_space const& space, schedule const& s) : from_(space), s_(s) {}

  // Whether all that is fetched for elements is in rows that are known before any element is.
  constexpr bool find() const {
    int fetches = 0;
    for (store const& st : from_.stores)
      if (st.offset >= 0) return false;  // parts, whose skeletons find single elements
    for (int k = 0; k < from_.instructions.size(); ++k) {
      if (s_.places[k] != place::element) continue;
      bool const is_fetch = at(k).op == op_id<ops::fetch>;
      if (is_fetch && !is_in_row(at(k).operands[0])) return false;
      fetches += is_fetch;
      for (int n = 0; n < at(k).operands.size(); ++n)
        if (is_address(at(k).operands[n]) && !is_fetch && !(is_advance(k) && n == 0)) return false;
    }
    return fetches > 0;
  }
  // @pre find()
  constexpr void build(iteration_space& space, schedule& s) {
    space_ = from_;
    space_.instructions.clear();
    s.places.clear(), s.phases.clear();
    constexpr_vector<int> moved(from_.instructions.size(), -1);
    for (int k = 0; k < from_.instructions.size(); ++k) {
      if (is_address(k)) continue;
      instruction i = at(k);
      bool const is_gathered = i.op == op_id<ops::fetch> && s_.places[k] == place::element;
      for (int& operand : i.operands) operand = moved[operand];
      moved[k] = is_gathered ? emit_load(k, moved) : add(i);
      place_new(s, k, is_gathered);
    }
    for (store& st : space_.stores) st.value = moved[st.value];
    space = std::move(space_);
  }

 private:
  constexpr instruction const& at(int k) const { return from_.instructions[k]; }
  constexpr bool is_advance(int k) const {
    return at(k).op == op_id<ops::advance> || at(k).op == op_id<ops::advance_checked>;
  }
  // An address of elements, which no row has by itself.
  constexpr bool is_address(int k) const {
    return s_.places[k] == place::element && (is_advance(k) || at(k).op == op_id<ops::address>);
  }
  constexpr bool is_in_row(int address) const {
    bool is_of_rows = false;
    for (; is_advance(address); address = at(address).operands[0]) {
      int const index = at(address).operands[1];
      bool const is_known = s_.places[index] == place::row || s_.places[index] == place::launch;
      if (!is_known || s_.phases[index] != 0) return false;
      is_of_rows = is_of_rows || s_.places[index] == place::row;
    }
    return is_of_rows && is_address(address) && at(address).op == op_id<ops::address>;
  }
  // The place of the row of fetch k, then what is loaded from there, if there is such a row.
  constexpr int emit_load(int k, constexpr_vector<int> const& moved) {
    constexpr_vector<int> steps;
    int address = at(k).operands[0];
    for (; is_advance(address); address = at(address).operands[0]) steps.push_back(address);
    int where = add({op_id<ops::literal>, dtype::i64, {}, 0, 0, first_place});
    for (int n = steps.size(); n-- > 0;) {
      instruction step{at(steps[n]).op, dtype::i64, {}};
      step.operands.push_back(where);
      for (int m = 1; m < at(steps[n]).operands.size(); ++m)
        step.operands.push_back(moved[at(steps[n]).operands[m]]);
      for (int operand : step.operands) step.axes |= space_.instructions[operand].axes;
      where = add(step);
    }
    int const number = own_load(static_cast<int>(at(address).bits));
    int const elements =
        add({op_id<ops::load>, at(k).type, {{where}, 1}, at(k).axes, 0, number});
    instruction is_there{op_id<ops::is_somewhere>, dtype::boolean, {{where}, 1}};
    is_there.axes = space_.instructions[where].axes;
    return add({op_id<ops::found>, at(k).type, {{elements, add(is_there)}, 2}, at(k).axes});
  }
  // The number of load `number`, or of another one of the same: a row has one place for each number.
  constexpr int own_load(int number) {
    if (space_.loads[number].what == reading::gathered) {
      space_.loads.push_back(load(space_.loads[number]));
      number = space_.loads.size() - 1;
    }
    space_.loads[number].what = reading::gathered;
    return number;
  }
  // Of the instructions that have none yet, all of which instruction k has become.
  constexpr void place_new(schedule& s, int k, bool is_gathered) const {
    while (s.places.size() < space_.instructions.size()) {
      instruction const& i = space_.instructions[s.places.size()];
      s.places.push_back(!is_gathered         ? s_.places[k]
                         : i.axes & s.columns ? place::element
                         : i.axes & s.rows    ? place::row
                                              : place::launch);
      s.phases.push_back(s_.phases[k]);
    }
  }

  iteration_space const& from_;
  schedule const& s_;
};

}  // namespace detail

// @pre s is select(space). @post the same values, with places and phases for all instructions
constexpr void gather_rows(iteration_space& space, schedule& s) {
  if (s.chosen != &schedules::rows) return;
  if (!detail::gathered_rows(space, s).find()) return;
  iteration_space const before = space;
  schedule const was = s;
  detail::gathered_rows(before, was).build(space, s);
}

}  // namespace tenon
