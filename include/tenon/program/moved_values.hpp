// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → which of its values follow from an element's position alone, and where what is
// fetched is used: what a backend must know to move neighbouring elements together.

#include "tenon/ops/indexing.hpp"
#include "tenon/ops/window.hpp"
#include "tenon/program/evaluate.hpp"
#include "tenon/program/index_uses.hpp"

namespace tenon::detail {

enum class moved_kind : unsigned char {
  none,     // not computed for an element, nor a number of a row
  number,   // follows from the position: an index, or whether it is somewhere
  found,    // an index that memory holds, one for neighbouring elements, of which nothing else
            // follows
  address,  // follows from the position: where an element lies
  fetched,  // an element at such an address, or by such a condition one of two of its dtype, of
            // which one may be a literal
  other,    // everything else
};

// Whether literal I is a number of dtype D. Of the float8 nothing is said: what converts to them on
// a device is no constant.
template <class I, dtype D>
inline constexpr bool is_literal_of = [] {
  if constexpr (!std::is_same_v<typename I::op, ops::literal> || is_float8(D)) {
    return false;
  } else if constexpr (is_floating(I::type) && is_floating(D)) {
    constexpr auto number = static_cast<arithmetic_t<D>>(floating_literal<I::bits>);
    return static_cast<arithmetic_t<D>>(storage_t<D>(number)) == number;
  } else {
    return I::type == D;
  }
}();

// Operators whose result for the neighbours of an element follows from that for the element.
template <class Op>
inline constexpr bool is_positional =
    std::is_same_v<Op, ops::add> || std::is_same_v<Op, ops::sub> || std::is_same_v<Op, ops::mul> ||
    std::is_same_v<Op, ops::where> || std::is_same_v<Op, ops::less> ||
    std::is_same_v<Op, ops::less_equal> || std::is_same_v<Op, ops::greater> ||
    std::is_same_v<Op, ops::greater_equal> || std::is_same_v<Op, ops::logical_and> ||
    std::is_same_v<Op, ops::logical_or> || std::is_same_v<Op, ops::floor_divide> ||
    std::is_same_v<Op, ops::remainder> || std::is_same_v<Op, ops::shift_right> ||
    std::is_same_v<Op, ops::clamp> || std::is_same_v<Op, ops::window_index> ||
    std::is_same_v<Op, ops::window_offset>;

template <class Program> struct moved_values {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size;
  // Whether value K is the index of an address and nothing else, or is converted to it.
  using found_indices = index_uses<Program>;

  struct table {
    moved_kind kinds[size > 0 ? size : 1] = {};
    bool is_read[size > 0 ? size : 1] = {};  // fetched, and not only by another `where`
    bool decides[size > 0 ? size : 1] = {};  // a number that is more than a part of a store's place
    bool is_complete = true;                 // no address and no place of a store is of `other`
    int moves = 0;                           // fetches and stores that find their place

    constexpr bool is_number(int k, bool is_launch) const {
      return is_launch || kinds[k] == moved_kind::number;
    }
    // Sums and products are of indices; of booleans they mean something else.
    template <class I>
    static constexpr bool is_integer = I::type == dtype::i64 ||
                                       (I::type == dtype::boolean &&
                                        !std::is_same_v<typename I::op, ops::add> &&
                                        !std::is_same_v<typename I::op, ops::sub> &&
                                        !std::is_same_v<typename I::op, ops::mul>);
    // What a row has: numbers that follow from where it is, reductions of its elements, and what is
    // computed of them.
    template <int K, int... Operands>
    constexpr void visit_row(std::integer_sequence<int, Operands...>) {
      using I = at<K>;
      using op = typename I::op;
      if constexpr (std::is_same_v<op, ops::index>)
        kinds[K] = moved_kind::number;
      else if constexpr (is_positional<op> && is_integer<I>)
        kinds[K] = (true && ... && is_number(Operands, is_launch<Operands>())) ? moved_kind::number
                                                                               : moved_kind::none;
      if constexpr (I::is_reduction) ((is_read[Operands] = true), ...);
      if constexpr (I::is_window)
        ++moves, is_complete =
                     is_complete && is_number(I::second_operand, is_launch<I::second_operand>());
      // Nothing is fetched for a row by itself.
      is_complete = is_complete && !std::is_same_v<op, ops::address>;
    }
    // Whether an operand of choice K is fetched, or stands for what is not: a number that memory
    // could hold. What is read at the address that is chosen has one dtype, though others compute
    // alike.
    template <int K, int Operand> constexpr bool may_be_chosen() const {
      return is_literal_of<at<Operand>, at<K>::type> ||
             (kinds[Operand] == moved_kind::fetched && at<Operand>::type == at<K>::type);
    }
    template <int K, int... Operands>
    constexpr void visit(std::integer_sequence<int, Operands...>) {
      using I = at<K>;
      using op = typename I::op;
      int position = 0;
      ((decides[Operands] =
            decides[Operands] || !(position++ == (I::is_store ? 1 : 0) &&
                                   (I::is_store || std::is_same_v<op, ops::window_offset>))),
       ...);
      if constexpr (I::is_store && I::where == place::element) {
        int const first = I::first_operand;
        is_read[first] = true;
        if constexpr (I::is_window)
          ++moves, is_complete =
                       is_complete && is_number(I::second_operand, is_launch<I::second_operand>());
      } else if constexpr (I::where == place::row) {
        visit_row<K>(typename I::operands{});
      } else if constexpr (I::where != place::element) {
        kinds[K] = moved_kind::none;
      } else if constexpr (!traits::has_reduction && found_indices::template is_found<K>) {
        kinds[K] = moved_kind::found;
      } else if constexpr (I::is_position) {
        kinds[K] = std::is_same_v<op, ops::address> ? moved_kind::address : moved_kind::number;
      } else if constexpr (is_advance<op>) {
        kinds[K] = kinds[I::first_operand] == moved_kind::address &&
                           (is_number(I::second_operand, is_launch<I::second_operand>()) ||
                            kinds[I::second_operand] == moved_kind::found)
                       ? moved_kind::address
                       : moved_kind::other;
      } else if constexpr (std::is_same_v<op, ops::fetch>) {
        bool const is_found = kinds[I::first_operand] == moved_kind::address;
        kinds[K] = is_found ? moved_kind::fetched : moved_kind::other;
        is_complete = is_complete && is_found;
        ++moves;
      } else if constexpr (is_positional<op>) {
        bool const numbers =
            is_integer<I> && (true && ... && is_number(Operands, is_launch<Operands>()));
        bool is_choice = false;
        if constexpr (std::is_same_v<op, ops::where>)
          is_choice = kinds[I::first_operand] == moved_kind::number &&
                      may_be_chosen<K, I::second_operand>() &&
                      may_be_chosen<K, I::third_operand>() &&
                      (kinds[I::second_operand] == moved_kind::fetched ||
                       kinds[I::third_operand] == moved_kind::fetched);
        kinds[K] = numbers     ? moved_kind::number
                   : is_choice ? moved_kind::fetched
                               : moved_kind::other;
        if (!numbers && !is_choice) ((is_read[Operands] = true), ...);
      } else {
        kinds[K] = moved_kind::other;
        ((is_read[Operands] = true), ...);
        // Threads have no addresses of elements but those of what they fetch.
        ((is_complete = is_complete && kinds[Operands] != moved_kind::address), ...);
      }
    }
  };
  template <int K> static constexpr bool is_launch() { return at<K>::where == place::launch; }
  // The small number that instruction K divides a position by; 1: it does not.
  template <int K> static constexpr long long divisor() {
    if constexpr (std::is_same_v<typename at<K>::op, ops::floor_divide>) {
      using by = at<at<K>::second_operand>;
      if constexpr (all.kinds[K] == moved_kind::number &&
                    std::is_same_v<typename by::op, ops::literal>)
        return by::bits >= 1 && by::bits <= 16 ? by::bits : 1;
    }
    return 1;
  }
  static constexpr table compute() {
    table result;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (result.template visit<K>(typename at<K>::operands{}), ...);
    }
    (typename traits::sequence{});
    return result;
  }
  static constexpr table all = compute();

