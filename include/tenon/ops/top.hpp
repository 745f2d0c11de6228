// SPDX-License-Identifier: Apache-2.0
#pragma once
// The first few elements of an order at once, with their positions: the reduction that topk is.

#include <bit>
#include <type_traits>

#include "tenon/ops/indexed_reduction.hpp"

namespace tenon::ops {

// A rank and, among equal ones, a place, of which the greater comes first: one integer, or two.
struct joined_key {
  unsigned long long bits;

  static constexpr TENON_HD joined_key of(unsigned rank, unsigned place) {
    return {static_cast<unsigned long long>(rank) << 32 | place};
  }
  constexpr TENON_HD unsigned rank() const { return static_cast<unsigned>(bits >> 32); }
  constexpr TENON_HD unsigned place() const { return static_cast<unsigned>(bits); }
  constexpr TENON_HD bool comes_before(joined_key const& other) const { return bits > other.bits; }
};
struct wide_key {
  unsigned long long high;
  unsigned low;

  static constexpr TENON_HD wide_key of(unsigned long long rank, unsigned place) {
    return {rank, place};
  }
  constexpr TENON_HD unsigned long long rank() const { return high; }
  constexpr TENON_HD unsigned place() const { return low; }
  constexpr TENON_HD bool comes_before(wide_key const& other) const {
    return high > other.high || (high == other.high && low > other.low);
  }
};

// A number and its position as a key. @pre the position is from 0 to 2^31 - 2
template <class T, bool IsDescending> struct place_in_order {
  static constexpr bool is_wide = sizeof(T) > 4, is_floating = std::is_floating_point_v<T>;
  using key = std::conditional_t<is_wide, wide_key, joined_key>;
  using rank_type = std::conditional_t<is_wide, unsigned long long, unsigned>;
  static constexpr rank_type top_bit = rank_type(1) << (8 * sizeof(rank_type) - 1);
  static constexpr rank_type sign = is_floating || std::is_signed_v<T> ? top_bit : 0;
  // Ascending orders have the ranks of descending ones, complemented.
  static constexpr rank_type turned = IsDescending ? 0 : ~rank_type(0);

  // The place falls as the position grows; its last bit is that of a negative zero, whose rank is
  // that of zero. NaN has the rank of the NaN whose other bits are all ones.
  static constexpr TENON_HD key of(indexed::state<T> x) {
    unsigned const place = (0x7fffffffu - static_cast<unsigned>(x.index)) << 1;
    if constexpr (is_floating) {
      rank_type const bits = __builtin_bit_cast(rank_type, x.number);
      bool const is_negative_zero = bits == sign;
      return key::of(rank_of(x.number != x.number ? ~sign
                             : is_negative_zero   ? 0
                                                  : bits),
                     place | unsigned(is_negative_zero));
    } else {
      return key::of((static_cast<rank_type>(x.number) ^ sign) ^ turned, place);
    }
  }
  static constexpr TENON_HD T number(key const& k) {
    rank_type const rank = k.rank() ^ turned;
    if constexpr (is_floating)
      return __builtin_bit_cast(T, (k.place() & 1) != 0 ? sign
                                   : (rank & sign) != 0 ? rank ^ sign
                                                        : ~rank);
    else
      return static_cast<T>(rank ^ sign);
  }
  static constexpr TENON_HD long long index(key const& k) { return 0x7fffffffu - (k.place() >> 1); }

 private:
  // An integer that grows with a number: without a branch, because signs cannot be predicted.
  static constexpr TENON_HD rank_type rank_of(rank_type bits) {
    rank_type const is_negative = bits >> (8 * sizeof(rank_type) - 1);
    return bits ^ ((rank_type(0) - is_negative) | sign) ^ turned;
  }
};

// The first Count elements in descending or ascending order; NaN is greater than any number, and of
// equal elements the one with the lowest position is first. Which they are does not depend on how
// states are combined: by networks of comparisons (K. E. Batcher, Sorting networks and their
// applications, 1968).
template <int Count, bool IsDescending> struct top : reduction_op<> {
  static constexpr text_view name = "topk";
  static constexpr bool has_state = true;
  static constexpr bool is_commutative = true;
  static constexpr bool is_descending = IsDescending;
  static constexpr bool is_defined_on_empty = false;
  static constexpr int size = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Count)));
  static constexpr int cost = 8 * size;
  // What is none comes after every element.
  template <class T> struct state {
    using order = place_in_order<T, IsDescending>;
    typename order::key at[size];
  };

  template <class T> static constexpr TENON_HD state<T> identity() { return {}; }
  template <class T> static constexpr TENON_HD state<T> lift(indexed::state<T> x) {
    return {{state<T>::order::of(x)}};
  }
  // @pre both are in order
  template <class T> static constexpr TENON_HD state<T> combine(state<T> a, state<T> b) {
    join_lists(a, b);
    return a;
  }
  // The same of lists of any keys, and a list in order.
  template <class List> static constexpr TENON_HD void join_lists(List& a, List const& b) {
    // The first of both fall and then rise, or the other way round.
    for (int i = 0; i < size; ++i) a.at[i] = first_of(a.at[i], b.at[size - 1 - i]);
    settle<size / 2>(a);
  }
  template <class List> static constexpr TENON_HD void sort_list(List& some) {
    sort<0, size>(some);
  }
  template <class T>
  static constexpr TENON_HD state<T> accumulate(state<T> all, indexed::state<T> x) {
    insert(all, state<T>::order::of(x));
    return all;
  }
  // The first `valid` elements: as many at a time as are kept, each of these sorted.
  template <class T, int Elements>
  static constexpr TENON_HD state<T> lift_many(indexed::state<T> const (&x)[Elements], int valid) {
    return lift_from<0>(x, valid);
  }

  // Lanes of a host, whose elements wait until they are inserted into one list: lanes that take in
  // side by side have nothing in common.
  template <class T, int Lanes> struct lanes {
    static constexpr int most_terms = 8;
    typename state<T>::order::key waiting[most_terms][Lanes];
    int count[Lanes] = {};
    state<T> all{};

    void take(int lane, indexed::state<T> x) {
      waiting[count[lane]++][lane] = state<T>::order::of(x);
    }
    // @pre a lane has taken in most_terms since the last time at most
    void raise() {
      for (int lane = 0; lane < Lanes; ++lane) {
        for (int k = 0; k < count[lane]; ++k) insert(all, waiting[k][lane]);
        count[lane] = 0;
      }
    }
    state<T> result(int) {
      raise();
      return all;
    }
  };

 private:
  template <class Key> static constexpr TENON_HD Key first_of(Key const& a, Key const& b) {
    if constexpr (requires { Key::first(a, b); })
      return Key::first(a, b);
    else
      return b.comes_before(a) ? b : a;
  }
  template <class Key> static constexpr TENON_HD Key last_of(Key const& a, Key const& b) {
    if constexpr (requires { Key::last(a, b); })
      return Key::last(a, b);
    else
      return b.comes_before(a) ? a : b;
  }
  // Behind those that come before it; what is then one too many is dropped.
  template <class T>
  static constexpr TENON_HD void insert(state<T>& all, typename state<T>::order::key const& next) {
    if (!next.comes_before(all.at[size - 1])) return;
    for (int i = size - 1; i > 0; --i)
      all.at[i] = first_of(all.at[i], last_of(all.at[i - 1], next));
    all.at[0] = first_of(all.at[0], next);
  }
  template <int First, class T, int Elements>
  static constexpr TENON_HD state<T> lift_from(indexed::state<T> const (&x)[Elements], int valid) {
    state<T> some{};
    for (int i = 0; i < size && First + i < Elements; ++i)
      if (First + i < valid) some.at[i] = state<T>::order::of(x[First + i]);
    sort_list(some);
    if constexpr (First + size < Elements)
      return combine(some, lift_from<First + size>(x, valid));
    else
      return some;
  }
  template <class List> static constexpr TENON_HD void exchange(List& s, int i, int j) {
    auto const first = s.at[i], second = s.at[j];
    s.at[i] = first_of(first, second);
    s.at[j] = last_of(first, second);
  }
  // Orders what falls and then rises, or the other way round.
  template <int Half, class List> static constexpr TENON_HD void settle(List& s) {
    if constexpr (Half > 0) {
      for (int i = 0; i < size; ++i)
        if ((i & Half) == 0) exchange(s, i, i + Half);
      settle<Half / 2>(s);
    }
  }
  // Merges the odd and the even ones of two neighbouring halves in order, each Stride apart.
  template <int First, int Length, int Stride, class List>
  static constexpr TENON_HD void merge(List& s) {
    if constexpr (2 * Stride < Length) {
      merge<First, Length, 2 * Stride>(s);
      merge<First + Stride, Length, 2 * Stride>(s);
      for (int i = First + Stride; i + Stride < First + Length; i += 2 * Stride)
        exchange(s, i, i + Stride);
    } else {
      exchange(s, First, First + Stride);
    }
  }
  template <int First, int Length, class List> static constexpr TENON_HD void sort(List& s) {
    if constexpr (Length > 1) {
      sort<First, Length / 2>(s);
      sort<First + Length / 2, Length / 2>(s);
      merge<First, Length, 1>(s);
    }
  }
};

// Where element number K of the order is.
template <int K> struct top_index : projection_op {
  static constexpr text_view name = "top_index";
  static constexpr bool is_index = true;
  template <class State> static constexpr TENON_HD long long eval(State const& s) {
    return State::order::index(s.at[K]);
  }
};
template <int K> struct top_value : projection_op {
  static constexpr text_view name = "top_value";
  template <class State> static constexpr TENON_HD auto eval(State const& s) {
    return State::order::number(s.at[K]);
  }
  template <class V> static constexpr V derivative(V d, V, V, auto over) {
    return when(over.position() == over.template member<top_index<K>>(), d);
  }
};

}  // namespace tenon::ops
