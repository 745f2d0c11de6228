// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → which of the elements that it fetches lie beside each other in one row of an operand,
// as those of a window of an image with a border do: a thread's vectors of them are parts of one
// window of the row, which is read once.

#include "tenon/program/half_values.hpp"
#include "tenon/program/positions_within_ends.hpp"

namespace tenon::detail {

// Of what follows from one position along the innermost axis.
template <class Program> struct read_windows {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size, held = size > 0 ? size : 1;
  static constexpr int no_position = -1, unknown = -2;
  // Elements from the first read of a group to the first of another one.
  static constexpr int most_apart = 16;
  // Of what is read with larger ones little would be taken.
  static constexpr int most_step = 4;

  struct table {
    op_info const* ops[held] = {};
    int positions[held] = {};  // the load of positions that a value follows from, of those
    int shifts[held] = {};     // what a number has more than that position; unknown: it may be any
    bool is_shifted[held] = {};
    position_within_ends ends[held] = {};
    int columns[held] = {};   // of an address: the number that names the column; -1: none
    int leaders[held] = {};   // of a read: the first one of its group; -1: it is in none
    int step = 0, bytes = 0;  // of all of them
    bool is_useful = false;   // some are read several times, or not as neighbours

    constexpr int both(int x, int y) const {
      return x == no_position || x == y ? y : y == no_position ? x : unknown;
    }
    template <int K, int... Operands>
    constexpr void visit(std::integer_sequence<int, Operands...>) {
      using I = at<K>;
      using op = typename I::op;
      ops[K] = op_id<op>;
      positions[K] = no_position, columns[K] = leaders[K] = -1;
      if constexpr (I::where == place::element) {
        if constexpr (std::is_same_v<op, ops::index>) {
          if (I::steps.step > 0) positions[K] = K, is_shifted[K] = true;
        }
        ((positions[K] = both(positions[K], positions[Operands])), ...);
        if constexpr (std::is_same_v<op, ops::add> || std::is_same_v<op, ops::sub>) shift<K>();
        if constexpr (is_advance<op>) {
          int const before = columns[I::first_operand], by = I::second_operand;
          bool const is_column = positions[by] != no_position;
          columns[K] = !is_column ? before : before == -1 && is_shifted[by] ? by : unknown;
        } else if constexpr (std::is_same_v<op, ops::fetch>) {
          columns[K] = columns[I::first_operand];
        } else if constexpr (std::is_same_v<op, ops::where>) {
          int const x = columns[I::second_operand], y = columns[I::third_operand];
          columns[K] = x == -1 ? y : y == -1 ? x : unknown;
        }
        keep_within(K);
      }
    }
    // Within the ends of a length what is shifted is so; around them whatever multiple of it is
    // added.
    constexpr void keep_within(int k) {
      positions_within_ends<Program> const within(ops);
      position_within_ends const found = within.of(k);
      if (!found.is_one()) return;
      if (is_shifted[found.from]) {
        set_shift(k, shifts[found.from], 0);
      } else if (found.how == beyond_ends::around && ops[found.from] == op_id<ops::sub>) {
        auto const& operands = traits::all[found.from].operands;
        int const by = within.rest_of(operands[1], found.length);
        if (by >= 0 && is_shifted[operands[0]])
          set_shift(k, shifts[operands[0]], -traits::all[by].bits);
      }
      if (is_shifted[k]) ends[k] = found;
    }
    // A position and a literal added to it.
    template <int K> constexpr void shift() {
      using I = at<K>;
      constexpr int a = I::first_operand, b = I::second_operand;
      if (ends[a].is_one() || ends[b].is_one()) return;
      constexpr bool is_sum = std::is_same_v<typename I::op, ops::add>;
      constexpr bool is_literal[] = {std::is_same_v<typename at<a>::op, ops::literal>,
                                     std::is_same_v<typename at<b>::op, ops::literal>};
      if (is_literal[1] && is_shifted[a])
        set_shift(K, shifts[a], is_sum ? at<b>::bits : -at<b>::bits);
      else if (is_sum && is_literal[0] && is_shifted[b])
        set_shift(K, shifts[b], at<a>::bits);
    }
    constexpr void set_shift(int k, long long shift, long long by) {
      if (by < -64 || by > 64 || shift + by < -64 || shift + by > 64) return;
      shifts[k] = static_cast<int>(shift + by), is_shifted[k] = true;
    }
    constexpr stepped_position steps(int k) const { return traits::all[positions[k]].steps; }
    // In which column the first element of read k is, where a thread's first one is a vector's.
    constexpr int offset(int k) const { return steps(k).begin + shifts[columns[k]]; }
    // Whether what is read or computed at a and at b is the same but for the position that each of
    // them follows from.
    constexpr bool are_alike(int a, int b) const {
      if (a == b) return true;
      instruction_facts const &x = traits::all[a], &y = traits::all[b];
      if (ops[a] != ops[b] || x.type != y.type || x.operand_count != y.operand_count) return false;
      if (ends[a].is_one() && ends[a].length == ends[b].length && ends[a].how == ends[b].how)
        return steps(a).step == steps(b).step;
      if (positions[a] == a && positions[b] == b) return x.steps.step == y.steps.step;
      if (positions[a] < 0 || positions[b] < 0 || x.is_read || x.bits != y.bits) return false;
      for (int i = 0; i < x.operand_count; ++i)
        if (!are_alike(x.operands[i], y.operands[i])) return false;
      return true;
    }
    // Whether read or number k is found by value `by`; what is kept within ends, by what is kept.
    constexpr bool follows_from(int k, int by) const {
      bool leads[held] = {};
      leads[k] = true;
      for (int i = k; i > by; --i) {
        if (!leads[i]) continue;
        if (is_bent(i)) {
          leads[ends[i].from] = true;
          continue;
        }
        for (int n = 0; n < traits::all[i].operand_count; ++n)
          leads[traits::all[i].operands[n]] = true;
      }
      return leads[by];
    }
    // Whether number k does not go on beyond an end as it does inside.
    constexpr bool is_bent(int k) const {
      return ends[k].is_one() && ends[k].how != beyond_ends::around;
    }
    constexpr bool is_in_window(int k) const {
      return traits::all[k].where == place::element && positions[k] >= 0 && columns[k] >= 0;
    }
    constexpr void find_groups() {
      for (int k = 0; k < size; ++k) {
        if (!values::all.is_read[k] || values::all.kinds[k] != moved_kind::fetched) continue;
        if (!is_in_window(k)) continue;
        int const step_of_k = steps(k).step, bytes_of_k = size_of(traits::all[k].type);
        if (step_of_k > most_step || bytes_of_k > 8) continue;
        if (step == 0) step = step_of_k, bytes = bytes_of_k;
        if (step != step_of_k || bytes != bytes_of_k) continue;
        leaders[k] = k;
        is_useful = is_useful || step > 1;
        for (int first = 0; first < k; ++first) {
          int const further = leaders[first] == first ? offset(k) - offset(first) : most_apart + 1;
          if (further > most_apart || further < -most_apart || !are_alike(first, k)) continue;
          leaders[k] = first, is_useful = true;
          break;
        }
      }
    }
  };
  static constexpr table compute() {
    table result;
    if constexpr (values::is_movement && !values::has_found && !half_values<Program>::is_found &&
                  !traits::has_reduction && !traits::stores_parts) {
      [&]<int... K>(std::integer_sequence<int, K...>) {
        (result.template visit<K>(typename at<K>::operands{}), ...);
      }
      (typename traits::sequence{});
      result.find_groups();
    } else {
      for (int& leader : result.leaders) leader = -1;
    }
    return result;
  }
  static constexpr table all = compute();
  static constexpr bool is_found = all.is_useful;

  // Whether load K is one element for all of a thread's, as a weight of the image's channel is.
  template <int K>
  static constexpr bool is_weight = is_found&& at<K>::is_load&& at<K>::is_splat &&
                                    at<K>::where == place::element;
  // Bytes of the widest element of which a thread has a vector.
  static constexpr int widest = [] {
    int result = 1;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (...,
       (((values::template reads<K> && !is_weight<K>) ||
         (at<K>::is_store && at<K>::where == place::element))
            ? void(result = size_of(at<K>::type) > result ? size_of(at<K>::type) : result)
            : void()));
    }
    (typename traits::sequence{});
    return result;
  }();
  // Elements of a thread: those that a vector of memory has, if they are not too few.
  static constexpr int of_access = is_found ? 16 / all.bytes : 1;
  static constexpr int width = [] {
    constexpr int most = 16 / widest;
    int const together = is_found && of_access % all.step == 0 ? of_access / all.step : most,
              least = most < 4 ? most : 4;
    return together < least ? least : together > most ? most : together;
  }();
  // Elements of an aligned access of a row, of which a thread's elements step over some.
  static constexpr int access = [] {
    int result = of_access;
    while (width * all.step % result != 0) result /= 2;
    return result;
  }();

