// SPDX-License-Identifier: Apache-2.0
// Which programs find a largest element and a sum of exponentials in one sweep.
#include "tenon/program/joined_sweeps.hpp"

#include "static/support.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr auto program_of(Function) {
  return decltype(to_program<Function, Arguments...>()){};
}
template <class Program> constexpr auto joined(Program) {
  return typename detail::joined_sweeps<Program>::type{};
}
template <class A, class B> constexpr bool is_same(A, B) { return std::is_same_v<A, B>; }
template <class Program> constexpr int sweeps(Program) {
  return program_traits<Program>::row_phases;
}
template <place Where, int Phase>
inline constexpr unsigned at = meta{dtype::f32, Where, Phase, true}.packed();

// The whole type: the state has both, and what it is read by comes one phase earlier.
constexpr auto of_softmax = program_of<matrix>([](auto x) { return softmax(x, axis<1>); });
static_assert(is_same(joined(of_softmax),
                      program<ins<ops::load, at<place::element, 0>, 0>,             //
                              ins<ops::log_sum_exp, at<place::row, 1>, 0, 0>,       //
                              ins<ops::max_part, at<place::row, 1>, 0, 1>,          //
                              ins<ops::sub, at<place::element, 1>, 0, 0, 2>,        //
                              ins<ops::exp, at<place::element, 1>, 0, 3>,           //
                              ins<ops::shifted_sum_part, at<place::row, 1>, 0, 1>,  //
                              ins<ops::reciprocal, at<place::row, 1>, 0, 5>,        //
                              ins<ops::mul, at<place::element, 1>, 0, 4, 6>,        //
                              ins<ops::store, at<place::element, 1>, 0, 7>>{}));
static_assert(sweeps(joined(program_of<matrix, matrix>([](auto x, auto y) {
                return log_softmax(x * y, axis<-1>) + y;
              }))) == 1);

// What another sweep takes as well gains nothing, and a sum of something else is another one.
constexpr auto remains = [](auto program) { return is_same(joined(program), program); };
static_assert(remains(program_of<matrix>([](auto x) { return sum(x, axis<1>); })));
static_assert(remains(program_of<matrix>([](auto x) {
  auto shifted = exp(x - max(x, axis<1>, keepdim));
  return shifted * (sum(shifted, axis<1>, keepdim) + max(shifted, axis<1>, keepdim));
})));
static_assert(remains(program_of<matrix>([](auto x) {
  auto shifted = exp(x - min(x, axis<1>, keepdim));
  return shifted * sum(shifted, axis<1>, keepdim);
})));
static_assert(remains(program_of<matrix, matrix>([](auto x, auto y) {
  auto shifted = exp(y - max(x, axis<1>, keepdim));
  return shifted * sum(shifted, axis<1>, keepdim);
})));

static_assert(ops::shifted_sum_part::eval(ops::log_sum_exp::state<float>{-3.f, 2.5f}) == 2.5f);
constexpr float of_nothing_known =
    ops::shifted_sum_part::eval(ops::log_sum_exp::state<float>{1.f, __builtin_nanf("")});
static_assert(of_nothing_known != of_nothing_known);

}  // namespace
}  // namespace tenon::test
