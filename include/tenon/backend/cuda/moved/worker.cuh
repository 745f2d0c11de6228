// SPDX-License-Identifier: Apache-2.0
#pragma once
// One vector of neighbouring elements through a program that finds where they lie: once for the
// whole vector, then element by element what is computed of them.

#include "tenon/backend/cuda/moved/arguments.cuh"
#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

// Where an element lies: so many bytes from the beginning of an operand, if anywhere; and how far
// the next of a thread's vectors is.
struct moved_address {
  unsigned long long base;
  int offset, step;
  bool is_somewhere;
};
// Where a thread's present vector lies.
struct moved_cursor {
  unsigned long long at;
  int step;
  bool is_wanted;
};

// What follows from the position, for the first element of a vector.
template <class Program> struct moved_positions {
  using values = moved_values<Program>;
  template <int K>
  static constexpr bool holds = values::template kind<K> == moved_kind::number ||
                                values::template kind<K> == moved_kind::address ||
                                values::template kind<K> == moved_kind::fetched;
  template <int K>
  using type =
      std::conditional_t<values::template kind<K> == moved_kind::number, int, moved_address>;
};

// V elements of type T in accesses of at most 16 bytes.
template <class T, int V> struct moved_parts {
  static constexpr int width =
      static_cast<int>(sizeof(T)) * V <= 16 ? V : 16 / static_cast<int>(sizeof(T));
  packed<T, width> at[V / width];

  // @pre i is a constant after unrolling
  __device__ __forceinline__ T element(int i) const { return element_of(at[i / width], i % width); }
};
template <class Program, int V> struct moved_reads {
  template <int K> static constexpr bool holds = moved_values<Program>::template reads<K>;
  template <int K>
  using type = moved_parts<storage_t<program_traits<Program>::template at<K>::type>, V>;
};
template <class Program, int V> struct moved_stores {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = at<K>::is_store&& at<K>::where == place::element;
  template <int K>
  using type =
      value_list<typename program_traits<Program>::template at<at<K>::first_operand>::value_type,
                 V>;
};

template <class Program, int V> struct moved_cursors {
  template <int K>
  static constexpr bool holds =
      moved_reads<Program, V>::template holds<K> || moved_stores<Program, V>::template holds<K>;
  template <int K> using type = moved_cursor;
};

template <class Program, int V> struct moved_worker {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  using arguments = moved_arguments<Program>;
  using wanted_reads = moved_reads<Program, V>;
  using wanted_stores = moved_stores<Program, V>;
  template <int K> using at = typename traits::template at<K>;

  arguments const& a;
  frame<Program> const& around;
  int digits[moved_dims];
  selected_registers<Program, moved_positions<Program>> positions;
  selected_registers<Program, moved_cursors<Program, V>> cursors;

  __device__ __forceinline__ moved_worker(arguments const& all, frame<Program> const& f,
                                          unsigned thread)
      : a(all), around(f) {
#pragma unroll
    for (int d = moved_dims - 1; d > 0; --d) {
      unsigned const next = a.by[d].quotient(thread);
      digits[d] = static_cast<int>(thread - next * a.by[d].divisor);
      thread = next;
    }
    digits[0] = static_cast<int>(thread);
  }

  __device__ __forceinline__ void finish() {
    for_each_selected<Program, moved_positions<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (at<k>::is_position)
        read_register<k>(positions) = operand_position<k>();
      else
        read_register<k>(positions) = position<k>(typename at<k>::operands{});
    });
    for_each_selected<Program, moved_cursors<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(cursors) = cursor<k>();
    });
