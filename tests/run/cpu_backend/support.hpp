// SPDX-License-Identifier: Apache-2.0
#pragma once
// A lambda, shapes and strides → one run on the CPU backend, bound by hand as the runtime would
// bind it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tenon/backend/cpu/run.hpp"
#include "tenon/capture/movement.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::cpu_test {

using shape = std::vector<long long>;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;

inline long long const extents[] = {0, 1, 31, 32, 33, 257, 1023, 1024, 1025, 16411, 40009};
inline constexpr unsigned seed = 20240;

struct operand {
  void const* address;  // of element 0
  shape row_strides, column_strides;
};

template <class T> operand in_row_major(T const* data, long long columns) {
  return {data, {columns}, {1}};
}

template <class T> long long word(T value) {
  long long result = 0;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

struct binding {
  shape rows, columns;
  std::vector<operand> loads, stores;
  std::vector<long long> sizes = {}, scalars = {};
};

inline group_layout group(shape const& extents_of_group) {
  group_layout result;
  for (long long extent : extents_of_group) {
    result.extents[result.dims++] = extent;
    result.size *= extent;
  }
  return result;
}
inline operand_layout strides(operand const& o) {
  operand_layout result;
  for (std::size_t d = 0; d < o.row_strides.size(); ++d) result.row_strides[d] = o.row_strides[d];
  for (std::size_t d = 0; d < o.column_strides.size(); ++d)
    result.column_strides[d] = o.column_strides[d];
  return result;
}

// Lowers the lambda for these argument types, checks its family and runs it.
template <class... Arguments, class Function>
void run(std::string_view family_name, Function, binding const& b) {
  using lowered = detail::lowered<Function, Arguments...>;
  using program = decltype(to_program<Function, Arguments...>());
  using traits = program_traits<program>;
  static_assert(lowered::flat.chosen != nullptr);
  ASSERT_EQ(lowered::flat.chosen->name, family_name);
  ASSERT_EQ(b.loads.size(), std::size_t(traits::load_count));
  ASSERT_EQ(b.stores.size(), std::size_t(traits::store_count));
  ASSERT_EQ(b.sizes.size(), std::size_t(traits::size_count));
  ASSERT_EQ(b.scalars.size(), std::size_t(traits::scalar_count));
  bound_layout layout(traits::load_count, traits::store_count, traits::size_count);
  argument_words<traits::load_count, traits::store_count, traits::scalar_count> arguments;
  layout.rows = group(b.rows);
  layout.columns = group(b.columns);
  for (std::size_t k = 0; k < b.loads.size(); ++k) {
    layout.loads[k] = strides(b.loads[k]);
    arguments.loads[k] = b.loads[k].address;
  }
  for (std::size_t k = 0; k < b.stores.size(); ++k) {
    layout.stores[k] = strides(b.stores[k]);
    arguments.stores[k] = const_cast<void*>(b.stores[k].address);
  }
  for (std::size_t k = 0; k < b.sizes.size(); ++k) layout.sizes[k] = b.sizes[k];
  for (std::size_t k = 0; k < b.scalars.size(); ++k) arguments.scalars[k] = b.scalars[k];
  run_on_cpu<program, lowered::flat.chosen>(layout, arguments);
}

inline std::vector<float> random_values(long long count, float low = -1, float high = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> result(static_cast<std::size_t>(count) + 1);  // one more: data() is never null
  for (float& value : result) value = distribution(engine);
  return result;
}

inline bool has_same_bits(std::vector<float> const& a, std::vector<float> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline constexpr double float_roundoff = 5.9604644775390625e-8;
// Largest error of a sum of n terms, relative to the sum of their magnitudes.
inline double sum_tolerance(long long n) {
  return 4 * (std::log2(static_cast<double>(n) + 1) + 8) * float_roundoff;
}

}  // namespace tenon::cpu_test
