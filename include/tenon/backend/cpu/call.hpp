// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of a program → what stays the same during it, and the values that one thread has of the
// row it is at.

#include "tenon/backend/cpu/buffer.hpp"
#include "tenon/backend/cpu/streamed_store.hpp"
#include "tenon/backend/cpu/strided_block.hpp"
#include "tenon/program/visit.hpp"

namespace tenon::cpu_backend {

// Layout and addresses, and which operands are contiguous along the columns.
template <class Program> struct call {
  using traits = program_traits<Program>;
  bound_layout const& layout;
  bound_arguments const& arguments;
  bool load_is_contiguous[tenon::detail::at_least_one(traits::load_count)];
  bool store_is_contiguous[tenon::detail::at_least_one(traits::store_count)];

  call(bound_layout const& l, bound_arguments const& a) : layout(l), arguments(a) {
    for (int k = 0; k < traits::load_count; ++k)
      load_is_contiguous[k] = is_contiguous(l.columns, l.loads[k].column_strides);
    for (int k = 0; k < traits::store_count; ++k)
      store_is_contiguous[k] = is_contiguous(l.columns, l.stores[k].column_strides);
  }

  // Whether store I, side by side along the columns, leaves the caches alone.
  template <class I> bool is_streamed() const {
    if (!is_contiguous_in_row<I>()) return false;
    long long const bytes = static_cast<long long>(sizeof(storage_t<I::type>));
    return is_worth_streaming(layout.rows.size * layout.columns.size * bytes,
                              layout.columns.size * bytes);
  }

  template <class I> long long const* column_strides() const {
    if constexpr (I::is_read)
      return layout.loads[I::bits].column_strides;
    else
      return layout.stores[I::bits].column_strides;
  }
  template <class I> long long const* row_strides() const {
    if constexpr (I::is_read)
      return layout.loads[I::bits].row_strides;
    else
      return layout.stores[I::bits].row_strides;
  }
  template <class I> bool is_contiguous_in_row() const {
    if constexpr (I::is_read)
      return load_is_contiguous[I::bits];
    else
      return store_is_contiguous[I::bits];
  }

  // Where operand I, an index or an address, is at the first column of a row.
  template <class I> long long position(coordinate const& row) const {
    return static_cast<long long>(reinterpret_cast<std::intptr_t>(arguments.loads[I::bits])) +
           offset_of(layout.rows, row, layout.loads[I::bits].row_strides);
  }
  // Address of the first column of load or store I in a row.
  template <class I> auto* address(coordinate const& row) const {
    using storage = storage_t<I::type>;
    if constexpr (I::is_load)
      return static_cast<storage const*>(arguments.loads[I::bits]) +
             offset_of(layout.rows, row, layout.loads[I::bits].row_strides);
    else
      return static_cast<storage*>(arguments.stores[I::bits]) +
             offset_of(layout.rows, row, layout.stores[I::bits].row_strides);
  }
};

// What each sort of a program has ordered of the row: a buffer for each.
template <int K, class Element> struct row_order { buffer<Element> elements; };
template <class Program, int K, bool IsSort> struct row_order_slot {};
template <class Program, int K>
struct row_order_slot<Program, K, true>
    : row_order<K, typename program_traits<Program>::template at<K>::value_type> {};
template <class Program, class Sequence> struct row_order_file;
template <class Program, int... K>
struct row_order_file<Program, std::integer_sequence<int, K...>>
    : row_order_slot<Program, K, program_traits<Program>::template at<K>::is_sort>... {};

template <int K, class Element> buffer<Element>& order_in(row_order<K, Element>& order) {
  return order.elements;
}
template <int K, class Element>
buffer<Element> const& order_in(row_order<K, Element> const& order) {
  return order.elements;
}

// What is read or written at one place.
template <class Program, place Where> struct moves_at {
  struct reads {
    static consteval bool holds(int k) {
      instruction_facts const& i = program_traits<Program>::all[k];
      return i.is_read && i.where == Where;
    }
  };
  struct stores {
    static consteval bool holds(int k) {
      instruction_facts const& i = program_traits<Program>::all[k];
      return i.is_store && i.where == Where;
    }
  };
};

}  // namespace tenon::cpu_backend
