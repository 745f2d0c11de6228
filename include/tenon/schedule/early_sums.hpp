// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of products that wait for another reduction of the same elements → sums that are found
// together with it: sum(h * (x - mean(x)) * s) is s times the co-moment of x and h, which the sweep
// of the mean finds, and sum(h * s) is s * sum(h). A gradient of a normalisation has a phase less.
//
// Results that are finite differ in roundings alone, which are fewer. A sum that overflows before
// it is multiplied by a small s is infinite where the sum of small products would not be.

#include "tenon/ops/co_moments.hpp"
#include "tenon/schedule/space_instructions.hpp"

namespace tenon::detail {

class early_sums : space_instructions {
 public:
  constexpr explicit early_sums(iteration_space const& from) : from_(from) {}

  constexpr bool find() {
    for (int k = 0; k < from_.instructions.size(); ++k) {
      depths_.push_back(0), planned_.push_back(-1);
      depths_[k] = depth_of(k);
    }
    return !products_.empty();
  }
  // @pre find()
  constexpr iteration_space build() {
    mark_needed();
    space_ = from_;
    space_.instructions.clear();
    moved_ = constexpr_vector<int>(depths_.size(), -1);
    // By phases: a co-moment stands for moments that come before its other operand.
    int last = 0;
    for (int depth : depths_) last = depth > last ? depth : last;
    for (int depth = 0; depth <= last; ++depth)
      for (int k = 0; k < depths_.size(); ++k)
        if (depths_[k] == depth && is_needed_[k]) moved_[k] = emit(k);
    for (store& st : space_.stores) {
      st.value = moved_[st.value];
      if (st.offset >= 0) st.offset = moved_[st.offset];
    }
    return std::move(space_);
  }

 private:
  // The factors of what sum `sum` adds.
  struct product {
    int sum = -1;
    int moments = -1;                          // one factor is the deviation from their mean
    constexpr_vector<int> early;               // that wait for less than the sum did
    constexpr_vector<int> constant, divisors;  // along the reduced axes
  };

  constexpr instruction const& at(int k) const { return from_.instructions[k]; }
  // Reductions that instruction k waits for, one after the other, its own included.
  constexpr int depth_of(int k) {
    int depth = latest(at(k).operands);
    if (at(k).op == op_id<ops::sum> && is_floating(at(k).type) && depth > 0) {
      product p;
      p.sum = k;
      if (take_apart(p, depth)) return plan(p);
    }
    bool const waits = at(k).op->kind == op_kind::reduction || at(k).op->kind == op_kind::scan;
    return depth + waits;
  }
  template <class List> constexpr int latest(List const& list) const {
    int result = 0;
    for (int k : list) result = depths_[k] > result ? depths_[k] : result;
    return result;
  }

  constexpr bool take_apart(product& p, int depth) const {
    unsigned const reduced = at(p.sum).reduced;
    constexpr_vector<int> left;
    left.push_back(at(p.sum).operands[0]);
    while (!left.empty()) {
      int const k = left.back();
      left.pop_back();
      instruction const& i = at(k);
      bool const is_quotient = i.op == op_id<ops::div> && !(at(i.operands[1]).axes & reduced);
      if (!(i.axes & reduced)) {
        p.constant.push_back(k);
      } else if (depths_[k] < depth) {
        p.early.push_back(k);
      } else if (i.op == op_id<ops::mul>) {
        left.push_back(i.operands[1]), left.push_back(i.operands[0]);
      } else if (is_quotient) {
        p.divisors.push_back(i.operands[1]), left.push_back(i.operands[0]);
      } else if (p.moments < 0 && is_deviation(i, reduced)) {
        p.moments = at(i.operands[1]).operands[0];
      } else {
        return false;
      }
    }
    return !p.early.empty();
  }
  constexpr bool is_deviation(instruction const& i, unsigned reduced) const {
    if (i.op != op_id<ops::sub> || at(i.operands[1]).op != op_id<ops::mean_of>) return false;
    instruction const& of = at(at(i.operands[1]).operands[0]);
    return of.op == op_id<ops::moments> && of.reduced == reduced && of.operands[0] == i.operands[0];
  }

  // Of some products with deviations from one mean, the first one brings the mean.
  constexpr int plan(product const& p) {
    int const number = products_.size();
    int depth = latest(p.early);
    if (p.moments >= 0) {
      int const of_x = depths_[at(p.moments).operands[0]];
      if (depth <= of_x && planned_[p.moments] < 0) planned_[p.moments] = number;
      depth = depth > of_x ? depth : of_x;
    }
    planned_[p.sum] = number;
    products_.push_back(p);
    int const late = latest(p.constant), later = latest(p.divisors);
    ++depth;
    depth = depth > late ? depth : late;
    return depth > later ? depth : later;
  }

