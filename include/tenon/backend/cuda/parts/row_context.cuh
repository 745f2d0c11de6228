// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread has of its row and of everything: where the row lies, and the values that are read,
// computed and stored outside the sweeps.

#include "tenon/backend/cuda/parts/reduce.cuh"
#include "tenon/backend/cuda/rows/orders.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class Arguments> struct row_context {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;

  Arguments const& a;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> none;
  registers<Program, place::total> total;
  operand_offsets<Program> where = {};  // of the row
  row_orders<Program> orders;           // of the row
  int buffer = 0;                       // of the shared states

  __device__ __forceinline__ explicit row_context(Arguments const& arguments) : a(arguments) {}

  __device__ __forceinline__ frame<Program> values() { return {launch, row, none, total}; }

  // Operand K, `offset` further.
  template <int K> __device__ __forceinline__ auto read(long long offset) const {
    using I = at<K>;
    if constexpr (I::is_position) {
      return static_cast<typename I::value_type>(reinterpret_cast<long long>(a.loads[I::bits]) +
                                                 offset);
    } else {
      packed<storage_t<I::type>, 1> raw;
      load_packed<reuse::expected>(raw, load_address<Program, K>(a, offset));
      return static_cast<typename I::value_type>(element_of(raw, 0));
    }
  }
  template <place Where> __device__ __forceinline__ void read_values() {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      if constexpr (at<k>::is_read && at<k>::where == Where)
        value_of<k>(values()) = read<k>(Where == place::row ? where.loads[at<k>::bits] : 0);
    });
  }
  template <place Where> __device__ __forceinline__ void store_values() {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      if constexpr (at<k>::is_store && at<k>::where == Where)
        store_one<k>(values(), a, Where == place::row ? where.stores[at<k>::bits] : 0);
    });
  }

  // IsEarly: memory is not looked at before begin_row, or await_without_row.
  template <bool IsEarly = false> __device__ __forceinline__ void begin_launch() {
    if constexpr (!IsEarly || reads_at_launch<Program>) await_previous_kernel();
    set_launch_values<Program>(launch, a.scalars, a.sizes);
    read_values<place::launch>();
    evaluate<place::launch, 0, max_nodes>(values());
  }
  // HasRows: there are some, which costs a look otherwise.
  template <bool HasRows = false> __device__ __forceinline__ void begin_row(long long number) {
    where = {};
    // One product of 32 bits for each operand where rows have one axis. H200, one call, RMS norm
    // and scales of 32 columns, 8192 x 4096 bf16, 30.8 us instead of 31.3, a block for each row.
    // Scans have no registers for two ways: those of f32 spill.
    if constexpr (traits::has_blocks) {
      if (HasRows || a.row_count > 0) find_row<Program>(where, a, number);
    } else if (HasRows || a.row_count > 0) {
      for_each_digit(a.rows, number, [&](int d, long long digit) {
        for (int k = 0; k < traits::load_count; ++k) where.loads[k] += digit * a.load_rows[k][d];
        for (int k = 0; k < traits::store_count; ++k) where.stores[k] += digit * a.store_rows[k][d];
      });
    }
    await_operands<Program>();
    read_values<place::row>();
    evaluate<place::row, 0, 0>(values());
  }
  // Behind the rows, where memory is looked at or written to of which no row knows.
  __device__ __forceinline__ void await_without_row() {
    if constexpr (traits::has_total || has_selected<Program, stored_at<Program, place::launch>>)
      if (blockIdx.x >= a.row_count) await_operands<Program>();
  }

  template <class Selected, class Registers>
  __device__ __forceinline__ static void clear(Registers& states) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(states) = at<k>::op::template identity<arithmetic_t<at<k>::type>>();
    });
  }
  // A number in the arithmetic of instruction K, or a state as it is.
  template <int K, class Value> __device__ __forceinline__ static auto as_operand(Value const& v) {
    if constexpr (std::is_class_v<Value>)
      return v;
    else
      return static_cast<arithmetic_t<at<K>::type>>(v);
  }
  template <class Selected, class Registers>
  __device__ __forceinline__ static void accumulate(frame<Program> const& f, Registers& states) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename at<k>::op;
      auto& state = read_register<k>(states);
      state = op::combine(state, op::lift(as_operand<k>(value_of<at<k>::first_operand>(f))));
    });
  }
};

}  // namespace tenon::detail
#endif
