// SPDX-License-Identifier: Apache-2.0
// The program type of an expression: short, free of closures, equal for equal expressions.
#include "tenon/program/reify.hpp"

#include "static/support.hpp"
#include "tenon/program/evaluate.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr auto program_of(Function) {
  return decltype(to_program<Function, Arguments...>()){};
}
template <class A, class B> constexpr bool is_same(A, B) { return std::is_same_v<A, B>; }
template <place Where, int Phase, bool VariesOverRows = false, dtype D = dtype::f32>
inline constexpr unsigned at = meta{D, Where, Phase, VariesOverRows}.packed();

// The whole type, spelled out.
static_assert(
    is_same(program_of<vector>([](auto x) { return exp(x) * 2; }),
            program<ins<ops::load, at<place::element, 0>, 0>,                              //
                    ins<ops::exp, at<place::element, 0>, 0, 0>,                            //
                    ins<ops::literal, at<place::launch, 0>, literal_bits(dtype::f32, 2)>,  //
                    ins<ops::mul, at<place::element, 0>, 0, 1, 2>,                         //
                    ins<ops::store, at<place::element, 0, true>, 0, 3>>{}));
static_assert(is_same(program_of<tensor_argument<dtype::f16, dyn, dyn>>([](auto x) {
                        return sum(x, axis<1>);
                      }),
                      program<ins<ops::load, at<place::element, 0, true, dtype::f16>, 0>,
                              ins<ops::sum, at<place::row, 1, true, dtype::f16>, 0, 0>,
                              ins<ops::store, at<place::row, 1, true, dtype::f16>, 0, 1>>{}));

// Two lambdas that say the same are one program; so are all lengths that are known only at run
// time.
static_assert(is_same(program_of<vector, vector>([](auto x, auto y) { return x + y; }),
                      program_of<vector, f32<"N">>([](auto a, auto b) { return b + a; })));
static_assert(!is_same(program_of<vector>([](auto x) { return x + 1; }),
                       program_of<vector>([](auto x) { return x + 2; })));
static_assert(!is_same(program_of<matrix>([](auto x) { return sum(x, axis<1>); }),
                       program_of<matrix>([](auto x) { return sum(x); })));

// A store has the dtype of the output, its value the one it is computed in.
static_assert(is_same(program_of<tensor_argument<dtype::i32, dyn>>([](auto x) { return x; }),
                      program<ins<ops::load, at<place::element, 0, false, dtype::i32>, 0>,
                              ins<ops::store, at<place::element, 0, true, dtype::i32>, 0, 0>>{}));

// It rounds to a half type by itself: what it is given is not rounded before.
template <class Program> constexpr int value_stored(Program) {
  using traits = program_traits<Program>;
  return traits::template at<traits::size - 1>::first_operand;
}
static_assert(value_stored(program_of<matrix>([](auto x) { return cast<bfloat16>(exp(x)); })) == 1);
static_assert(value_stored(program_of<matrix>([](auto x) { return cast<float8_e4m3>(exp(x)); })) ==
              1);
static_assert(value_stored(program_of<matrix>([](auto x) { return cast<float>(exp(x)); })) == 1);
static_assert(value_stored(program_of<matrix>([](auto x) { return cast<std::int32_t>(x); })) == 1);

// Facts of a program.
using softmax_program = decltype(program_of<matrix>([](auto x) { return softmax(x, axis<1>); }));
static_assert(program_traits<softmax_program>::size == 8 &&
              program_traits<softmax_program>::row_phases == 2);
static_assert(program_traits<softmax_program>::load_count == 1 &&
              program_traits<softmax_program>::store_count == 1);
static_assert(program_traits<softmax_program>::has_reduction &&
              !program_traits<softmax_program>::has_total);
using loss_program = decltype(program_of<matrix, matrix, scalar>(
    [](auto x, auto t, auto s) { return s * sum(t * log_softmax(x, axis<1>)); }));
static_assert(program_traits<loss_program>::has_total &&
              program_traits<loss_program>::row_phases == 3);
static_assert(program_traits<loss_program>::scalar_count == 1 &&
              program_traits<loss_program>::load_count == 2);