  constexpr void mark_needed() {
    is_needed_ = constexpr_vector<bool>(depths_.size(), false);
    for (store const& st : from_.stores) {
      is_needed_[st.value] = true;
      if (st.offset >= 0) is_needed_[st.offset] = true;
    }
    for (int k = depths_.size() - 1; k >= 0; --k) {
      if (!is_needed_[k]) continue;
      if (at(k).op != op_id<ops::sum> || planned_[k] < 0) {
        for (int operand : at(k).operands) is_needed_[operand] = true;
        continue;
      }
      product const& p = products_[planned_[k]];
      for (int factor : p.early) is_needed_[factor] = true;
      for (int factor : p.constant) is_needed_[factor] = true;
      for (int factor : p.divisors) is_needed_[factor] = true;
      if (p.moments >= 0) is_needed_[at(p.moments).operands[0]] = true;
    }
  }

  constexpr int emit(int k) {
    instruction i = at(k);
    bool const is_sum = i.op == op_id<ops::sum>;
    if (planned_[k] >= 0)
      return is_sum ? emit_product(products_[planned_[k]]) : emit_state(products_[planned_[k]]);
    for (int& operand : i.operands) operand = moved_[operand];
    return is_sum ? emit_sum(i) : add(i);
  }
  constexpr int emit_early(product const& p) {
    int result = moved_[p.early[0]];
    for (int n = 1; n < p.early.size(); ++n)
      result = add_of(op_id<ops::mul>, at(at(p.sum).operands[0]).type,
                      {{result, moved_[p.early[n]]}, 2});
    return result;
  }
  constexpr int emit_state(product const& p) {
    instruction const& of = at(p.moments);
    int const pair =
        add_of(op_id<ops::paired>, of.type, {{moved_[of.operands[0]], emit_early(p)}, 2});
    return emit_reduction(op_id<ops::co_moments>, of.type, pair, of.reduced);
  }
  constexpr int emit_reduction(op_info const* op, dtype type, int of, unsigned reduced) {
    return add({op, type, {{of}, 1}, space_.instructions[of].axes & ~reduced, reduced, 0});
  }
  // A sum of what some moments come with comes with them, too.
  constexpr int emit_sum(instruction const& i) {
    for (int k = 0; k < depths_.size(); ++k) {
      if (planned_[k] < 0 || at(k).op != op_id<ops::moments> || at(k).reduced != i.reduced)
        continue;
      product const& p = products_[planned_[k]];
      bool const is_there = moved_[at(k).operands[0]] >= 0 && at(k).type == i.type &&
                            latest(p.early) == depths_[at(k).operands[0]];
      bool are_factors_there = true;
      for (int factor : p.early) are_factors_there = are_factors_there && moved_[factor] >= 0;
      if (is_there && are_factors_there && emit_early(p) == i.operands[0])
        return add_of(op_id<ops::total_of>, i.type, {{emit_state(p)}, 1});
    }
    return add(i);
  }
  constexpr int emit_product(product const& p) {
    instruction const& sum = at(p.sum);
    int result = -1;
    if (p.moments >= 0) {
      result = add_of(op_id<ops::product_of>, sum.type, {{emit_state(p)}, 1});
    } else {
      int const factors = emit_early(p);
      result = emit_sum({sum.op,
                         sum.type,
                         {{factors}, 1},
                         space_.instructions[factors].axes & ~sum.reduced,
                         sum.reduced,
                         0});
    }
    for (int factor : p.constant)
      result = add_of(op_id<ops::mul>, sum.type, {{result, moved_[factor]}, 2});
    for (int divisor : p.divisors)
      result = add_of(op_id<ops::div>, sum.type, {{result, moved_[divisor]}, 2});
    return result;
  }

  iteration_space const& from_;
  constexpr_vector<int> depths_;
  constexpr_vector<product> products_;
  constexpr_vector<int> planned_;  // of each sum, and of moments that one comes with
  constexpr_vector<bool> is_needed_;
  constexpr_vector<int> moved_;
};

}  // namespace tenon::detail

namespace tenon {

// @post no sum waits for a reduction that only factors that are constant along its axes, or
// deviations from a mean, wait for
constexpr iteration_space with_early_sums(iteration_space space) {
  detail::early_sums sums(space);
  if (sums.find()) return sums.build();
  return space;
}

}  // namespace tenon
