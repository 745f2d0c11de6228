// SPDX-License-Identifier: Apache-2.0
#pragma once
// The first few elements of an order at once, with their positions: the reduction that topk is.

#include <bit>
#include <type_traits>

#include "tenon/ops/indexed_reduction.hpp"

namespace tenon::ops {

// A number and its position as two integers, such that of any two the one that is greater comes
// first: by rank, of equal ranks by position. @pre the position is from 0 to 2^31 - 2
template <class T, bool IsDescending> struct place_in_order {
  using rank_type = std::conditional_t<(sizeof(T) > 4), unsigned long long, unsigned>;
  static constexpr bool is_floating = std::is_floating_point_v<T>;
  static constexpr rank_type top_bit = rank_type(1) << (8 * sizeof(rank_type) - 1);
  // Ascending orders have the ranks of descending ones, complemented.
  static constexpr rank_type turned = IsDescending ? 0 : ~rank_type(0);

  rank_type rank;
  unsigned place;  // falls as the position grows; its last bit is that of a negative zero

  // Comes after every element.
  static constexpr TENON_HD place_in_order none() { return {0, 0}; }
  static constexpr TENON_HD place_in_order of(indexed::state<T> x) {
    unsigned const place = (0x7fffffffu - static_cast<unsigned>(x.index)) << 1;
    if constexpr (is_floating) {
      rank_type const bits = __builtin_bit_cast(rank_type, x.number);
      bool const is_negative_zero = bits == top_bit;
      return {rank_of(x.number == x.number ? (is_negative_zero ? 0 : bits) : ~top_bit) ^ turned,
              place | unsigned(is_negative_zero)};
    } else {
      return {(static_cast<rank_type>(x.number) ^ (std::is_signed_v<T> ? top_bit : 0)) ^ turned,
              place};
    }
  }
  constexpr TENON_HD T number() const {
    rank_type const of_rank = rank ^ turned;
    if constexpr (is_floating) {
      rank_type const bits = of_rank ^ (of_rank & top_bit ? top_bit : ~rank_type(0));
      return __builtin_bit_cast(T, (place & 1) != 0 ? top_bit : bits);
    } else {
      return static_cast<T>(of_rank ^ (std::is_signed_v<T> ? top_bit : 0));
    }
  }
  constexpr TENON_HD long long index() const { return 0x7fffffffu - (place >> 1); }

  constexpr TENON_HD bool comes_before(place_in_order const& other) const {
    if constexpr (sizeof(rank_type) == 4)
      return joined() > other.joined();  // two instructions
    else
      return rank > other.rank || (rank == other.rank && place > other.place);
  }

 private:
  constexpr TENON_HD unsigned long long joined() const {
    return static_cast<unsigned long long>(rank) << 32 | place;
  }
  // The bits of a number, as an integer that grows with it; of a NaN whose bits are all ones the
  // greatest.
  static constexpr TENON_HD rank_type rank_of(rank_type bits) {
    return bits ^ (bits & top_bit ? ~rank_type(0) : top_bit);
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
  static constexpr bool is_defined_on_empty = false;
  static constexpr int size = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Count)));
  static constexpr int cost = 8 * size;
  template <class T> struct state {
    using entry = place_in_order<T, IsDescending>;
    typename entry::rank_type ranks[size];
    unsigned places[size];

    constexpr TENON_HD entry at(int i) const { return {ranks[i], places[i]}; }
    constexpr TENON_HD void set(int i, entry const& e) { ranks[i] = e.rank, places[i] = e.place; }
  };

  template <class T> static constexpr TENON_HD state<T> identity() { return {}; }
  template <class T> static constexpr TENON_HD state<T> lift(indexed::state<T> x) {
    state<T> result{};
    result.set(0, state<T>::entry::of(x));
    return result;
  }
  // @pre both are in order
  template <class T> static constexpr TENON_HD state<T> combine(state<T> a, state<T> b) {
    // The first of both fall and then rise, or the other way round.
    for (int i = 0; i < size; ++i)
      if (b.at(size - 1 - i).comes_before(a.at(i))) a.set(i, b.at(size - 1 - i));
    settle<size / 2>(a);
    return a;
  }
  // One more element behind those that come before it.
  template <class T>
  static constexpr TENON_HD state<T> accumulate(state<T> all, indexed::state<T> x) {
    auto const next = state<T>::entry::of(x);
    if (!next.comes_before(all.at(size - 1))) return all;
    int i = size - 1;
    for (; i > 0 && next.comes_before(all.at(i - 1)); --i) all.set(i, all.at(i - 1));
    all.set(i, next);
    return all;
  }
  // The first `valid` elements: as many at a time as are kept, each of these sorted.
  template <class T, int Elements>
  static constexpr TENON_HD state<T> lift_many(indexed::state<T> const (&x)[Elements], int valid) {
    return lift_from<0>(x, valid);
  }
  // On a host all lanes have one state.
  template <class T, int Lanes> struct lanes {
    state<T> all = identity<T>();

    constexpr void take(int, indexed::state<T> x) { all = accumulate(all, x); }
    constexpr void raise() {}
    constexpr state<T> result(int) const { return all; }
  };

 private:
  template <int First, class T, int Elements>
  static constexpr TENON_HD state<T> lift_from(indexed::state<T> const (&x)[Elements], int valid) {
    state<T> some{};
    for (int i = 0; i < size && First + i < Elements; ++i)
      if (First + i < valid) some.set(i, state<T>::entry::of(x[First + i]));
    sort<0, size>(some);
    if constexpr (First + size < Elements)
      return combine(some, lift_from<First + size>(x, valid));
    else
      return some;
  }
  template <class T> static constexpr TENON_HD void exchange(state<T>& s, int i, int j) {
    auto const first = s.at(i), second = s.at(j);
    bool const is_turned = second.comes_before(first);
    s.set(i, is_turned ? second : first);
    s.set(j, is_turned ? first : second);
  }
  // Orders what falls and then rises, or the other way round.
  template <int Half, class T> static constexpr TENON_HD void settle(state<T>& s) {
    if constexpr (Half > 0) {
      for (int i = 0; i < size; ++i)
        if ((i & Half) == 0) exchange(s, i, i + Half);
      settle<Half / 2>(s);
    }
  }
  // Merges the odd and the even ones of two neighbouring halves in order, each Stride apart.
  template <int First, int Length, int Stride, class T>
  static constexpr TENON_HD void merge(state<T>& s) {
    if constexpr (2 * Stride < Length) {
      merge<First, Length, 2 * Stride>(s);
      merge<First + Stride, Length, 2 * Stride>(s);
      for (int i = First + Stride; i + Stride < First + Length; i += 2 * Stride)
        exchange(s, i, i + Stride);
    } else {
      exchange(s, First, First + Stride);
    }
  }
  template <int First, int Length, class T> static constexpr TENON_HD void sort(state<T>& s) {
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
    return s.at(K).index();
  }
};
template <int K> struct top_value : projection_op {
  static constexpr text_view name = "top_value";
  template <class State> static constexpr TENON_HD auto eval(State const& s) {
    return s.at(K).number();
  }
  template <class V> static constexpr V derivative(V d, V, V, auto over) {
    return when(over.position() == over.template member<top_index<K>>(), d);
  }
};

}  // namespace tenon::ops
