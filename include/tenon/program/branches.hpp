// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → which of its instructions only one side of a choice needs, and the evaluation of an
// element that leaves the other side out.

#include "tenon/ops/indexing.hpp"
#include "tenon/program/evaluate.hpp"

namespace tenon {
namespace detail {

// Side 1 or 2 of the `where` with that number; everything is needed always.
struct branch {
  int choice = 0, side = 0;
  constexpr bool operator==(branch const&) const = default;
};

// Only a choice among many elements at addresses is worth branches, as a concatenation is: of the
// parts that are not chosen no address is computed, and nothing is read. Few are read faster side
// by side than one after the other where neighbouring threads choose differently.
template <class Program, int Phase, bool Stores> struct branches {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size, always = size, fewest_reads = 4;

  struct table {
    branch of[size > 0 ? size : 1];
    bool splits[size > 0 ? size : 1] = {};
  };
  struct builder : table {
    bool is_used[size > 0 ? size : 1] = {};
    int reads = 0;

    // The innermost branch around both. Choices are nested as they are numbered.
    constexpr branch around(branch a, branch b) const {
      while (a != b) {
        branch& inner = a.choice <= b.choice ? a : b;
        branch& other = a.choice <= b.choice ? b : a;
        if (inner.choice == other.choice) other = this->of[other.choice];
        inner = this->of[inner.choice];
      }
      return a;
    }
    constexpr void use(int operand, branch where) {
      this->of[operand] = is_used[operand] ? around(this->of[operand], where) : where;
      is_used[operand] = true;
    }
    template <int K> constexpr void visit() {
      using I = at<K>;
      constexpr bool is_needed = computed_of_element<Program, Phase, Stores>::holds(K);
      // An index of the user's is checked whether or not it is used.
      constexpr bool is_inner = is_needed && !ops::checks_index<typename I::op>;
      if (!is_inner) this->of[K] = {always, 0};
      visit_operands<K>(typename I::operands{});
    }
    template <int K, int... Operands>
    constexpr void visit_operands(std::integer_sequence<int, Operands...>) {
      constexpr bool is_choice = std::is_same_v<typename at<K>::op, ops::where>;
      int side = 0;
      ((is_choice && side > 0 ? use(Operands, {K, side}) : use(Operands, this->of[K]), ++side),
       ...);
    }
    template <int K> constexpr void find_split() {
      if constexpr (std::is_same_v<typename at<K>::op, ops::fetch>) {
        reads += this->of[K].choice != always;
        for (branch b = this->of[K]; b.choice != always; b = this->of[b.choice])
          this->splits[b.choice] = true;
      }
    }
  };
  static constexpr table compute() {
    builder b;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (b.template visit<size - 1 - K>(), ...);
      (b.template find_split<K>(), ...);
    }
    (typename traits::sequence{});
    if (b.reads < fewest_reads)
      for (bool& splits : b.splits) splits = false;
    for (int k = size - 1; k >= 0; --k)
      while (b.of[k].choice != always && !b.splits[b.of[k].choice]) b.of[k] = b.of[b.of[k].choice];
    return b;
  }
  static constexpr table all = compute();
};

// What is computed on one side of a choice, and in no branch within it, but for what Given holds.
template <class Program, int Phase, bool Stores, int Choice, int Side, class Given>
struct computed_on_side {
  using all_branches = branches<Program, Phase, Stores>;
  static consteval bool holds(int k) {
    return computed_beside<Program, Phase, Stores, Given>::holds(k) &&
           all_branches::all.of[k] == branch{Choice, Side};
  }
};

template <int Phase, bool Stores, int Choice, int Side, class Given, class Program>
TENON_HD void evaluate_side(frame<Program> const& f);

template <int Phase, bool Stores, int K, class Given, class Program>
TENON_HD void evaluate_in_branch(frame<Program> const& f) {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (branches<Program, Phase, Stores>::all.splits[K]) {
    if (value_of<I::first_operand>(f)) {
      evaluate_side<Phase, Stores, K, 1, Given>(f);
      auto const& chosen = value_of<I::second_operand>(f);
      value_of<K>(f) = apply<I>(true, chosen, chosen);
    } else {
      evaluate_side<Phase, Stores, K, 2, Given>(f);
      auto const& chosen = value_of<I::third_operand>(f);
      value_of<K>(f) = apply<I>(true, chosen, chosen);
    }
  } else {
    step<K>(f, typename I::operands{});
  }
}
template <int Phase, bool Stores, class Given, class Program, int... K>
TENON_HD void evaluate_in_branches(frame<Program> const& f, std::integer_sequence<int, K...>) {
  (evaluate_in_branch<Phase, Stores, K, Given>(f), ...);
}
template <int Phase, bool Stores, int Choice, int Side, class Given, class Program>
TENON_HD void evaluate_side(frame<Program> const& f) {
  evaluate_in_branches<Phase, Stores, Given>(
      f, held_sequence<Program, computed_on_side<Program, Phase, Stores, Choice, Side, Given>>{});
}

}  // namespace detail

// As evaluate_rest, but of a choice between elements at addresses only what is chosen.
// @pre the program has no scans
template <int Phase, bool Stores, class Given, class Program>
TENON_HD void evaluate_chosen(frame<Program> const& f) {
  detail::evaluate_side<Phase, Stores, program_traits<Program>::size, 0, Given>(f);
}

}  // namespace tenon