#pragma unroll 1
    for (int item = 0; item < a.items; ++item) {
      finish_item();
      for_each_selected<Program, moved_cursors<Program, V>>([&](auto selected) {
        moved_cursor& c = read_register<decltype(selected)::value>(cursors);
        c.at += c.step;
      });
    }
  }

 private:
  __device__ __forceinline__ int offset(int const (&strides)[moved_dims]) const {
    int result = 0;
#pragma unroll
    for (int d = 0; d < moved_dims; ++d) result += digits[d] * strides[d];
    return result;
  }
  template <int K> __device__ __forceinline__ auto operand_position() const {
    using I = at<K>;
    int const further = offset(a.load_strides[I::bits]);
    auto const first = reinterpret_cast<unsigned long long>(a.loads[I::bits]);
    if constexpr (values::template kind<K> == moved_kind::number)
      return static_cast<int>(first) + further;
    else
      return moved_address{first, further, a.load_steps[I::bits], true};
  }

  // The operand of a number: a number, or a value of the launch.
  template <int K> __device__ __forceinline__ int number() const {
    if constexpr (at<K>::where == place::launch)
      return static_cast<int>(value_of<K>(around));
    else
      return read_register<K>(positions);
  }
  template <int K, int A, int... Rest>
  __device__ __forceinline__ auto position(std::integer_sequence<int, A, Rest...>) const {
    using I = at<K>;
    using op = typename I::op;
    if constexpr (is_advance<op>) {
      return advanced<std::is_same_v<op, ops::advance_checked>>(read_register<A>(positions),
                                                                number<Rest>()...);
    } else if constexpr (std::is_same_v<op, ops::fetch>) {
      return read_register<A>(positions);
    } else if constexpr (values::template kind<K> == moved_kind::fetched) {
      moved_address const &first = read_register<I::second_operand>(positions),
                          &second = read_register<I::third_operand>(positions);
      bool const is_first = number<A>() != 0;
      return moved_address{
          is_first ? first.base : second.base, is_first ? first.offset : second.offset,
          is_first ? first.step : second.step, is_first ? first.is_somewhere : second.is_somewhere};
    } else {
      return number_of<op>(number<A>(), number<Rest>()...);
    }
  }
  // The place of an element that the result has not: no offset, all of which are less than 2^31.
  static constexpr int nowhere = -2147483647 - 1;
  // Products may overflow where they are not used, which is nothing for unsigned numbers.
  static __device__ __forceinline__ int product(int x, int y) {
    return static_cast<int>(static_cast<unsigned>(x) * static_cast<unsigned>(y));
  }
  template <bool IsChecked>
  static __device__ __forceinline__ moved_address advanced(moved_address const& from, int index,
                                                           int stride, int extent) {
    if constexpr (IsChecked) {
      if (index < 0) index += extent;
      if (from.is_somewhere && static_cast<unsigned>(index) >= static_cast<unsigned>(extent))
        report_index("take", index, extent);
    }
    bool const is_inside = static_cast<unsigned>(index) < static_cast<unsigned>(extent);
    return {from.base, from.offset + product(index, stride), from.step,
            from.is_somewhere && is_inside};
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
    } else {
      return static_cast<int>(Op::eval(x[0], x[1]));
    }
  }

  template <int K> __device__ __forceinline__ moved_cursor cursor() const {
    using I = at<K>;
    if constexpr (I::is_load) {
      return {
          reinterpret_cast<unsigned long long>(a.loads[I::bits]) + offset(a.load_strides[I::bits]),
          a.load_steps[I::bits], true};
    } else if constexpr (I::is_store) {
      int to = offset(a.store_strides[I::bits]);
      bool is_wanted = true;
      if constexpr (I::is_window) {
        int const further = number<I::second_operand>();
        is_wanted = further != nowhere;
        to += product(further, static_cast<int>(sizeof(storage_t<I::type>)));
      }
      return {reinterpret_cast<unsigned long long>(a.stores[I::bits]) + to, a.store_steps[I::bits],
              is_wanted};
    } else {
      moved_address const& found = read_register<K>(positions);
      return {found.base + found.offset, found.step, found.is_somewhere};
    }
  }

  __device__ __forceinline__ void finish_item() const {
    selected_registers<Program, wanted_reads> reads;
    for_each_selected<Program, wanted_reads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read<k>(read_register<k>(reads));
    });
    for_each_selected<Program, wanted_reads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (!at<k>::is_load)
        if (!read_register<k>(cursors).is_wanted) fill<k>(read_register<k>(reads));
    });
    selected_registers<Program, wanted_stores> results;
#pragma unroll
    for (int i = 0; i < V; ++i) evaluate(results, reads, i);
    for_each_selected<Program, wanted_stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      moved_cursor const& to = read_register<k>(cursors);
      store_packed(reinterpret_cast<T*>(to.at), pack<T>(read_register<k>(results).at),
                   to.is_wanted);
    });
  }

  template <int K, class Parts> __device__ __forceinline__ void read(Parts& to) const {
    using T = storage_t<at<K>::type>;
    moved_cursor const& from = read_register<K>(cursors);
    bool is_neighbours = true;
    if constexpr (at<K>::is_load) is_neighbours = !a.is_repeated[values::template read_number<K>];
#pragma unroll
    for (int p = 0; p < V / Parts::width; ++p)
      load_packed<reuse::expected>(to.at[p], reinterpret_cast<T const*>(from.at) + p * Parts::width,
                                   from.is_wanted && is_neighbours);
    if constexpr (at<K>::is_load) {
      if (is_neighbours) return;
      packed<T, 1> one;
      load_packed<reuse::expected>(one, reinterpret_cast<T const*>(from.at));
      repeat(to, one);
    }
  }
  // What is nowhere was not read, and is what `fetch` makes of it.
  template <int K, class Parts> static __device__ __forceinline__ void fill(Parts& to) {
    using I = at<K>;
    arithmetic_t<I::type> const missing[1] = {ops::fetch::eval_as<I::type>(no_address)};
    repeat(to, pack<storage_t<I::type>>(missing));
  }
  template <class Parts, class T>
  static __device__ __forceinline__ void repeat(Parts& to, packed<T, 1> const& one) {
#pragma unroll
    for (int p = 0; p < V / Parts::width; ++p) to.at[p] = splat<Parts::width>(one);
  }

  template <class Results, class Reads>
  __device__ __forceinline__ void evaluate(Results& results, Reads const& reads, int i) const {
    registers<Program, place::element> element;
    frame<Program> const f{around.launch, around.row, element, around.total};
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = at<k>;
      if constexpr (I::where == place::element && !I::is_store) {
        constexpr moved_kind kind = values::template kind<k>;
        if constexpr (wanted_reads::template holds<k>)
          value_of<k>(f) = static_cast<typename I::value_type>(read_register<k>(reads).element(i));
        else if constexpr (kind == moved_kind::number)
          value_of<k>(f) = static_cast<typename I::value_type>(read_register<k>(positions));
        else if constexpr (kind == moved_kind::other)
          step<k>(f, typename I::operands{});
      }
    });
    for_each_selected<Program, wanted_stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(results).at[i] = value_of<at<k>::first_operand>(f);
    });
  }
};

}  // namespace tenon::detail
