// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the scan kernels: rows that are scanned from their ends are vectors, too.

#include "tenon/backend/cuda/parts/backward_access.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"

namespace tenon::detail {

template <class Program> struct scan_arguments : widest_arguments<Program> {
  using base = widest_arguments<Program>;
  using typename base::traits;

  [[gnu::cold]] static scan_arguments of(bound_layout const& layout, bound_arguments const& call,
                                         int vector_width, work_split const& split) {
    scan_arguments a{base::of(layout, call, vector_width, split)};
    if constexpr (has_reversed<Program>) a.find_backward(layout, call, vector_width);
    return a;
  }

 private:
  // @post is_packed: every operand is whole vectors, in one order or the other
  [[gnu::cold]] void find_backward(bound_layout const& layout, bound_arguments const& call,
                                   int width) {
    bool are_vectors = this->tail == 0;
    auto const look = [&](access& how, operand_layout const& operand, void const* address,
                          int bytes) {
      if (bytes == 0) return;
      if (how == access::strided) how = backward_access(layout, operand, address, bytes, width);
      are_vectors = are_vectors && (how == access::packed || how == access::backward);
    };
    constexpr auto const& bytes = moved_by<Program>::bytes;
    for (int k = 0; k < traits::load_count; ++k)
      if (loads_which<Program, &instruction_facts::is_reversed>::all.at[k])
        look(this->load_access[k], layout.loads[k], call.loads[k], bytes.loads[k]);
      else if (bytes.loads[k] > 0)
        are_vectors = are_vectors && this->load_access[k] == access::packed;
    for (int k = 0; k < traits::store_count; ++k)
      look(this->store_access[k], layout.stores[k], call.stores[k], bytes.stores[k]);
    this->is_packed = are_vectors;
    // Loads are vectors together, or take other ways.
    for (access& how : this->load_access)
      if (how == access::backward && !are_vectors) how = access::strided;
  }
};

}  // namespace tenon::detail