  template <int K> static constexpr int leader = all.leaders[K];
  template <int K> static constexpr bool is_leader = leader<K> == K;
  template <int K> static constexpr int position = all.positions[K];
  template <int K> static constexpr int offset = all.offset(K);
  // The number that names the column of read K.
  template <int K> static constexpr int column = all.columns[K];
  // Whether number K is kept within the ends of a length, and how.
  template <int K> static constexpr bool is_within_ends = all.ends[K].is_one();
  template <int K> static constexpr position_within_ends ends = all.ends[K];
  // Whether what read K's window has of a row may turn or stay beyond an end.
  template <int K> static constexpr bool is_bent = all.is_bent(all.columns[K]);
};

// What a group of reads has of a row: accesses of aligned elements, each within one vector. Columns
// are counted from the vector that a thread's elements begin in.
template <class Program, int Leader> struct read_window {
  using windows = read_windows<Program>;
  static constexpr int floor(int x) {
    return x >= 0 ? x / windows::access : -((windows::access - 1 - x) / windows::access);
  }
  struct columns {
    int begin = 0, last = 0;
  };
  static constexpr columns all = [] {
    columns result{windows::all.offset(Leader), windows::all.offset(Leader)};
    for (int k = 0; k < windows::size; ++k) {
      if (windows::all.leaders[k] != Leader) continue;
      int const first = windows::all.offset(k);
      result.begin = first < result.begin ? first : result.begin;
      result.last = first > result.last ? first : result.last;
    }
    result.last += windows::all.step * (windows::width - 1);
    return result;
  }();
  static constexpr int first = floor(all.begin), count = floor(all.last) - first + 1;

  // The smallest aligned access that has all of what is wanted of a vector.
  struct part {
    int begin, width;
  };
  static constexpr part part_of(int number) {
    int const vector = (first + number) * windows::access, end = vector + windows::access - 1,
              from = all.begin > vector ? all.begin : vector, to = all.last < end ? all.last : end;
    int width = windows::access;
    while (width > 1 && (from - vector) / (width / 2) == (to - vector) / (width / 2)) width /= 2;
    return {vector + (from - vector) / width * width, width};
  }
  template <int Number> static constexpr part access = part_of(Number);
  // Where a column is: in which of the accesses, at which of its elements.
  struct place {
    int number, element;
  };
  static constexpr TENON_HD place place_of(int column) {
    constexpr int of_first = access<0>.begin, of_last = access<count - 1>.begin;
    int const further = column - first * windows::access, number = further / windows::access;
    if (number == 0) return {0, column - of_first};
    if (number == count - 1) return {number, column - of_last};
    return {number, further % windows::access};
  }
};

}  // namespace tenon::detail
