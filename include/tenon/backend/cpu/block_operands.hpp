// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loads and stores of one row → for each block of its columns, addresses at which every operand
// is contiguous.

#include "tenon/backend/cpu/row_state.hpp"

namespace tenon::cpu_backend {

// Columns that are computed together: few enough for their buffers to stay in the first-level
// cache.
inline constexpr int block_size = 1024;

// The loads and stores at place element that take part in the sweep that ends phase Phase and, if
// Stores, stores.
template <class Program, int Phase, bool Stores> struct operands_of_block {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    if (i.where != place::element) return false;
    if (i.is_store) return Stores;
    return i.is_read && element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
};
template <class Program, int Phase, bool Stores>
using block_sequence =
    tenon::detail::held_sequence<Program, operands_of_block<Program, Phase, Stores>>;

template <int K, class T> struct block_address { T* address; };
template <class I>
using addressed = std::conditional_t<I::is_read, storage_t<I::type> const, storage_t<I::type>>;
template <class Program, class Sequence> struct block_address_file;
template <class Program, int... K>
struct block_address_file<Program, std::integer_sequence<int, K...>>
    : block_address<K, addressed<typename program_traits<Program>::template at<K>>>... {};

// The address of each operand's first element.
template <class Program, int Phase, bool Stores>
struct block_addresses : block_address_file<Program, block_sequence<Program, Phase, Stores>> {};

template <int K, class T> T*& address_in(block_address<K, T>& a) { return a.address; }

// Calls visit(integral_constant<int, K>) for each load and store of the block.
template <class Program, int Phase, bool Stores, class Visit>
void for_each_block_operand(Visit const& visit) {
  visit_selected<Program, operands_of_block<Program, Phase, Stores>>(visit);
}

template <int K, class T> struct block_buffer { alignas(64) T elements[block_size]; };
template <class Program, class Sequence> struct block_buffer_file;
template <class Program, int... K>
struct block_buffer_file<Program, std::integer_sequence<int, K...>>
    : block_buffer<K, storage_t<program_traits<Program>::template at<K>::type>>... {};

template <int K> struct block_position { long long start; };
template <class Program, int Phase, bool Stores> struct positions_of_block {
  static consteval bool holds(int k) {
    return operands_of_block<Program, Phase, Stores>::holds(k) &&
           program_traits<Program>::all[k].is_position;
  }
};
template <class Sequence> struct block_position_file;
template <int... K>
struct block_position_file<std::integer_sequence<int, K...>> : block_position<K>... {};

// Where each index or address is at the first column.
template <class Program, int Phase, bool Stores>
struct block_positions
    : block_position_file<
          tenon::detail::held_sequence<Program, positions_of_block<Program, Phase, Stores>>> {};

template <int K> long long& position_in(block_position<K>& p) { return p.start; }

// Memory for the operands of a block that are not contiguous.
template <class Program, int Phase, bool Stores>
struct block_buffers : block_buffer_file<Program, block_sequence<Program, Phase, Stores>> {};

template <int K, class T> T* buffer_in(block_buffer<K, T>& b) { return b.elements; }

// Where an operand is contiguous its own memory is used, elsewhere a buffer.
template <class Program, int Phase, bool Stores> class block_operands {
 public:
  block_operands(call<Program> const& c, row_state<Program> const& state) : call_(c) {
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename traits::template at<k>;
      if constexpr (I::is_position)
        position_in<k>(positions_) = c.template position<I>(state.where);
      else if (auto* panel = panel_of<k>(state))
        address_in<k>(row_) = panel, is_direct_[k] = true;
      else if constexpr (I::is_gathered)
        find_row<k>(state);
      else
        address_in<k>(row_) = c.template address<I>(state.where),
        is_direct_[k] = c.template is_contiguous_in_row<I>();
      if constexpr (I::is_store && !I::is_window)
        is_streamed_[k] = !panel_of<k>(state) && c.template is_streamed<I>();
    });
  }

  // @post the loads hold columns [begin, begin + count)
  block_addresses<Program, Phase, Stores> const& read(long long begin, int count) {
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename traits::template at<k>;
      auto*& address = address_in<k>(block_);
      if constexpr (I::is_position) {
        address = buffer_in<k>(buffers_);
        enumerate(call_.layout.columns, call_.template column_strides<I>(),
                  position_in<k>(positions_), begin, count, buffer_in<k>(buffers_));
        return;
      }
      address = I::is_window ? address_in<k>(row_) : direct<k>(begin, count);
      if (address && !is_streamed_[k]) return;
      address = buffer_in<k>(buffers_);
      if constexpr (I::is_gathered)
        if (!address_in<k>(row_)) {
          for (int i = 0; i < count; ++i) buffer_in<k>(buffers_)[i] = {};
          return;
        }
      if constexpr (I::is_load)
        gather(call_.layout.columns, call_.template column_strides<I>(), address_in<k>(row_), begin,
               count, buffer_in<k>(buffers_));
    });
    return block_;
  }

  // @pre follows read(begin, count). @post what was stored is in the operands' own memory
  void write_back(long long begin, int count) {
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename traits::template at<k>;
      if constexpr (I::is_store && !I::is_window) {
        if (is_streamed_[k])
          store_streamed(buffer_in<k>(buffers_), address_in<k>(row_) + begin, count);
        else if (address_in<k>(block_) == buffer_in<k>(buffers_))
          scatter(call_.layout.columns, call_.template column_strides<I>(), buffer_in<k>(buffers_),
                  begin, count, address_in<k>(row_));
      }
    });
  }

 private:
  using traits = program_traits<Program>;

  // Where the row of operand K is that an index names; null where there is none.
  template <int K> void find_row(row_state<Program> const& state) {
    using I = typename traits::template at<K>;
    long long const where = tenon::detail::read_register<I::first_operand>(state.row);
    bool const is_somewhere = where != tenon::detail::no_address;
    long long const bytes = static_cast<long long>(sizeof(storage_t<I::type>));
    address_in<K>(row_) = is_somewhere ? call_.template address<I>(state.where) +
                                             (where - tenon::detail::first_place) / bytes
                                       : nullptr;
    is_direct_[K] = is_somewhere && call_.template is_contiguous_in_row<I>();
  }
  // The address of columns [begin, begin + count) of operand K where they are contiguous, else
  // null.
  template <int K> auto* direct(long long begin, int count) {
    using I = typename traits::template at<K>;
    auto* first = address_in<K>(row_);
    if constexpr (I::is_gathered)
      if (!first) return first;
    if (is_direct_[K]) return first + begin;
    return direct_address(call_.layout.columns, call_.template column_strides<I>(), first, begin,
                          count);
  }

  // Where operand K was brought for neighbouring rows together, else null.
  template <int K> auto* panel_of(row_state<Program> const& state) const {
    using I = typename traits::template at<K>;
    if constexpr (I::is_window)
      return static_cast<storage_t<I::type>*>(nullptr);
    else
      return state.panels.template row_of<I>(call_);
  }

  call<Program> const& call_;
  bool is_direct_[tenon::detail::at_least_one(traits::size)] = {};    // side by side in the row
  bool is_streamed_[tenon::detail::at_least_one(traits::size)] = {};  // past the caches
  block_addresses<Program, Phase, Stores> row_, block_;
  block_buffers<Program, Phase, Stores> buffers_;
  block_positions<Program, Phase, Stores> positions_;
};

}  // namespace tenon::cpu_backend
