// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one thread does of a scatter: where an update goes, its states, and the end of an element.

#include "tenon/backend/cuda/ordered/worker.cuh"
#include "tenon/program/updates.hpp"

namespace tenon::detail {

// The axis of the result that targets are positions of, and the remaining axes together.
struct scatter_axes {
  int target_dim = -1;  // of the rows; -1: the axis has length 1
  int first_other = 0;  // the outermost of the remaining dims
  long long targets = 1, others = 1;
  long long step = 1;  // of the targets that neighbouring positions stand for

  template <class Program> [[gnu::cold]] static scatter_axes of(bound_layout const& layout) {
    using position = typename program_traits<Program>::template at<gate<Program>::position>;
    scatter_axes result;
    for (int d = 0; d < layout.rows.dims; ++d)
      if (long long const stride = layout.loads[position::bits].row_strides[d])
        result.target_dim = d, result.step = stride, result.targets = layout.rows.extents[d];
    result.first_other = result.target_dim == 0 ? 1 : 0;
    result.others = result.targets == 0 ? 0 : layout.rows.size / result.targets;
    return result;
  }
};

template <class Program>
struct scatter_arguments : kernel_arguments<Program, max_rank, max_rank, 64> {
  scatter_axes axes;
};

// The states of one element of the result.
template <class Program> struct update_states {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) { return program_traits<Program>::all[k].is_reduction; }
  template <int K> using type = typename at<K>::value_type;
};
template <class Program>
using update_registers = selected_registers<Program, update_states<Program>>;

// What an element has taken in, a long chain of updates.
template <class Program> struct taken_updates {
  update_registers<Program> recent;
  long_chains<Program, update_states<Program>> whole;
};

#if defined(__CUDA_ARCH__)
template <class Program, class Arguments>
struct scatter_worker : ordered_worker<Program, 1, Arguments> {
  using base = ordered_worker<Program, 1, Arguments>;
  using base::a;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  using base::base;

  // The element at `target` along the axis of the index and `other` along the others.
  __device__ __forceinline__ void find_element(long long target, long long other) {
    this->where = {};
    if (a.rows.size <= 0) return;
#pragma unroll 1
    for (int d = a.rows.dims - 1; d >= 0; --d) {
      long long digit = target;
      if (d != a.axes.target_dim) {
        digit = other;
        if (d > a.axes.first_other) {
          auto const next = a.rows.by[d].quotient(static_cast<unsigned long long>(other));
          digit = other - static_cast<long long>(next * a.rows.by[d].divisor);
          other = static_cast<long long>(next);
        }
      }
      for (int k = 0; k < traits::load_count; ++k)
        this->where.loads[k] += digit * a.load_rows[k][d];
      for (int k = 0; k < traits::store_count; ++k)
        this->where.stores[k] += digit * a.store_rows[k][d];
    }
  }

  // Reads part of update `number` for the element that was found.
  template <update_part Part>
  __device__ __forceinline__ void read_part(registers<Program, place::element>& element,
                                            long long number) {
    operand_offsets<Program> offsets = this->where;
    for_each_digit(a.columns, number, [&](int d, long long digit) {
      for (int k = 0; k < traits::load_count; ++k) offsets.loads[k] += digit * a.load_columns[k][d];
    });
    read_update<Part>(frame_of(element), [&](auto index) {
      constexpr int k = decltype(index)::value;
      return this->template read<k>(offsets.loads[at<k>::bits]);
    });
  }
  __device__ __forceinline__ frame<Program> frame_of(registers<Program, place::element>& element) {
    return {this->launch, this->row, element, this->total};
  }
  // The position along the axis that an update names; outside of it: none.
  // @pre the part was read
  __device__ __forceinline__ long long target_of(registers<Program, place::element>& element) {
    compute_update<update_part::target>(frame_of(element));
    using position = at<gate<Program>::position>;
    long long const target = value_of<gate<Program>::target>(frame_of(element)) -
                             reinterpret_cast<long long>(a.loads[position::bits]);
    if (a.axes.step == 1) return target;
    return target % a.axes.step == 0 ? target / a.axes.step : -1;
  }
  __device__ __forceinline__ long long target_of(long long number) {
    registers<Program, place::element> element;
    read_part<update_part::target>(element, number);
    return target_of(element);
  }
  // The states of one update alone.
  __device__ __forceinline__ update_registers<Program> lifted(long long number) {
    registers<Program, place::element> element;
    read_part<update_part::value>(element, number);
    compute_update<update_part::value>(frame_of(element));
    return lifted(frame_of(element));
  }
  // @pre its value was computed
  __device__ __forceinline__ static update_registers<Program> lifted(frame<Program> const& f) {
    update_registers<Program> result;
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(result) =
          at<k>::op::lift(base::template as_operand<k>(value_of<at<k>::first_operand>(f)));
    });
    return result;
  }
  __device__ __forceinline__ static void clear(taken_updates<Program>& taken) {
    base::template clear<update_states<Program>>(taken.recent);
    taken.whole.clear();
  }
  __device__ __forceinline__ static void take_in(taken_updates<Program>& taken,
                                                 update_registers<Program> const& update) {
    combine(taken.recent, update);
    taken.whole.carry(taken.recent);
  }
  __device__ __forceinline__ static void combine(update_registers<Program>& states,
                                                 update_registers<Program> const& next) {
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& state = read_register<k>(states);
      state = at<k>::op::combine(state, read_register<k>(next));
    });
  }
  // @pre the element was found
  __device__ __forceinline__ void finish(taken_updates<Program> const& taken) {
    this->template read_values<place::row>();
    compute_row(taken);
    this->template store_values<place::row>();
  }
  // @pre what is read at place row has its value
  __device__ __forceinline__ void compute_row(taken_updates<Program> const& taken) {
    evaluate<place::row, 0, 0>(this->values());
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(this->row) = read_register<k>(taken.recent);
    });
    taken.whole.finish(this->row);
    evaluate<place::row, 1, max_nodes>(this->values());
  }
};
#endif

}  // namespace tenon::detail
