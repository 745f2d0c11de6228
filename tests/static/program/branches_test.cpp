// SPDX-License-Identifier: Apache-2.0
// What only one side of a choice needs.
#include "tenon/program/branches.hpp"

#include "static/support.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/program/reify.hpp"
#include "tenon/program/visit.hpp"

namespace tenon::test {
namespace {

// How many instructions of type Op are computed in any case, and how many on one side of a choice.
struct tally {
  int always, sometimes;
  constexpr bool operator==(tally const&) const = default;
};
template <class Op, class Program> constexpr tally tally_of(Program) {
  using branches = detail::branches<Program, 1, true>;
  tally result{};
  visit_instructions<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    if constexpr (std::is_same_v<typename program_traits<Program>::template at<k>::op, Op>)
      ++(branches::all.of[k].choice == branches::always ? result.always : result.sometimes);
  });
  return result;
}
template <class... Arguments, class Function> constexpr auto program_of(Function) {
  return decltype(to_program<Function, Arguments...>()){};
}
using indices = tensor_argument<dtype::i32, dyn>;

constexpr auto joined = [](auto... x) { return exp(concat(x..., axis<0>)); };
static_assert(tally_of<ops::fetch>(program_of<vector, vector, vector, vector, vector>(joined)) ==
              tally{0, 5});
static_assert(tally_of<ops::advance>(program_of<matrix, matrix, matrix, matrix>(joined)) ==
              tally{0, 4});
static_assert(tally_of<ops::exp>(program_of<matrix, matrix, matrix, matrix>(joined)) ==
              tally{1, 0});
// Few parts are read side by side.
static_assert(tally_of<ops::fetch>(program_of<vector, vector, vector>(joined)) == tally{3, 0});

// A part that is wanted elsewhere, too, is read in any case.
constexpr auto shared = [](auto a, auto b, auto c, auto d, auto e, auto i) {
  auto taken = take(a, i, axis<0>);
  return concat(taken, b, c, d, e, axis<0>);
};
constexpr auto twice = [](auto a, auto b, auto c, auto d, auto e, auto i) {
  auto all = concat(a, b, c, d, e, axis<0>);
  auto taken = take(a, i, axis<0>);
  return outputs(where(taken > 0, all, taken), taken);
};
static_assert(tally_of<ops::fetch>(program_of<vector, vector, vector, vector, vector, indices>(
                  twice)) == tally{1, 5});
// An index of the user's is checked on either side.
static_assert(tally_of<ops::advance_checked>(
                  program_of<vector, vector, vector, vector, vector, indices>(shared))
                  .sometimes == 0);

// What reads nothing is cheaper without a branch.
constexpr auto plain = [](auto x, auto y) { return where(x > y, exp(x), log(y)); };
static_assert(tally_of<ops::log>(program_of<vector, vector>(plain)) == tally{1, 0});

}  // namespace
}  // namespace tenon::test
