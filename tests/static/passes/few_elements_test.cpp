// SPDX-License-Identifier: Apache-2.0
// What reductions have left and an expression joins is reduced number by number; what lies in
// memory, or is not short, is reduced as before.
#include "static/support.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/padding.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/capture/reshape.hpp"
#include "tenon/capture/scan.hpp"
#include "tenon/capture/scatter.hpp"
#include "tenon/capture/topk.hpp"
#include "tenon/program/lower.hpp"

namespace tenon::test {
namespace {

constexpr auto two_of_a_row = [](auto x) {
  return concat(sum(x, axis<1>, keepdim), max(x, axis<1>, keepdim), axis<1>);
};

static_assert(is(print(optimized<matrix>([](auto x) { return max(two_of_a_row(x) + 1, axis<1>); })),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 1 : f32[x0.0]
%2 = broadcast %1 [0] : f32[x0.0, 1]
%3 = max %0 axes 1 : f32[x0.0]
%4 = broadcast %3 [0] : f32[x0.0, 1]
%5 = literal 1 : f32[]
%6 = add %2 %5 : f32[x0.0, 1]
%7 = add %4 %5 : f32[x0.0, 1]
%8 = maximum %6 %7 : f32[x0.0, 1]
return %8:f32
)"));

template <class... Arguments, class Function> constexpr int reductions_in(Function f) {
  graph const g = optimized<Arguments...>(f);
  int count = 0;
  for (node const& n : g.nodes) count += n.is(op_kind::reduction);
  return g.refused == refusal::none && verify(g) == nullptr ? count : -1;
}
// One reduction with all of the first, whatever is computed of these.
static_assert(reductions_in<matrix>([](auto x) {
                return softmax(topk(x, axis<1>, ct<4>).values, axis<1>);
              }) == 1);
static_assert(reductions_in<matrix>([](auto x) { return any(two_of_a_row(x) > 0, axis<1>); }) == 2);
// Of a transposed, and of a sum beside them along the rows.
static_assert(reductions_in<matrix>([](auto x) {
                return sum(transpose(two_of_a_row(x)), axis<0>);
              }) >= 2);
// Joined arguments are reduced as they lie.
static_assert(reductions_in<f32<dyn, 1>, f32<dyn, 1>>([](auto x, auto y) {
                return sum(concat(x, y, axis<1>), axis<1>);
              }) == 1);
static_assert(reductions_in<f32<dyn, 4>>([](auto x) {
                return sum(x - mean(x, axis<1>, keepdim), axis<1>);
              }) == 2);

// Products of what varies along different axes, as of points and a small matrix, are summed one by
// one, and stored as parts where they are few.
constexpr auto by_matrix = [](auto x, auto m) { return sum(unsqueeze(x, axis<1>) * m, axis<2>); };
static_assert(reductions_in<f32<dyn, 3>, f32<3, 3>>(by_matrix) == 0);
// Updates of a scatter are not: each is read once, where it is added.
static_assert(reductions_in<f32<dyn>, tensor_argument<dtype::i64, 4>, f32<4>>(
                  [](auto x, auto i, auto u) { return scatter_add(x, axis<0>, i, u); }) == 1);
static_assert(reductions_in<f32<dyn, 3>, f32<3, 3>>([](auto x, auto m) {
                auto const y = by_matrix(x, m);
                return y / sqrt(sum(y * y, axis<1>, keepdim));
              }) == 0);
static_assert(reductions_in<f32<dyn, 3>, f32<3, 4>>([](auto x, auto m) {
                return by_matrix(x, slice(m, axis<1>, range<0, 3>)) + select(m, axis<1>, ct<3>);
              }) == 0);
static_assert(reductions_in<f32<dyn, 3, 64>, f32<3, 3>>([](auto x, auto m) {
                return sum(unsqueeze(x, axis<1>) * reshape(m, shape<1, 3, 3, 1>), axis<2>);
              }) == 0);
// What one operand spans is reduced as it lies, and so is what is not few.
static_assert(reductions_in<f32<dyn, 3>, f32<3>>([](auto x, auto w) {
                return sum(x * w, axis<1>);
              }) == 1);
static_assert(reductions_in<f32<dyn, 17>, f32<3, 17>>(by_matrix) == 1);

// Elements of scans that lie apart are reduced as they lie.
static_assert(reductions_in<f32<dyn, 8>>([](auto x) {
                return sum(reshape(cumsum(x, axis<0>), shape<-1, 2, 4, 2>), axis<1, 3>);
              }) != 0);

// Windows of images are pointwise; neighbouring axes, and windows of what a reduction has left, are
// reduced as they lie.
constexpr auto windows_of = [](auto x) { return reshape(x, shape<-1, 2, 4, 2>); };
static_assert(reductions_in<f32<dyn, 8>>([](auto x) {
                return mean(exp(windows_of(x)), axis<1, 3>);
              }) == 0);
static_assert(reductions_in<f32<dyn, 8>>([](auto x) { return max(windows_of(x), axis<2, 3>); }) ==
              1);
static_assert(reductions_in<f32<dyn, 8>>([](auto x) {
                return max(windows_of(x - mean(x, axis<1>, keepdim)), axis<1, 3>);
              }) != 0);

// The elements of overlapping windows, too, along one axis or two, weighted or of what is padded.
constexpr auto threes = [](auto x, auto along) { return unfold(x, along, ct<3>, ct<2>); };
static_assert(is(print(optimized<matrix>([](auto x) { return max(threes(x, axis<1>), axis<2>); })),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = slice %0 [0 _ 1 0 -2 2] : f32[x0.0, x0.1[0:-2:2]]
%2 = broadcast %1 [0 1] : f32[x0.0, x0.1[0:-2:2], 1]
%3 = slice %0 [0 _ 1 1 -1 2] : f32[x0.0, x0.1[0:-2:2]]
%4 = broadcast %3 [0 1] : f32[x0.0, x0.1[0:-2:2], 1]
%5 = slice %0 [0 _ 1 2 _ 2] : f32[x0.0, x0.1[0:-2:2]]
%6 = broadcast %5 [0 1] : f32[x0.0, x0.1[0:-2:2], 1]
%7 = maximum %2 %4 : f32[x0.0, x0.1[0:-2:2], 1]
%8 = maximum %7 %6 : f32[x0.0, x0.1[0:-2:2], 1]
return %8:f32
)"));
static_assert(reductions_in<matrix>([](auto x) {
                return sum(threes(threes(x, axis<0>), axis<1>), axis<2, 3>);
              }) == 0);
static_assert(reductions_in<f32<dyn, 9>>([](auto x) {
                return mean(exp(threes(pad(x, axis<1>, widths<1, 1>), axis<1>)), axis<2>);
              }) == 0);
static_assert(reductions_in<matrix>([](auto x) {
                auto padded = pad(x, axis<1>, widths<1, 1>);
                return x - sum(unfold(padded, axis<1>, ct<3>, ct<1>), axis<2>);
              }) == 0);
static_assert(reductions_in<matrix, f32<3>>([](auto x, auto weights) {
                return sum(threes(x, axis<0>) * weights, axis<2>);
              }) == 0);
// Not those of what a reduction has left, nor with all windows.
static_assert(reductions_in<matrix>([](auto x) {
                return sum(threes(x - mean(x, axis<1>, keepdim), axis<1>), axis<2>);
              }) != 0);
// So are the mean and the variance of one.
static_assert(reductions_in<matrix>([](auto x) { return var(threes(x, axis<1>), axis<2>); }) == 0);
static_assert(reductions_in<matrix>([](auto x) { return var(x, axis<1>); }) == 1);
static_assert(reductions_in<matrix>([](auto x) { return sum(threes(x, axis<1>), axis<1, 2>); }) ==
              1);

// Few neighbours that lie together on one side and apart on the other are parts of the result, in
// the midst of other views, too; not many, nor those of which another operand has it otherwise.
template <class... Arguments, class Function> constexpr int parts_in(Function f) {
  graph g = optimized<Arguments...>(f);
  passes::part_outputs(g);
  return verify(g) == nullptr ? g.parts.size() : -1;
}
constexpr auto turned = [](auto x) { return transpose(x, axis<0, 2, 1>); };
static_assert(parts_in<f32<dyn, dyn, 3>>(turned) == 3 && parts_in<f32<dyn, 3, dyn>>(turned) == 3);
static_assert(parts_in<f32<dyn, dyn, 5>>(turned) == 0 && parts_in<f32<dyn, dyn, dyn>>(turned) == 0);
static_assert(parts_in<f32<dyn, dyn, 3>, f32<3>>([](auto x, auto mean) {
                auto const part = slice(x, axis<1>, range<16, 240>);
                return flip(turned(part), axis<2>) - reshape(mean, shape<1, 3, 1>);
              }) == 3);
static_assert(parts_in<f32<dyn, dyn, 3>, f32<dyn, 3, dyn>>([](auto x, auto y) {
                return turned(x) + y;
              }) == 0);
static_assert(parts_in<f32<dyn, 2, dyn, 2>>([](auto x) {
                return transpose(x, axis<0, 1, 3, 2>);
              }) == 2);

// However often each of its values is used, that nothing spans a result is found out once for each.
constexpr auto squared = [](auto v) {
  auto const a = v * v + v, b = a * a + a, c = b * b + b, d = c * c + c, e = d * d + d;
  auto const f = e * e + e, g = f * f + f, h = g * g + g, i = h * h + h, j = i * i + i;
  return j * j + j;
};
static_assert(parts_in<f32<dyn>, f32<dyn>>([](auto x, auto y) {
                return squared(unsqueeze(x, axis<1>) + y);
              }) == 0);
static_assert(parts_in<f32<dyn, 3>, f32<3, 3>>(by_matrix) == 3);
static_assert(parts_in<f32<dyn, 16>, f32<8, 16>>(by_matrix) == 0);

// A few rows that are reduced to one before rows are: they are written out, and blocks need not
// meet. By themselves they are columns; so are many, or as many as the call knows.
template <class... Arguments, class Function> constexpr family const* family_of(Function f) {
  lowered_graph const lowered = lower(graph_of<Arguments...>(f));
  return lowered.refused == refusal::none ? lowered.plan.chosen : nullptr;
}
constexpr auto summed_and_normalised = [](auto x) { return rms_norm(sum(x, axis<0>)); };
static_assert(family_of<f32<8, dyn, dyn>>(summed_and_normalised) == &schedules::rows);
static_assert(family_of<f32<2, 8, dyn, dyn>>([](auto x) { return rms_norm(sum(x, axis<0, 1>)); }) ==
              &schedules::rows);
static_assert(family_of<cube>(summed_and_normalised) == &schedules::levels &&
              family_of<f32<17, dyn, dyn>>(summed_and_normalised) == &schedules::levels);
static_assert(reductions_in<f32<8, dyn, dyn>>([](auto x) { return sum(x, axis<0>); }) == 1);

}  // namespace
}  // namespace tenon::test
