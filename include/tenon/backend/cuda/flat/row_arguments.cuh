// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the flat kernel of rows is passed: which axes of a call are its rows, and how many lanes of
// a warp share a stretch of one.

#include <algorithm>

#include "tenon/backend/columns_as_rows.hpp"
#include "tenon/backend/cuda/flat/neighbours.cuh"
#include "tenon/backend/cuda/parts/backward_access.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/drawn.hpp"

namespace tenon::detail {

// Elements of a thread that are accessed one by one: 32 bytes of each operand, if there are few,
// and 64 of three loads and more. What is waited for counts more than what is issued. H200, four
// and eight f32, and eight and sixteen bf16: three neighbours of 4096 x 8192 80 us and 72, 59 and
// 49; bytes of 64 x 224 x 224 x 3 to planes of f32 20.5 and 15.3; gelu(odd) * even columns of 8192
// x 8192 bf16, two and eight, 105 and 60. Eight and sixteen f32: three neighbours of 8192 x 8192
// 138.1 and 129.5; one load gains nothing, and asking where an element is as well loses: the lower
// triangle of 4096 x 4095 36.1 and 39.0.
template <class Program>
inline constexpr int flat_elements_of_thread = [] {
  using operands = element_operands<Program>;
  int operand_count = operands::loads;
  for (instruction_facts const& i : program_traits<Program>::all)
    operand_count += i.is_store && i.moves_elements;
  int most = operands::has_much_arithmetic ? 8 : 16;
  if (program_traits<Program>::has_fetches) most = 4;
  // Long code is not repeated often.
  if (has_random<Program>) most = 2;
  if (operands::is_bound_by_arithmetic) most = 1;
  bool const are_many = operands::loads >= 3 && !program_traits<Program>::has_positions;
  int const of_bytes = (are_many ? 64 : 32) / program_traits<Program>::widest_element,
            of_operands = operand_count <= 4 ? most : 32 / operand_count;
  return std::max(1, std::min({most, of_bytes, of_operands}));
}();

// Axes of a row whose elements are accessed one by one, as a kernel knows them.
enum class row_axes { one, two, any };
// Whether rows of two axes have a kernel of their own. Long code is not there twice, and nobody who
// asks where an element is has such rows.
template <class Program>
inline constexpr bool has_kernel_of_two_axes =
    !program_traits<Program>::has_positions && flat_elements_of_thread<Program> > 1;

// V: elements of one access; U: accesses of a thread, which are in flight together.
template <class Program, int V, int U> struct flat_row_arguments : widest_arguments<Program> {
  using base = widest_arguments<Program>;
  using typename base::traits;

  index_divider<64> by_stretches;  // of a row
  unsigned stretches;
  long long all_threads;
  int lane_bits;      // of the number of lanes that share a stretch
  bool has_two_axes;  // of a row, along which places are products of 32 bits

  // @post of vectors: without threads where some are not whole
  [[gnu::cold]] static flat_row_arguments of(bound_layout const& all, bound_arguments const& call) {
    int const axes = row_axes(all);
    bound_layout const layout = columns_as_rows(all, axes);
    flat_row_arguments a{base::of(layout, call, V, work_split{})};
    a.has_two_axes = axes > 1;
    if (V > 1 && !a.are_vectors(layout, call)) return a;
    long long const accesses = divide_up(layout.columns.size, V);
    a.lane_bits = lanes_of(accesses);
    long long const stretches = divide_up(accesses, static_cast<long long>(U) << a.lane_bits);
    a.stretches = static_cast<unsigned>(stretches);
    a.all_threads = (layout.rows.size * stretches) << a.lane_bits;
    if (stretches > 0) a.by_stretches = index_divider<64>::of(stretches);
    return a;
  }
  // Whether operands share their accesses.
  bool moves_together() const {
    bool result = false;
    for (access const how : this->load_access) result = result || how == access::beside;
    for (access const how : this->store_access) result = result || how == access::beside;
    return result;
  }

 private:
  // Elements of a row that are fewer than those of a warp go on into the next row.
  static constexpr long long long_row = 32ll * flat_elements_of_thread<Program>;
  // The innermost axis; or the two innermost, if it is short and nobody asks where an element is.
  [[gnu::cold]] static int row_axes(bound_layout const& all) {
    group_layout const& columns = all.columns;
    int const inner = columns.dims - 1;
    if (inner < 1) return columns.dims;
    long long const length = columns.extents[inner];
    bool const may_go_on = V == 1 || (traits::has_repeated && length % V != 0);
    if (traits::has_positions || !may_go_on || length >= long_row) return 1;
    constexpr long long most = (1ll << 31) - 1;
    bool is_narrow = columns.extents[inner - 1] * length <= most;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename traits::template at<decltype(selected)::value>;
      auto const& strides = operand_of<I>(all).column_strides;
      for (int d = inner - 1; d <= inner; ++d)
        is_narrow = is_narrow && strides[d] <= most && strides[d] >= -most;
    });
    return is_narrow ? 2 : 1;
  }
  // As many as leave few of them without elements, and take together what lies together.
  [[gnu::cold]] static int lanes_of(long long accesses) {
    int best = 5;
    double least = 0;
    for (int bits = best; bits >= 0; --bits) {
      long long const taken = static_cast<long long>(U) << bits;
      double const pieces = 1 + 2.0 / (V << bits),
                   cost = static_cast<double>(divide_up(accesses, taken) * taken) * pieces;
      if (bits < 5 && cost >= least) continue;
      least = cost, best = bits;
    }
    return best;
  }
  // Whether every operand is moved by whole vectors, or repeated along a row; or else, in rows of
  // two axes, in each of them.
  [[gnu::cold]] bool are_vectors(bound_layout const& layout, bound_arguments const& call) {
    bool result = this->tail == 0, has_vectors = !has_two_axes;
    if (has_vectors_together<Program, V> && layout.columns.dims == 1)
      visit_selected<Program, element_operands<Program>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename traits::template at<k>;
        if constexpr (has_vectors_together<Program, V> && I::beside.count > 0 &&
                      I::beside.position == 0)
          if (lie_beside<Program, k, V>(layout, call)) share_accesses<k>();
      });
    for (access const how : this->store_access) result = result && is_vector(how);
    for (int k = 0; k < traits::load_count; ++k) {
      if (moved_by<Program>::bytes.loads[k] == 0) continue;
      access& how = this->load_access[k];
      if (loads_which<Program, &instruction_facts::is_reversed>::all.at[k] &&
          how == access::strided)
        how = backward_access(layout, layout.loads[k], call.loads[k],
                              moved_by<Program>::bytes.loads[k], V);
      has_vectors = has_vectors || is_vector(how);
      if (is_vector(how) || how == access::splat) continue;
      how = access::walked;
      result =
          result && has_two_axes && loads_which<Program, &instruction_facts::repeats>::all.at[k];
    }
    return result && has_vectors;
  }
  // Of load or store K and those beside it.
  template <int K> void share_accesses() {
    visit_selected<Program, neighbours_of<Program, K>>([&](auto selected) {
      using I = typename traits::template at<decltype(selected)::value>;
      (I::is_load ? this->load_access : this->store_access)[I::bits] = access::beside;
    });
  }
  static bool is_vector(access how) {
    return how == access::packed || how == access::blocked || how == access::backward ||
           how == access::beside;
  }
};

}  // namespace tenon::detail
