// SPDX-License-Identifier: Apache-2.0
// Which reads are those of the other half of an axis, and which both halves have in common.
#include "tenon/program/half_values.hpp"

#include "static/support.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/rope.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr auto program_of(Function) {
  return decltype(to_program<Function, Arguments...>()){};
}
template <class Program> constexpr int others(Program) {
  return detail::half_values<Program>::all.count;
}
template <class Program> constexpr int bytes(Program) {
  return detail::half_values<Program>::bytes_read;
}

constexpr auto turned = [](auto x, auto c, auto s) { return rope(x, c, s); };
constexpr auto plain = program_of<matrix, matrix, matrix>(turned);
static_assert(others(plain) == 1);
static_assert(bytes(plain) == 2 * 4 + 4 + 4, "both halves of x, and the tables once");
static_assert(others(program_of<f32<dyn, 64>, f32<dyn, 32>, f32<dyn, 32>>(turned)) == 1,
              "lengths known while compiling");

// The read whose element it is, is that of the same operand, which is read as the second one.
template <class Program> constexpr bool is_of_operand(Program, int operand) {
  using halves = detail::half_values<Program>;
  bool result = false;
  for (int k = 0; k < halves::size; ++k) {
    if (halves::all.others[k] == 0) continue;
    instruction_facts const& own = program_traits<Program>::all[halves::all.others[k] - 1];
    result = own.is_load && own.bits == operand;
  }
  return result;
}
constexpr auto added = [](auto y, auto x, auto c, auto s) { return y + rope(x, c, s); };
static_assert(is_of_operand(program_of<matrix, matrix, matrix, matrix>(added), 1) &&
              others(program_of<matrix, matrix, matrix, matrix>(added)) == 1);

constexpr auto weighted = [](auto x, auto w, auto c, auto s) { return rope(x * w, c, s); };
static_assert(others(program_of<matrix, vector, matrix, matrix>(weighted)) == 2);
static_assert(bytes(program_of<matrix, vector, matrix, matrix>(weighted)) == 2 * 8 + 8);
constexpr auto normal = [](auto x, auto w, auto c, auto s) {
  return rope(rms_norm(x, w, axis<-1>), c, s);
};
static_assert(others(program_of<matrix, vector, matrix, matrix>(normal)) == 2);

// Views of the same operand are the same view.
static_assert(others(program_of<cube, matrix, matrix>([](auto x, auto c, auto s) {
                return rope(transpose(x, axis<1, 0, 2>), c, s);
              })) == 1);
static_assert(others(program_of<matrix, matrix, matrix>([](auto x, auto c, auto s) {
                return rope(slice(x, axis<-1>, range<8, 72>), c, s);
              })) == 1);

// Heads of two operands, and of either a weight: a choice between reads, or of what they lead to.
constexpr auto heads_of_two = [](auto q, auto k, auto wq, auto wk, auto c, auto s) {
  auto both = concat(q, k, axis<1>);
  auto weight = where(iota(both, axis<1>) < 4, wq, wk);
  return split(rope(both * weight, c, s), axis<1>, lengths<4, 2>);
};
constexpr auto in_parts = [](auto... x) {
  auto [of_q, of_k] = heads_of_two(x...);
  return outputs(of_q, of_k);
};
constexpr auto two = program_of<cube, cube, vector, vector, matrix, matrix>(in_parts);
static_assert(others(two) == 3, "the heads', and both weights'");
static_assert(bytes(two) == 2 * (4 + 4 + 4) + 4 + 4);

// What is no exchange of halves.
static_assert(others(program_of<matrix, matrix, matrix>([](auto x, auto c, auto s) {
                return rope(x, c, s, interleaved);
              })) == 0);
constexpr auto half_of = [](auto x) { return shift_right(detail::length_of(x, 1), 1); };
constexpr auto exchanged = [](auto x, auto by) {
  auto i = iota(x, axis<-1>);
  return take_along_axis(x, where(i < by, i + by, i - by), axis<-1>);
};
static_assert(others(program_of<matrix>([](auto x) { return x - exchanged(x, half_of(x)); })) == 1);
static_assert(others(program_of<matrix>([](auto x) { return x - exchanged(x, 8); })) == 0,
              "another number is not the half, whatever the length may be");
static_assert(others(program_of<matrix, matrix>([](auto x, auto y) {
                return x - exchanged(y, half_of(x));
              })) == 0,
              "of another operand than the one that is read at the own position");
static_assert(others(program_of<matrix, matrix, matrix, matrix>([](auto x, auto y, auto c, auto s) {
                return rope(concat(x, y, axis<-1>), c, s);
              })) == 0,
              "which of the two it is read from is another one in the other half");

// Of other programs nothing is said, nor found out.
template <class Program> constexpr bool is_found(Program) {
  return detail::half_values<Program>::is_found;
}
static_assert(is_found(plain) && !is_found(program_of<matrix>([](auto x) { return exp(x); })));

}  // namespace
}  // namespace tenon::test
