// SPDX-License-Identifier: Apache-2.0
#pragma once
// All columns of one row → the reductions of a phase and the element stores, in one pass over memory.

#include "tenon/backend/cpu/block.hpp"
#include "tenon/backend/cpu/call.hpp"
#include "tenon/backend/cpu/split.hpp"

namespace tenon::cpu_backend {

// The part of a sweep that one thread does at a time. A power of two times block_size, so that the tree of the partial
// results is the one of an undivided sweep.
inline constexpr long long columns_per_task = 16 * block_size;

template <int K, class T>
struct block_buffer {
  alignas(64) T elements[block_size];
};
template <class Program, int Phase, bool Stores, class Sequence>
struct block_buffer_file;
template <class Program, int K, bool IsOperand>
struct block_buffer_slot {};
template <class Program, int K>
struct block_buffer_slot<Program, K, true> : block_buffer<K, storage_t<program_traits<Program>::template at<K>::type>> {};
template <class Program, int Phase, bool Stores, int... K>
struct block_buffer_file<Program, Phase, Stores, std::integer_sequence<int, K...>>
    : block_buffer_slot<Program, K, is_block_operand<Program, Phase, Stores, K>>... {};

// Memory for the operands of a block that are not contiguous.
template <class Program, int Phase, bool Stores>
struct block_buffers : block_buffer_file<Program, Phase, Stores, typename program_traits<Program>::sequence> {};

template <int K, class T>
T* buffer_in(block_buffer<K, T>& b) {
  return b.elements;
}

// Sweeps columns [begin, end) of a row.
// @pre end is the number of columns or differs from begin by a power of two times block_size
template <int Phase, bool Stores, class Program>
reduction_states<Program, place::row, Phase> sweep_part(call<Program> const& c, row_state<Program> const& state,
                                                        long long begin, long long end) {
  using states = reduction_states<Program, place::row, Phase>;
  using traits = program_traits<Program>;
  group_layout const& columns = c.layout.columns;
  block_buffers<Program, Phase, Stores> buffers;
  block_addresses<Program, Phase, Stores> first, addresses;
  for_each_block_operand<Program, Phase, Stores>([&](auto index) {
    constexpr int k = decltype(index)::value;
    address_in<k>(first) = c.template address<typename traits::template at<k>>(state.where);
  });
  states identity;
  set_identity(identity);
  pairwise<states, combine_states> total{combine_states{}};
  for (long long done = begin; done < end; done += block_size) {
    int const count = end - done < block_size ? static_cast<int>(end - done) : block_size;
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename traits::template at<k>;
      if constexpr (I::is_load) {
        long long const* strides = c.layout.loads[I::bits].column_strides;
        auto* direct = c.load_is_contiguous[I::bits] ? address_in<k>(first) + done
                                                     : direct_address(columns, strides, address_in<k>(first), done, count);
        if (!direct) gather(columns, strides, address_in<k>(first), done, count, buffer_in<k>(buffers));
        address_in<k>(addresses) = direct ? direct : buffer_in<k>(buffers);
      } else {
        long long const* strides = c.layout.stores[I::bits].column_strides;
        auto* direct = c.store_is_contiguous[I::bits] ? address_in<k>(first) + done
                                                      : direct_address(columns, strides, address_in<k>(first), done, count);
        address_in<k>(addresses) = direct ? direct : buffer_in<k>(buffers);
      }
    });
    states of_block = identity;
    evaluate_block<Phase, Stores, Program>(state.launch, state.row, addresses, count, of_block);
    if constexpr (!states::is_empty) total.push(of_block);
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename traits::template at<k>;
      if constexpr (I::is_store)
        if (address_in<k>(addresses) == buffer_in<k>(buffers))
          scatter(columns, c.layout.stores[I::bits].column_strides, buffer_in<k>(buffers), done, count,
                  address_in<k>(first));
    });
  }
  return total.result(identity);
}

// Whether a sweep does anything.
template <class Program, int Phase, bool Stores>
inline constexpr bool has_sweep = [] {
  bool result = !reduction_states<Program, place::row, Phase>::is_empty;
  if constexpr (Stores)
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      result = result || (I::is_store && I::where == place::element);
    });
  return result;
}();

// Sweeps all columns of a row; on all threads when is_parallel. The result is the same either way.
template <int Phase, bool Stores, class Program>
auto sweep(call<Program> const& c, row_state<Program> const& state, bool is_parallel) {
  long long const size = c.layout.columns.size;
  if (!is_parallel) return sweep_part<Phase, Stores>(c, state, 0, size);
  return combine_parts<reduction_states<Program, place::row, Phase>>(
      size, columns_per_task, [&](long long begin, long long end) { return sweep_part<Phase, Stores>(c, state, begin, end); });
}

}  // namespace tenon::cpu_backend
