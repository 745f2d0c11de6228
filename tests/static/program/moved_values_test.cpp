// SPDX-License-Identifier: Apache-2.0
// Which values follow from an element's position alone.
#include "tenon/program/moved_values.hpp"

#include "static/support.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr auto program_of(Function) {
  return decltype(to_program<Function, Arguments...>()){};
}
template <class Program> constexpr bool is_movement(Program) {
  return detail::moved_values<Program>::is_movement;
}
template <class Program> constexpr int reads(Program) {
  return detail::moved_values<Program>::read_count;
}

constexpr auto joined = [](auto... x) { return exp(concat(x..., axis<1>)); };
static_assert(is_movement(program_of<matrix, matrix, matrix>(joined)));
static_assert(reads(program_of<matrix, matrix, matrix>(joined)) == 1, "one of the parts is read");

// What is moved to one place as it lies there is of one dtype, though another has elements as
// large.
using words = tensor_argument<dtype::i32, dyn, dyn>;
using halves = tensor_argument<dtype::f16, dyn, dyn>;
using others = tensor_argument<dtype::bf16, dyn, dyn>;
static_assert(reads(program_of<matrix, words>(joined)) == 2, "each is converted by itself");
static_assert(reads(program_of<halves, others>(joined)) == 2);
static_assert(reads(program_of<halves, halves, others>(joined)) == 3);
static_assert(reads(program_of<others, others, others>(joined)) == 1);

constexpr auto parts_of_two = [](auto x, auto y) {
  auto [first, second] = split(concat(x, y, axis<1>), axis<1>, lengths<4, 8>);
  return outputs(first, second);
};
static_assert(is_movement(program_of<matrix, matrix>(parts_of_two)));

constexpr auto joined_and_added = [](auto x, auto y, auto z) {
  auto both = concat(x, y, axis<1>);
  return where(both > 0, both, z);
};
static_assert(reads(program_of<matrix, matrix, matrix>(joined_and_added)) == 2,
              "what is read and used twice is read once");

// Rows that are joined and left in parts: which head it is, is known for a row.
constexpr auto heads_scaled = [](auto x, auto y) {
  auto heads = concat(x, y, axis<1>);
  auto [first, second] =
      split(heads * rsqrt(sum(heads * heads, axis<-1>, keepdim)), axis<1>, lengths<4, 8>);
  return outputs(first, second);
};
using cube = tensor_argument<dtype::f32, dyn, dyn, dyn>;
static_assert(is_movement(program_of<cube, cube>(heads_scaled)));
static_assert(reads(program_of<cube, cube>(heads_scaled)) == 1, "for both sweeps");
static_assert(!is_movement(program_of<cube, tensor_argument<dtype::i32, dyn>>([](auto x, auto i) {
                auto rows = take(x, i, axis<1>);
                return rows / sum(rows, axis<-1>, keepdim);
              })),
              "the row's place does not follow from its position");

constexpr auto taken = [](auto x, auto i) { return take(x, i, axis<0>); };
using indices = tensor_argument<dtype::i32, dyn>;
static_assert(is_movement(program_of<matrix, indices>(taken)), "neighbours have one index");
static_assert(reads(program_of<matrix, indices>(taken)) == 1, "which is no vector");
static_assert(!is_movement(program_of<tensor_argument<dtype::f32, dyn>, indices>(taken)),
              "neighbours have others");
static_assert(!is_movement(program_of<matrix, indices>([](auto x, auto i) {
                return take(x, i, axis<0>) * unsqueeze(i, axis<1>);
              })),
              "an index that is a number, too");
static_assert(!is_movement(program_of<matrix>([](auto x) { return exp(x); })));

}  // namespace
}  // namespace tenon::test
