// SPDX-License-Identifier: Apache-2.0
// What a call moves, and what its stores leave in the cache.
#include "tenon/backend/cuda/parts/cache_policy.cuh"

namespace tenon::detail {
namespace {

// x of rows x columns, w along the columns, a result for each row and one for each element.
constexpr long long moved(long long rows, long long columns) {
  bound_layout layout(2, 2, 0);
  layout.rows = {1, rows, {rows}};
  layout.columns = {1, columns, {columns}};
  layout.loads[0] = {{columns}, {1}}, layout.loads[1] = {{0}, {1}};
  layout.stores[0] = {{1}, {0}}, layout.stores[1] = {{columns}, {1}};
  int const loads[] = {4, 2}, stores[] = {0, 4};
  return bytes_moved(layout, {loads, stores});
}
static_assert(moved(8, 16) == 4 * 128 + 2 * 16 + 4 * 128);
static_assert(moved(0, 16) == 2 * 16 && moved(8, 0) == 0);

static_assert(policy_of_stores(60, 60) == goes_normally && policy_of_stores(61, 60) == goes_first);

}  // namespace
}  // namespace tenon::detail
