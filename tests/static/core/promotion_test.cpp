// SPDX-License-Identifier: Apache-2.0
// Promotion: PyTorch's table where it has one, the narrowest type that holds both where it refuses the pair.
#include "tenon/core/dtype.hpp"

namespace tenon {
namespace {

using enum dtype;
constexpr dtype all[] = {boolean, u8, i8, u16, i16, u32, i32, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64};
static_assert(sizeof all / sizeof all[0] == dtype_count);

// Row by row in the order of `all`.
constexpr dtype table[dtype_count][dtype_count] = {
    {boolean, u8, i8, u16, i16, u32, i32, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {u8, u8, i16, u16, i16, u32, i32, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {i8, i16, i8, i32, i16, i64, i32, i64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {u16, u16, i32, u16, i32, u32, i32, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {i16, i16, i16, i32, i16, i64, i32, i64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {u32, u32, i64, u32, i64, u32, i64, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {i32, i32, i32, i32, i32, i64, i32, i64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {u64, u64, i64, u64, i64, u64, i64, u64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {i64, i64, i64, i64, i64, i64, i64, i64, i64, f8_e4m3, f8_e5m2, f16, bf16, f32, f64},
    {f8_e4m3, f8_e4m3, f8_e4m3, f8_e4m3, f8_e4m3, f8_e4m3, f8_e4m3, f8_e4m3, f8_e4m3, f8_e4m3, f16, f16, bf16, f32, f64},
    {f8_e5m2, f8_e5m2, f8_e5m2, f8_e5m2, f8_e5m2, f8_e5m2, f8_e5m2, f8_e5m2, f8_e5m2, f16, f8_e5m2, f16, bf16, f32, f64},
    {f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32, f32, f64},
    {bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, f32, bf16, f32, f64},
    {f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f64},
    {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64}};

constexpr bool agrees_with_table() {
  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < dtype_count; ++b)
      if (promote(all[a], all[b]) != table[a][b] || table[a][b] != table[b][a]) return false;
  return true;
}
static_assert(agrees_with_table());

constexpr bool infos_are_in_order() {
  for (int k = 0; k < dtype_count; ++k)
    if (static_cast<int>(all[k]) != k || size_of(all[k]) <= 0) return false;
  return name(u16) == "u16" && name(f8_e5m2) == "f8_e5m2" && name(f64) == "f64";
}
static_assert(infos_are_in_order());
static_assert(size_of(u16) == sizeof(storage_t<u16>) && size_of(u32) == sizeof(storage_t<u32>) &&
              size_of(u64) == sizeof(storage_t<u64>) && size_of(f8_e4m3) == sizeof(storage_t<f8_e4m3>) &&
              size_of(f8_e5m2) == sizeof(storage_t<f8_e5m2>));

// A literal and a scalar change the category only.
constexpr dtype with_literal(dtype d, dtype literal) {
  return promote({d, priority::tensor}, {literal, priority::literal});
}
static_assert(with_literal(u64, i64) == u64 && with_literal(u16, i64) == u16);
static_assert(with_literal(f8_e4m3, f32) == f8_e4m3 && with_literal(u32, f32) == f32);
static_assert(promote({f16, priority::tensor}, {f32, priority::scalar}) == f16);

}  // namespace
}  // namespace tenon