  template <int K> static constexpr moved_kind kind = all.kinds[K];
  // One that is read, rather than only chosen from by a `where` that is fetched itself.
  template <int K>
  static constexpr bool is_fetched = all.kinds[K] == moved_kind::fetched&& all.is_read[K];
  // Whether number K is added to the place of stores and used for nothing else.
  template <int K> static constexpr bool is_place = !all.decides[K];
  // The number that such a place begins with, before a window moves it.
  template <int K> static constexpr int origin() {
    if constexpr (std::is_same_v<typename at<K>::op, ops::window_offset>)
      return origin<at<K>::first_operand>();
    else
      return K;
  }
  // The place of load or fetch K among those that read elements, and how many do.
  template <int K>
  static constexpr bool reads = is_fetched<K> ||
                                (at<K>::is_load && at<K>::where == place::element &&
                                 kind<K> != moved_kind::found);
  static constexpr int reads_before(int last) {
    int result = 0;
    [&]<int... K>(std::integer_sequence<int, K...>) { ((result += K < last && reads<K>), ...); }
    (typename traits::sequence{});
    return result;
  }
  template <int K> static constexpr int read_number = reads_before(K);
  static constexpr int read_count = reads_before(size);
  // How often neighbouring elements may be the same one that read K fetches: as often as divisors
  // of positions say together.
  static constexpr long long divisors = [] {
    long long result = 1;
    [&]<int... K>(std::integer_sequence<int, K...>) { ((result *= divisor<K>()), ...); }
    (typename traits::sequence{});
    return result;
  }();
  template <int K> static constexpr long long most_times = at<K>::is_load ? 1 : divisors;
  // Whether it may be one element for several neighbours at all.
  template <int K>
  static constexpr bool may_repeat = at<K>::is_load ? at<K>::repeats : most_times<K> > 1;
  // Whether its neighbours may lie between those of other loads, as parts of a pair do.
  template <int K> static constexpr bool may_lie_apart = at<K>::is_load && at<K>::beside.count > 0;
  // The load in which read K is found, or the first of them.
  template <int K> static constexpr int operand_of() {
    using I = at<K>;
    if constexpr (I::is_load || I::is_position)
      return static_cast<int>(I::bits);
    else if constexpr (!std::is_same_v<typename I::op, ops::where>)
      return operand_of<I::first_operand>();
    else if constexpr (kind<I::second_operand> == moved_kind::fetched)
      return operand_of<I::second_operand>();
    else
      return operand_of<I::third_operand>();
  }
  // Bytes of one element of each.
  static constexpr int bytes_read = [] {
    int result = 0;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      ((result += reads<K> ? size_of(at<K>::type) : 0), ...);
    }
    (typename traits::sequence{});
    return result;
  }();
  // Of the widest element that is read or stored.
  static constexpr int widest = [] {
    int result = 1;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      ((result = (reads<K> || (at<K>::is_store && at<K>::where == place::element)) &&
                         size_of(at<K>::type) > result
                     ? size_of(at<K>::type)
                     : result),
       ...);
    }
    (typename traits::sequence{});
    return result;
  }();
  // The place of value K among the integers that the host finds for a launch, and how many there
  // are. Literals are in the instructions.
  template <int K>
  static constexpr bool is_launch_number =
      at<K>::where == place::launch&& at<K>::type == dtype::i64 && !at<K>::is_store &&
      !std::is_same_v<typename at<K>::op, ops::literal>;
  static constexpr int launch_numbers_before(int last) {
    int result = 0;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      ((result += K < last && is_launch_number<K>), ...);
    }
    (typename traits::sequence{});
    return result;
  }
  template <int K> static constexpr int launch_number = launch_numbers_before(K);
  static constexpr int launch_numbers = launch_numbers_before(size);
  static constexpr bool has_found = [] {
    bool result = false;
    for (moved_kind const k : all.kinds) result = result || k == moved_kind::found;
    return result;
  }();
  // Issue slots of what is computed of each element: the rest is found once for neighbours.
  static constexpr int slots = [] {
    int result = 0;
    for (int k = 0; k < size; ++k)
      if (traits::all[k].is_computed && traits::all[k].where == place::element &&
          all.kinds[k] == moved_kind::other)
        result += traits::all[k].cost;
    return result;
  }();
  // Whether the program moves elements to or from places that it finds itself, all of which follow
  // from the position.
  static constexpr bool is_movement = [] {
    // Most programs move nothing, and then nothing of this is found out.
    if constexpr (traits::stores_parts || traits::all.count(&instruction_facts::is_fetch) > 0)
      return all.is_complete && all.moves > 0;
    else
      return false;
  }();
};

}  // namespace tenon::detail
