// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a result is shared by the blocks that list their updates, and whether rows are vectors.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/scatter/taken_parts.cuh"
#include "tenon/backend/cuda/scatter/update_list.cuh"

namespace tenon::detail {

// Along the targets the result is cut into units of `near` neighbours, of which each of `groups`
// has one in every turn, and as many turns in a step as its teams have room for; across them into
// pieces of as many vectors as a team has lanes.
struct scatter_shares {
  int log_lanes = 0, log_teams = 0, log_near = 0, log_far = 0;  // near * far teams
  int last_near = 0, last_far = 0, bits = 0;
  int steps = 1;
  unsigned groups = 1;
  index_divider<32> by_groups;
  long long blocks = 0;  // groups of all pieces
  int span = 1;          // steps whose updates a block lists together at first
  cache_policy kept = goes_first;
  int parts = 0;  // of updates of one row, that shared memory has the states of
};

template <class Program> struct listed_arguments : scatter_arguments<Program> {
  scatter_shares shares;
};

// What a result is computed from beside the states of its updates.
template <class Program> struct row_needs {
  struct table {
    bool needed[program_traits<Program>::size] = {};
  };
  static consteval table compute() {
    table t;
    for (int k = program_traits<Program>::size - 1; k >= 0; --k) {
      instruction_facts const& i = program_traits<Program>::all[k];
      if (i.is_store || (t.needed[k] && !i.is_reduction))
        for (int n = 0; n < i.operand_count; ++n) t.needed[i.operands[n]] = true;
    }
    return t;
  }
  static constexpr table all = compute();
};
template <class Program> struct row_reads {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_read && i.where == place::row && row_needs<Program>::all.needed[k];
  }
};
// Loads of V neighbours, for a result and for an update; what all of them share is one element.
template <class I, int V>
using row_vector = packed<storage_t<I::type>, I::varies_over_rows ? V : 1>;
template <class Program, int V> struct row_vectors {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    return program_traits<Program>::all[k].is_load && row_reads<Program>::holds(k);
  }
  template <int K> using type = row_vector<at<K>, V>;
};
template <class Program, int V> struct update_vectors {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && (i.where == place::row || i.where == place::element) &&
           update_needs<Program, update_part::value>::all.needed[k];
  }
  template <int K> using type = row_vector<at<K>, V>;
};
template <class Program, int V> struct update_addresses : update_vectors<Program, V> {
  template <int K> using type = storage_t<program_traits<Program>::template at<K>::type> const*;
};
template <class Program, int V>
using update_origins = selected_registers<Program, update_addresses<Program, V>>;
template <class Program, int V> struct row_results {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) { return program_traits<Program>::all[k].is_store; }
  template <int K> using type = value_list<typename at<at<K>::first_operand>::value_type, V>;
};

// What differs along the rows and is moved as vectors, if they are whole.
template <class Program> struct whole_row_vectors {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_store || (i.varies_over_rows && (row_vectors<Program, 1>::holds(k) ||
                                                 update_vectors<Program, 1>::holds(k)));
  }
};

// Neighbours of a row that a thread has: 16 bytes of the widest operand, and no more than 128 bytes
// of states. Parts of a result are stored one by one.
template <class Program> consteval int find_scatter_vector() {
  if (program_traits<Program>::stores_parts) return 1;
  int widest = 2;
  for (int k = 0; k < program_traits<Program>::size; ++k) {
    int const bytes = size_of(program_traits<Program>::all[k].type);
    if (whole_row_vectors<Program>::holds(k) && bytes > widest) widest = bytes;
  }
  int result = 16 / widest;
  while (result > 1 && result * sizeof(taken_parts<Program>) > 128) result /= 2;
  return result;
}
template <class Program> inline constexpr int scatter_vector = find_scatter_vector<Program>();

// Rows have at least so many vectors of more than one element.
inline constexpr int log_least_lanes = 3;
// Whether rows lie in memory as whole aligned vectors of V, of which they have enough, in every
// operand that differs along them. @pre V > 1
template <class Program, int V>
[[gnu::cold]] bool has_scatter_vectors(bound_layout const& layout, bound_arguments const& call,
                                       scatter_axes const& axes) {
  int const inner = layout.rows.dims - 1;
  if (inner < 0 || inner == axes.target_dim || layout.rows.extents[inner] % V != 0) return false;
  if (axes.others < V << log_least_lanes) return false;
  auto const is_whole = [&](operand_layout const& operand, void const* address, int bytes) {
    bool result = operand.row_strides[inner] == 1 &&
                  reinterpret_cast<std::uintptr_t>(address) % (V * bytes) == 0;
    for (int d = 0; d < inner; ++d) result = result && operand.row_strides[d] % V == 0;
    for (int d = 0; d < layout.columns.dims; ++d)
      result = result && operand.column_strides[d] % V == 0;
    return result;
  };
  bool result = true;
  visit_selected<Program, whole_row_vectors<Program>>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    void const* address;
    if constexpr (I::is_store)
      address = call.stores[I::bits];
    else
      address = call.loads[I::bits];
    result = result && is_whole(operand_of<I>(layout), address, size_of(I::type));
  });
  return result;
}

}  // namespace tenon::detail
