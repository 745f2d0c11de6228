// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the vectors of a thread lie that finds them by itself: once for a whole vector, from the
// position of its first element. That of the second half of an axis is as far from that of the
// first as the operand's strides say, unless a number that leads there is another one.

#include "tenon/backend/cuda/moved/place_values.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Of: what the digits of the innermost axis count, where the strides are those of vectors of Of.
template <class Program, int V, int Of = V> struct moved_places {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  using arguments = moved_arguments<Program>;
  template <int K> using at = typename traits::template at<K>;

  arguments const& a;
  frame<Program> const& around;
  int digits[moved_dims<Program>];
  int item = 0;  // of those along the axis that is shared, if each is found by itself
  template <moved_part Part>
  using cursors_of = selected_registers<Program, moved_cursors<Program, V, Part>>;
  selected_registers<Program, found_positions<Program>> indices;
  selected_registers<Program, moved_positions<Program>> positions;
  selected_registers<Program, moved_positions<Program, moved_part::second>> positions_of_second;
  cursors_of<moved_part::first> cursors;
  cursors_of<moved_part::second> cursors_of_second;

  // @pre `thread` has vectors; nothing is written unless it is inside
  __device__ __forceinline__ moved_places(arguments const& all, frame<Program> const& f,
                                          unsigned thread, bool is_inside = true)
      : a(all), around(f), is_inside_(is_inside) {
#pragma unroll
    for (int d = moved_dims<Program> - 1; d > 0; --d) {
      unsigned const next = a.by[d].quotient(thread);
      digits[d] = static_cast<int>(thread - next * a.by[d].divisor);
      thread = next;
    }
    digits[0] = static_cast<int>(thread);
  }
  // Element i of a vector.
  __device__ __forceinline__ moved_places(moved_places<Program, Of> const& vector, int i)
      : a(vector.a), around(vector.around), is_inside_(true) {
#pragma unroll
    for (int d = 0; d < moved_dims<Program>; ++d) digits[d] = vector.digits[d];
    digits[moved_dims<Program> - 1] = vector.digits[moved_dims<Program> - 1] * Of + i;
  }

  // Whether something changes in the midst of a thread's vector.
  __device__ __forceinline__ bool is_broken() const {
    int const vector = offset(a.along_row);
    bool result = false;
#pragma unroll
    for (int k = 0; k < vector_breaks::most; ++k) result = result || vector == a.broken[k];
    return result;
  }
  // Of a thread's first item along the axis that its items share.
  __device__ __forceinline__ int shared_digit() const { return offset(a.along_shared); }
  __device__ __forceinline__ void find() {
    if constexpr (values::has_found) find_indices();
    find<moved_part::first>(positions, cursors);
    if constexpr (half_values<Program>::is_found)
      find<moved_part::second>(positions_of_second, cursors_of_second);
  }
  // To the next of the thread's vectors, of what elements are read from or of the rest.
  template <bool OfReads> __device__ __forceinline__ void advance() {
    advance<OfReads, moved_part::first>(cursors);
    if constexpr (half_values<Program>::is_found)
      advance<OfReads, moved_part::second>(cursors_of_second);
  }
  template <moved_part Part, int K> __device__ __forceinline__ moved_cursor cursor_of() const {
    if constexpr (Part == moved_part::first) {
      return read_register<K>(cursors);
    } else if constexpr (moved_cursors<Program, V, Part>::template holds<K>) {
      return read_register<K>(cursors_of_second);
    } else {
      moved_cursor result = read_register<K>(cursors);
      result.at += found_again(result.to_second);
      return result;
    }
  }
  // The operand of a number: a number, or a value of the launch. Which half it is, is known.
  template <moved_part Part, int K> __device__ __forceinline__ int number() const {
    if constexpr (K == half_values<Program>::condition)
      return Part == moved_part::first;
    else if constexpr (values::template is_launch_number<K>)
      return a.numbers[values::template launch_number<K>];
    else if constexpr (at<K>::where == place::launch)
      return static_cast<int>(value_of<K>(around));
    else if constexpr (is_held<Program, moved_positions<Program, moved_part::second>>(K) &&
                       Part == moved_part::second)
      return read_register<K>(positions_of_second);
    else
      return read_register<K>(positions);
  }

 protected:
  template <moved_part Part, int K, int... Operands>
  __device__ __forceinline__ int number_by(std::integer_sequence<int, Operands...>) const {
    return number_of<typename at<K>::op>(number<Part, Operands>()...);
  }
  template <int K> __device__ __forceinline__ moved_cursor cursor_of_read() const {
    return find_cursor<moved_part::first, K>();
  }

 private:
  bool is_inside_;

  __device__ __forceinline__ void find_indices() {
    await_operands<Program>();
    for_each_selected<Program, found_positions<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = at<k>;
      if constexpr (I::is_load) {
        using T = storage_t<I::type>;
        packed<T, 1> one;
        load_packed<reuse::expected>(
            one, reinterpret_cast<T const*>(static_cast<char const*>(a.loads[I::bits]) +
                                            offset(a.load_places[I::bits].strides)));
        read_register<k>(indices) = static_cast<typename I::value_type>(element_of(one, 0));
      } else {
        read_register<k>(indices) = apply<I>(read_register<I::first_operand>(indices));
      }
    });
  }
  template <moved_part Part, class Positions, class Cursors>
  __device__ __forceinline__ void find(Positions& numbers, Cursors& places) const {
    for_each_selected<Program, moved_positions<Program, Part>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (at<k>::is_position)
        read_register<k>(numbers) =
            static_cast<int>(reinterpret_cast<unsigned long long>(a.loads[at<k>::bits])) +
            offset_of_load<Part, at<k>::bits>();
      else
        read_register<k>(numbers) = number_by<Part, k>(typename at<k>::operands{});
    });
    for_each_selected<Program, moved_cursors<Program, V, Part>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(places) = find_cursor<Part, k>();
    });
  }
  template <bool OfReads, moved_part Part>
  static __device__ __forceinline__ void advance(cursors_of<Part>& all) {
    for_each_selected<Program, moved_cursors<Program, V, Part>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (moved_reads<Program, V>::template holds<k> == OfReads)
        read_register<k>(all).at += read_register<k>(all).step;
    });
  }
  __device__ __forceinline__ int offset(int const (&strides)[moved_dims<Program>]) const {
    int result = 0;
#pragma unroll
    for (int d = 0; d < moved_dims<Program>; ++d)
      result += digits[d] * (d == moved_dims<Program> - 1 ? strides[d] / (Of / V) : strides[d]);
    return result;
  }
  __device__ __forceinline__ int offset(moved_operand<Program> const& of) const {
    return offset(of.strides) + item * of.step;
  }
  template <moved_part Part, long long Operand>
  __device__ __forceinline__ int offset_of_load() const {
    int result = offset(a.load_places[Operand]);
    if constexpr (Part == moved_part::second) result += a.load_halves[Operand];
    return result;
  }
  template <long long Operand> __device__ __forceinline__ int to_second_load() const {
    if constexpr (half_values<Program>::is_found) return a.load_halves[Operand];
    return 0;
  }
  // Where an element lies is found for the operand alone that it is fetched from: threads of a
  // warp mostly fetch from the same one. H200, one call, ten operands of 1000 x 100 f32 5.8 us
  // instead of 6.6, of 1000 x 1000 21.2 instead of 26.5; heads of queries and keys normalised and
  // rotated, 4 x 4096 x (32 + 8) x 128 bf16, 135 instead of 142.
  template <moved_part Part, int K> __device__ __forceinline__ moved_address address() const {
    return address_by<Part, K>(typename at<K>::operands{});
  }
  template <moved_part Part, int K>
  __device__ __forceinline__ moved_address address_by(std::integer_sequence<int>) const {
    constexpr auto operand = at<K>::bits;
    return {reinterpret_cast<unsigned long long>(a.loads[operand]), offset_of_load<Part, operand>(),
            a.load_places[operand].step, to_second_load<operand>(), true};
  }
  template <moved_part Part, int K, int A, int... Rest>
  __device__ __forceinline__ moved_address
  address_by(std::integer_sequence<int, A, Rest...>) const {
    using op = typename at<K>::op;
    if constexpr (std::is_same_v<op, ops::fetch>) {
      return address<Part, A>();
    } else if constexpr (is_advance<op>) {
      constexpr int index = at<K>::second_operand;
      if constexpr (values::template kind<index> == moved_kind::found)
        return advanced_by<op>(address<Part, A>(), read_register<index>(indices),
                               number<Part, at<K>::third_operand>(),
                               number<Part, at<K>::fourth_operand>());
      else
        return advanced(address<Part, A>(), number<Part, Rest>()...);
    } else if constexpr (values::template kind<at<K>::second_operand> != moved_kind::fetched) {
      return address_if<Part, at<K>::third_operand>(number<Part, A>() == 0);
    } else if constexpr (values::template kind<at<K>::third_operand> != moved_kind::fetched) {
      return address_if<Part, at<K>::second_operand>(number<Part, A>() != 0);
    } else {
      if (number<Part, A>() != 0) return address<Part, at<K>::second_operand>();
      return address<Part, at<K>::third_operand>();
    }
  }
  template <moved_part Part, int K>
  __device__ __forceinline__ moved_address address_if(bool is_wanted) const {
    moved_address result = address<Part, K>();
    result.is_somewhere = result.is_somewhere && is_wanted;
    return result;
  }
  // The place of an element that the result has not: no offset, all of which are less than 2^31.
  static constexpr int nowhere = -2147483647 - 1;
  // Products may overflow where they are not used, which is nothing for unsigned numbers.
  static __device__ __forceinline__ int product(int x, int y) {
    return static_cast<int>(static_cast<unsigned>(x) * static_cast<unsigned>(y));
  }
  static __device__ __forceinline__ moved_address advanced(moved_address const& from, int index,
                                                           int stride, int extent) {
    bool const is_inside = static_cast<unsigned>(index) < static_cast<unsigned>(extent);
    return {from.base, from.offset + product(index, stride), from.step, from.to_second,
            from.is_somewhere && is_inside};
  }
  // By an index that memory holds, which may be any. An address is never 0 where it is somewhere.
  template <class Op>
  static __device__ __forceinline__ moved_address advanced_by(moved_address const& from,
                                                              long long index, int stride,
                                                              int extent) {
    long long const origin = from.is_somewhere ? static_cast<long long>(from.base) : no_address,
                    to = Op::eval(origin, index, stride, extent);
    return {static_cast<unsigned long long>(to), from.offset, from.step, from.to_second,
            to != no_address};
  }
  template <class Op, class... Numbers>
  static __device__ __forceinline__ int number_of(Numbers... all) {
    int const x[] = {all..., 0, 0};
    if constexpr (std::is_same_v<Op, ops::window_index>) {
      int const further = x[0] - x[1], index = further / x[2];
      return product(index, x[2]) == further && index >= 0 && index < x[3] ? index : -1;
    } else if constexpr (std::is_same_v<Op, ops::window_offset>) {
      return x[0] == nowhere || x[1] < 0 ? nowhere : x[0] + product(x[1], x[2]);
    } else if constexpr (std::is_same_v<Op, ops::mul>) {
      return product(x[0], x[1]);
    } else if constexpr (std::is_same_v<Op, ops::where>) {
      return x[0] != 0 ? x[1] : x[2];
    } else if constexpr (std::is_same_v<Op, ops::logical_and> ||
                         std::is_same_v<Op, ops::logical_or>) {
      return Op::eval(x[0] != 0, x[1] != 0);
    } else if constexpr (std::is_same_v<Op, ops::clamp>) {
      return Op::eval(x[0], x[1], x[2]);
    } else if constexpr (std::is_same_v<Op, ops::remainder> && read_windows<Program>::is_found) {
      // Few rows of windows are beyond an end: the others do not divide.
      if (static_cast<unsigned>(x[0]) < static_cast<unsigned>(x[1])) return x[0];
      return static_cast<int>(Op::eval(x[0], x[1]));
    } else {
      return static_cast<int>(Op::eval(x[0], x[1]));
    }
  }

  template <moved_part Part, int K> __device__ __forceinline__ moved_cursor find_cursor() const {
    using I = at<K>;
    if constexpr (I::is_load) {
      return {
          reinterpret_cast<unsigned long long>(a.loads[I::bits]) + offset(a.load_places[I::bits]),
          a.load_places[I::bits].step, to_second_load<I::bits>(), true};
    } else if constexpr (I::is_store) {
      int to = offset(a.store_places[I::bits]), to_second = 0;
      if constexpr (half_values<Program>::is_found) to_second = a.store_halves[I::bits];
      if constexpr (Part == moved_part::second)
#pragma unroll
        for (int d = 0; d < moved_dims<Program>; ++d)
          to += a.half_digits[d] * a.store_places[I::bits].strides[d];
      bool is_wanted = is_inside_;
      if constexpr (I::is_window) {
        int const further = number<Part, I::second_operand>();
        is_wanted = is_wanted && further != nowhere;
        to += product(further, static_cast<int>(sizeof(storage_t<I::type>)));
      }
      return {reinterpret_cast<unsigned long long>(a.stores[I::bits]) + to,
              a.store_places[I::bits].step, to_second, is_wanted};
    } else {
      moved_address const found = address<Part, K>();
      return {found.base + found.offset, found.step, found.to_second, found.is_somewhere};
    }
  }
};

}  // namespace tenon::detail
#endif
