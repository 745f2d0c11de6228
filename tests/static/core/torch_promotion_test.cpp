// SPDX-License-Identifier: Apache-2.0
// Promotion against what PyTorch gives for every pair of dtypes and kinds of operand; what PyTorch refuses has a rule of its own.
#include "tenon/core/dtype.hpp"

namespace tenon {
namespace {

using enum dtype;
constexpr dtype refused = static_cast<dtype>(dtype_count);
#include "support/torch_promotion.inc"

constexpr dtype literals[] = {boolean, i64, f32};

// How many entries differ, those aside that PyTorch refuses.
template <int Columns>
constexpr int differences(dtype const (&results)[dtype_count][Columns], priority left, priority right) {
  int count = 0;
  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < Columns; ++b) {
      dtype const other = right == priority::literal ? literals[b] : static_cast<dtype>(b);
      count += results[a][b] != refused && promote({static_cast<dtype>(a), left}, {other, right}) != results[a][b];
    }
  return count;
}
static_assert(differences(tensor_with_tensor, priority::tensor, priority::tensor) == 0);
static_assert(differences(tensor_with_scalar, priority::tensor, priority::scalar) == 0);
static_assert(differences(scalar_with_scalar, priority::scalar, priority::scalar) == 0);
static_assert(differences(tensor_with_literal, priority::tensor, priority::literal) == 0);
static_assert(differences(scalar_with_literal, priority::scalar, priority::literal) == 0);

// Whether every number of `inner` is one of `outer`.
constexpr bool holds(dtype outer, dtype inner) {
  if (outer == inner || category_of(inner) < category_of(outer)) return true;
  if (category_of(inner) != category_of(outer)) return false;
  if (is_floating(outer)) return size_of(outer) > size_of(inner) && !(is_half(outer) && is_half(inner));
  if (is_unsigned(outer) == is_unsigned(inner)) return size_of(outer) >= size_of(inner);
  return is_unsigned(inner) && size_of(outer) > size_of(inner);
}
// Of a pair that PyTorch refuses the result holds both, and no smaller type of its category does; a u64 with a signed type,
// which no type holds, gives i64.
constexpr bool is_narrowest(dtype a, dtype b) {
  dtype const result = promote(a, b);
  if ((a == u64 || b == u64) && result == i64) return !is_unsigned(a) || !is_unsigned(b);
  if (!holds(result, a) || !holds(result, b)) return false;
  for (int k = 0; k < dtype_count; ++k) {
    dtype const other = static_cast<dtype>(k);
    if (size_of(other) < size_of(result) && category_of(other) == category_of(result) && holds(other, a) && holds(other, b))
      return false;
  }
  return true;
}
constexpr int refused_pairs_without_narrowest() {
  int count = 0;
  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < dtype_count; ++b)
      count += tensor_with_tensor[a][b] == refused && !is_narrowest(static_cast<dtype>(a), static_cast<dtype>(b));
  return count;
}
static_assert(refused_pairs_without_narrowest() == 0);

}  // namespace
}  // namespace tenon
