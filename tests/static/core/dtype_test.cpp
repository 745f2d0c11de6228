// SPDX-License-Identifier: Apache-2.0
// Promotion over every pair of dtypes, and the priority of tensors over 0-dim tensors over
// literals.
#include "tenon/core/dtype.hpp"

namespace tenon::test {
namespace {

constexpr dtype b = dtype::boolean, u8 = dtype::u8, i8 = dtype::i8, i16 = dtype::i16,
                i32 = dtype::i32, i64 = dtype::i64, f16 = dtype::f16, bf16 = dtype::bf16,
                f32 = dtype::f32, f64 = dtype::f64;

// torch.promote_types, row by row.
constexpr dtype all[] = {b, u8, i8, i16, i32, i64, f16, bf16, f32, f64};
constexpr int count = sizeof(all) / sizeof(dtype);
constexpr dtype promoted[count][count] = {{b, u8, i8, i16, i32, i64, f16, bf16, f32, f64},
                                          {u8, u8, i16, i16, i32, i64, f16, bf16, f32, f64},
                                          {i8, i16, i8, i16, i32, i64, f16, bf16, f32, f64},
                                          {i16, i16, i16, i16, i32, i64, f16, bf16, f32, f64},
                                          {i32, i32, i32, i32, i32, i64, f16, bf16, f32, f64},
                                          {i64, i64, i64, i64, i64, i64, f16, bf16, f32, f64},
                                          {f16, f16, f16, f16, f16, f16, f16, f32, f32, f64},
                                          {bf16, bf16, bf16, bf16, bf16, bf16, f32, bf16, f32, f64},
                                          {f32, f32, f32, f32, f32, f32, f32, f32, f32, f64},
                                          {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64}};

constexpr bool agrees_with_table() {
  for (int x = 0; x < count; ++x)
    for (int y = 0; y < count; ++y)
      if (promote(all[x], all[y]) != promoted[x][y]) return false;
  return true;
}
static_assert(agrees_with_table());

constexpr typed_operand tensor(dtype d) { return {d, priority::tensor}; }
constexpr typed_operand point(dtype d) { return {d, priority::scalar}; }
constexpr typed_operand literal(dtype d) { return {d, priority::literal}; }

// A lower priority never widens inside its category,
static_assert(promote(tensor(f16), point(f64)) == f16 && promote(point(f64), tensor(f16)) == f16);
static_assert(promote(tensor(i8), literal(i64)) == i8);
static_assert(promote(tensor(bf16), literal(f32)) == bf16);
static_assert(promote(point(f16), literal(f32)) == f16);
// but a higher category always decides,
static_assert(promote(tensor(i64), literal(f32)) == f32);
static_assert(promote(tensor(b), literal(i64)) == i64);
static_assert(promote(tensor(i32), point(f16)) == f16);
// and a lower one never does.
static_assert(promote(literal(f32), tensor(i64)) == f32 && promote(point(f16), tensor(b)) == f16);
// Equal priorities promote.
static_assert(promote(point(f16), point(bf16)) == f32 && promote(tensor(u8), tensor(i8)) == i16);

constexpr bool order_is_irrelevant() {
  for (int x = 0; x < dtype_count; ++x)
    for (int y = 0; y < dtype_count; ++y)
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q) {
          typed_operand left{static_cast<dtype>(x), static_cast<priority>(p)};
          typed_operand right{static_cast<dtype>(y), static_cast<priority>(q)};
          if (promote(left, right) != promote(right, left)) return false;
        }
  return true;
}
static_assert(order_is_irrelevant());

// C++ types and back; half types are stored in 16 bits and computed in float.
static_assert(dtype_of<float> == f32 && dtype_of<double const> == f64 && dtype_of<bool> == b);
static_assert(dtype_of<long> == i64 && dtype_of<long long> == i64);
static_assert(dtype_of<half> == f16 && dtype_of<__half> == f16 && dtype_of<__nv_bfloat16> == bf16);
static_assert(!is_element_type<char*> && !is_element_type<long double>);
static_assert(std::is_same_v<storage_t<f16>, half> && std::is_same_v<arithmetic_t<f16>, float>);
static_assert(std::is_same_v<storage_t<bf16>, bfloat16> &&
              std::is_same_v<arithmetic_t<bf16>, float>);
static_assert(size_of(bf16) == sizeof(bfloat16) && size_of(b) == 1 && size_of(i64) == 8);
static_assert(name(u8) == "u8" && name(bf16) == "bf16");

}  // namespace
}  // namespace tenon::test