// Loads that the expression reads from the end of the innermost axis to its beginning.
template <class Program> constexpr text reversed(Program) {
  text out;
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.is_load) out << (i.is_reversed ? '1' : '0');
  return out;
}
constexpr auto flipped = [](auto x) { return slice(x, axis<1>, range<end, end, -1>); };
static_assert(reversed(program_of<matrix>([](auto x) { return x + flipped(x); })) == "01");
static_assert(reversed(program_of<matrix>([](auto x) {
                return flipped(slice(x, axis<1>, range<1, end>));
              })) == "1");
static_assert(reversed(program_of<matrix>([](auto x) { return flipped(flipped(x)); })) == "0");
static_assert(reversed(program_of<matrix>([](auto x) {
                return slice(x, axis<1>, range<end, end, -2>);
              })) == "0");
static_assert(reversed(program_of<matrix>([](auto x) {
                return slice(x, axis<0>, range<end, end, -1>);
              })) == "0");
static_assert(reversed(program_of<matrix>([](auto x) { return sum(flipped(x), axis<1>); })) == "0");
static_assert(program_traits<decltype(program_of<matrix, matrix>([](auto x, auto y) {
                return x + flipped(y);
              }))>::load_count == 2);

// Loads that are there more than once: of which a vector is one element, and others.
template <class Program> constexpr text repeated(Program) {
  text out;
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.is_load) out << (i.is_splat ? 'e' : i.repeats ? 'v' : '.');
  return out;
}
static_assert(repeated(program_of<matrix, vector, vector>([](auto x, auto row, auto column) {
                return x * unsqueeze(column, axis<1>) + row;
              })) == ".ve");
static_assert(repeated(program_of<matrix, scalar>([](auto x, auto s) { return x * s; })) == ".");
static_assert(repeated(program_of<vector, vector>([](auto x, auto y) { return x + y; })) == "..");

// What the elements of a sweep are needed for: 0 load, 1 max, 2 sub, 3 exp, 4 sum, 5 reciprocal, 6
// mul, 7 store.
template <int Phase, bool Stores> constexpr text needs() {
  text out;
  for (int k = 0; k < program_traits<softmax_program>::size; ++k)
    out << (element_needs<softmax_program>::template at<Phase, Stores>.needed[k] ? '1' : '0');
  return out;
}
static_assert(needs<1, false>() == "10000000");
static_assert(needs<2, false>() == "11110000");
static_assert(needs<3, true>() == "11110110");

// The reason of a refusal is a constant, also where the graph cannot be laid out at all.
template <class... Arguments, class Function> constexpr refusal refused(Function) {
  return detail::lowered<Function, Arguments...>::flat.refused;
}
static_assert(refused<cube>([](auto x) { return outputs(sum(x, axis<0>), sum(x, axis<1>)); }) ==
              refusal::several_axis_groups);
static_assert(refused<f32<4, 6>, f32<6>>([](auto x, auto v) {
                return sum(reshape(x + v, shape<2, 12>), axis<1>);
              }) == refusal::none);
static_assert(refused<f32<4, 6, 4>>([](auto x) {
                return sum(reshape(sum(x, axis<1>), shape<2, 8>), axis<1>);
              }) == refusal::none);
static_assert(refused<cube>([](auto x) { return exp(flatten(sum(x, axis<1>))); }) == refusal::none);
static_assert(refused<matrix>([](auto x) { return x; }) == refusal::none);

// Long expressions: more instructions than the common capacity, and a value shared 2^20 times.
constexpr auto chain = [](auto x) {
  auto y = x;
  for (int i = 0; i < 80; ++i) y = sin(y) * y + y;
  return y;
};
static_assert(program_traits<decltype(program_of<vector>(chain))>::size == 242);
constexpr auto doublings = [](auto x) {
  auto y = x;
  for (int i = 0; i < 20; ++i) y = y + y;
  return y;
};
static_assert(program_traits<decltype(program_of<vector>(doublings))>::size == 22);

// One node too many. A node that is read along two axes is two instructions.
constexpr auto beyond = [](auto x) {
  auto y = x;
  for (int i = 0; i < max_nodes; ++i) y = sin(y);
  return y;
};
static_assert(refused<vector>(beyond) == refusal::too_many_nodes);
constexpr auto twice = [](auto x) {
  auto y = x;
  for (int i = 0; i < max_nodes / 2; ++i) y = sin(y);
  return y + transpose(y);
};
static_assert(refused<f32<4, 4>>(twice) == refusal::too_many_nodes);

}  // namespace
}  // namespace tenon::test
