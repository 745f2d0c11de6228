// SPDX-License-Identifier: Apache-2.0
// The family, axis groups, phases and store places of expressions, or the reason why they are not
// one kernel.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// Seed expressions.
static_assert(schedule_of<matrix, matrix>([](auto x, auto y) { return relu((x + y) * 2); }) ==
              "pointwise [] x [x0.0 x0.1], 0 phases, stores element");
static_assert(schedule_of<matrix, matrix>([](auto x, auto y) {
                return mean(sum(relu((x + y) * 2), axis<1>));
              }) == "full [] x [x0.0 x0.1], 1 phase, stores row");
static_assert(schedule_of<matrix, matrix>([](auto x, auto y) {
                return mean(sum(silu(relu((x + y) * 2)), axis<1>));
              }) == "full [] x [x0.0 x0.1], 1 phase, stores row");
static_assert(schedule_of<matrix, matrix>([](auto x, auto y) {
                return sigmoid(mean(sum(relu((x + y) * 2), axis<1>))) * 10;
              }) == "full [] x [x0.0 x0.1], 1 phase, stores row");
static_assert(schedule_of<f32<"B", "T", 512>, f32<512>, f32<512>>([](auto x, auto w, auto b) {
                return gelu(layer_norm(x, w, b)) * 1.2f + 0.1f;
              }) == "rows [B T] x [512], 1 phase, stores element");
static_assert(schedule_of<vector>([](auto x) { return sin(x) + cos(x); }) ==
              "pointwise [] x [x0.0], 0 phases, stores element");
static_assert(schedule_of<matrix>([](auto x) { return softmax(x, axis<1>); }) ==
              "rows [x0.0] x [x0.1], 2 phases, stores element");

// Softmax along each axis.
static_assert(schedule_of<vector>([](auto x) { return softmax(x, axis<0>); }) ==
              "rows [] x [x0.0], 2 phases, stores element");
static_assert(schedule_of<matrix>([](auto x) { return softmax(x, axis<0>); }) ==
              "rows [x0.1] x [x0.0], 2 phases, stores element");
static_assert(schedule_of<cube>([](auto x) { return softmax(x, axis<0>); }) ==
              "rows [x0.1 x0.2] x [x0.0], 2 phases, stores element");
static_assert(schedule_of<cube>([](auto x) { return softmax(x, axis<1>); }) ==
              "rows [x0.0 x0.2] x [x0.1], 2 phases, stores element");
static_assert(schedule_of<cube>([](auto x) { return softmax(x, axis<2>); }) ==
              "rows [x0.0 x0.1] x [x0.2], 2 phases, stores element");
static_assert(schedule_of<tesseract>([](auto x) { return softmax(x, axis<2>); }) ==
              "rows [x0.0 x0.1 x0.3] x [x0.2], 2 phases, stores element");
static_assert(schedule_of<tesseract>([](auto x) { return softmax(x, axis<-1>); }) ==
              "rows [x0.0 x0.1 x0.2] x [x0.3], 2 phases, stores element");

// Statistics along rows.
static_assert(schedule_of<cube>([](auto x) { return layer_norm(x, axis<1, 2>); }) ==
              "rows [x0.0] x [x0.1 x0.2], 1 phase, stores element");
static_assert(schedule_of<matrix, vector>([](auto x, auto w) { return rms_norm(x, w); }) ==
              "rows [x0.0] x [x0.1], 1 phase, stores element");
static_assert(schedule_of<matrix>([](auto x) { return var(x, axis<1>); }) ==
              "rows [x0.0] x [x0.1], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) { return var(x); }) ==
              "full [] x [x0.0 x0.1], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) { return logsumexp(x, axis<1>); }) ==
              "rows [x0.0] x [x0.1], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) { return log_softmax(x, axis<1>); }) ==
              "rows [x0.0] x [x0.1], 2 phases, stores element");
static_assert(schedule_of<cube>([](auto x) { return sum(x, axis<1>); }) ==
              "rows [x0.0 x0.2] x [x0.1], 1 phase, stores row");
static_assert(schedule_of<tesseract>([](auto x) { return sum(x, axis<0, 2, 3>); }) ==
              "split rows [x0.1] x [x0.0 x0.2 x0.3], 1 phase, stores row");

// Groups of neighbouring columns.
static_assert(schedule_of<cube>([](auto x) { return sum(x, axis<0, 2>); }) ==
              "column groups [x0.1] x [x0.0 x0.2], 1 phase, stores row");
static_assert(schedule_of<tesseract>([](auto x) { return x - mean(x, axis<1, 3>, keepdim); }) ==
              "column groups [x0.0 x0.2] x [x0.1 x0.3], 1 phase, stores element");
static_assert(schedule_of<matrix>([](auto x) {
                return where(x > mean(x, axis<1>, keepdim), x, max(x, axis<1>, keepdim));
              }) == "rows [x0.0] x [x0.1], 1 phase, stores element");
static_assert(schedule_of<matrix>([](auto x) { return sum(x * softmax(x, axis<1>), axis<1>); }) ==
              "rows [x0.0] x [x0.1], 2 phases, stores row");

// Rows, then one value over all of them.
static_assert(schedule_of<matrix>([](auto x) { return mean(mean(x, axis<1>)); }) ==
              "nested [x0.0] x [x0.1], 1 phase, total, stores total");
static_assert(schedule_of<matrix>([](auto x) { return sum(sqrt(sum(x * x, axis<1>))); }) ==
              "nested [x0.0] x [x0.1], 1 phase, total, stores total");
static_assert(schedule_of<matrix>([](auto x) { return max(sum(abs(x), axis<0>)); }) ==
              "nested [x0.1] x [x0.0], 1 phase, total, stores total");
static_assert(schedule_of<cube>([](auto x) { return max(sum(x, axis<0, 1>)); }) ==
              "nested [x0.2] x [x0.0 x0.1], 1 phase, total, stores total");
static_assert(schedule_of<cube>([](auto x) { return max(sum(x, axis<2>)); }) ==
              "nested [x0.0 x0.1] x [x0.2], 1 phase, total, stores total");
static_assert(schedule_of<matrix, matrix>([](auto x, auto t) {
                return -mean(sum(t * log_softmax(x, axis<1>), axis<1>));
              }) == "nested [x0.0] x [x0.1], 3 phases, total, stores total");
static_assert(schedule_of<matrix, matrix>([](auto x, auto t) {
                return sum(t * log_softmax(x, axis<1>));
              }) == "nested [x0.0] x [x0.1], 3 phases, total, stores total");
static_assert(schedule_of<matrix>([](auto x) { return var(sum(x, axis<1>)); }) ==
              "nested [x0.0] x [x0.1], 1 phase, total, stores total");
static_assert(schedule_of<matrix, vector>([](auto x, auto v) {
                return outputs(sum(x, axis<1>, keepdim) + unsqueeze(v, axis<1>), sum(v));
              }) == "nested [x0.0] x [x0.1], 1 phase, total, stores row total");

// Everything at once.
static_assert(schedule_of<matrix>([](auto x) { return sum(x); }) ==
              "full [] x [x0.0 x0.1], 1 phase, stores row");
static_assert(schedule_of<matrix, matrix>([](auto x, auto y) { return sum(transpose(x * y)); }) ==
              "full [] x [x0.1 x0.0], 1 phase, stores row");
static_assert(schedule_of<cube>([](auto x) { return max(max(x, axis<0>), axis<1>, keepdim); }) ==
              "column groups [x0.1] x [x0.0 x0.2], 1 phase, stores row");
static_assert(schedule_of<vector, vector>([](auto x, auto y) { return sum(x * y); }) ==
              "full [] x [x0.0], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) { return outputs(x * 2, sum(x)); }) ==
              "full [] x [x0.0 x0.1], 1 phase, stores element row");
static_assert(schedule_of<matrix>([](auto x) { return outputs(sum(x), max(x), mean(x)); }) ==
              "full [] x [x0.0 x0.1], 1 phase, stores row row row");

// A whole-tensor statistic that comes back to the elements: one row holds them all.
static_assert(schedule_of<vector>([](auto x) { return x / sum(x); }) ==
              "rows [] x [x0.0], 1 phase, stores element");
static_assert(schedule_of<matrix>([](auto x) { return x / sum(x); }) ==
              "rows [] x [x0.0 x0.1], 1 phase, stores element");

// A value over all rows that comes back to the rows or elements.
static_assert(schedule_of<matrix>([](auto x) { return x / sum(sqrt(sum(x * x, axis<1>))); }) ==
              "grid [x0.0] x [x0.1], 1 phase, total, stores element");
static_assert(schedule_of<matrix>([](auto x) { return softmax(x, axis<1>) / sum(x); }) ==
              "grid [x0.0] x [x0.1], 2 phases, total, stores element");
static_assert(schedule_of<matrix>([](auto x) { return sum(x, axis<1>) / sum(x); }) ==
              "grid [x0.0] x [x0.1], 1 phase, total, stores row");
static_assert(schedule_of<matrix>([](auto x) {
                auto m = max(sum(x, axis<1>));
                return outputs(x - m, sum(x, axis<1>) - m, m);
              }) == "grid [x0.0] x [x0.1], 1 phase, total, stores element row total");
static_assert(schedule_of<matrix>([](auto x) {
                auto lengths = sqrt(sum(x * x, axis<1>, keepdim));
                return lengths / sqrt(mean(square(lengths - mean(lengths))));
              }) == "grid [x0.0] x [x0.1], 1 phase, total, stores row");
static_assert(schedule_of<matrix, vector>([](auto x, auto w) {
                auto y = rms_norm(x, w);
                auto scale = 448 / max(abs(y));
                return outputs(cast<float8_e4m3>(y * scale), 1 / scale);
              }) == "grid [x0.0] x [x0.1], 2 phases, total, stores element total");
static_assert(schedule_of<matrix>([](auto x) {
                return sum(square(x - mean(sum(x, axis<1>))), axis<1>);
              }) == "grid [x0.0] x [x0.1], 3 phases, total, stores row");

// Several outputs.
static_assert(schedule_of<matrix>([](auto x) {
                return outputs(sum(x, axis<1>), max(x, axis<1>));
              }) == "rows [x0.0] x [x0.1], 1 phase, stores row row");
static_assert(schedule_of<matrix>([](auto x) { return outputs(x * 2, sum(x, axis<1>)); }) ==
              "rows [x0.0] x [x0.1], 1 phase, stores element row");
static_assert(schedule_of<matrix>([](auto x) {
                return outputs(sum(x, axis<1>), sum(sum(x, axis<1>)));
              }) == "nested [x0.0] x [x0.1], 1 phase, total, stores row total");
static_assert(schedule_of<matrix>([](auto x) { return outputs(x, transpose(x)); }) ==
              "transposed [] x [x0.0 x0.1], 0 phases, stores element element");
static_assert(schedule_of<matrix>([](auto x) { return outputs(max(x), x, transpose(x)); }) ==
              "transposed [] x [x0.0 x0.1], 1 phase, stores row element element");
static_assert(schedule_of<matrix>([](auto x) { return outputs(x, x, x + 1); }) ==
              "pointwise [] x [x0.0 x0.1], 0 phases, stores element element element");
static_assert(schedule_of<matrix>([](auto x) {
                return outputs(softmax(x, axis<1>), logsumexp(x, axis<1>));
              }) == "rows [x0.0] x [x0.1], 2 phases, stores element row");

// No element at all, one element.
static_assert(schedule_of<scalar>([](auto s) { return s * 2 + 1; }) ==
              "pointwise [] x [], 0 phases, stores launch");
static_assert(schedule_of<point>([](auto x) { return exp(x); }) ==
              "pointwise [] x [], 0 phases, stores launch");
static_assert(schedule_of<point>([](auto x) { return sum(x) + max(x); }) ==
              "pointwise [] x [], 0 phases, stores launch");
static_assert(schedule_of<f32<1>>([](auto x) { return sum(x); }) ==
              "pointwise [] x [], 0 phases, stores launch");
static_assert(schedule_of<f32<1, 1>>([](auto x) { return softmax(x, axis<1>); }) ==
              "pointwise [] x [], 0 phases, stores launch");
static_assert(schedule_of<vector, scalar>([](auto x, auto s) { return outputs(x * s, s + 1); }) ==
              "pointwise [] x [x0.0], 0 phases, stores element launch");
static_assert(schedule_of<vector, scalar>([](auto x, auto s) { return sum(x) * s; }) ==
              "full [] x [x0.0], 1 phase, stores row");

// Broadcasting rows and columns.
static_assert(schedule_of<matrix, vector>([](auto x, auto v) { return x + v; }) ==
              "pointwise [] x [x0.0 x0.1], 0 phases, stores element");
static_assert(schedule_of<matrix, vector>([](auto x, auto v) {
                return x + unsqueeze(v, axis<1>);
              }) == "pointwise [] x [x0.0 x0.1], 0 phases, stores element");
static_assert(schedule_of<matrix, vector, vector>([](auto x, auto u, auto v) {
                return sum((x + u) * unsqueeze(v, axis<1>), axis<1>);
              }) == "rows [x0.0] x [x0.1], 1 phase, stores row");
static_assert(schedule_of<vector, vector>([](auto u, auto v) {
                return unsqueeze(u, axis<1>) * v;
              }) == "pointwise [] x [x0.0 x1.0], 0 phases, stores element");
static_assert(schedule_of<f32<512, 512>>([](auto x) { return x + transpose(x); }) ==
              "transposed [] x [512 512], 0 phases, stores element");
static_assert(schedule_of<matrix, matrix>([](auto x, auto y) { return x + transpose(y); }) ==
              "transposed [] x [x0.0 x0.1], 0 phases, stores element");
static_assert(schedule_of<matrix>([](auto x) { return transpose(x); }) ==
              "transposed [] x [x0.1 x0.0], 0 phases, stores element");
static_assert(schedule_of<f32<512, 512>>([](auto x) { return softmax(x, axis<0>); }) ==
              "rows [512] x [512], 2 phases, stores element");
static_assert(schedule_of<f32<8, 8, 8>>([](auto x) { return softmax(x, axis<1>); }) ==
              "rows [8 8] x [8], 2 phases, stores element");

// Axes of extent 1 are no axes.
static_assert(schedule_of<f32<dyn, 1>>([](auto x) { return sum(x, axis<1>); }) ==
              "pointwise [] x [x0.0], 0 phases, stores element");
static_assert(schedule_of<f32<dyn, 1, dyn>>([](auto x) {
                return softmax(sum(x, axis<1>), axis<1>);
              }) == "rows [x0.0] x [x0.2], 2 phases, stores element");
static_assert(schedule_of<f32<dyn, 1>>([](auto x) { return var(x, axis<1>); }) ==
              "rows [x0.0] x [], 1 phase, stores row");
static_assert(schedule_of<f32<dyn, 1, dyn>>([](auto x) { return sum(x, axis<1, 2>); }) ==
              "rows [x0.0] x [x0.2], 1 phase, stores row");

// Views of what is computed.
static_assert(schedule_of<matrix>([](auto x) {
                return slice(transpose(softmax(x, axis<1>)), axis<1>, range<1, -1>);
              }) == "rows [x0.0[1:-1]] x [x0.1], 2 phases, stores element");
static_assert(schedule_of<matrix>([](auto x) {
                return sum(reshape(x * 2, shape<-1, 4>), axis<0>);
              }) == "rows [4] x [x0.0*x0.1/4], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) { return flatten(softmax(x, axis<1>)); }) ==
              "rows [x0.0] x [x0.1], 2 phases, stores element");
static_assert(schedule_of<vector, vector>([](auto x, auto y) {
                return outputs(slice(x, axis<0>, range<1>), slice(y, axis<0>, range<1>),
                               slice(x + y, axis<0>, range<1>));
              }) == "pointwise [] x [x0.0[1:]], 0 phases, stores element element element");

static_assert(schedule_of<matrix, vector>([](auto x, auto v) { return sum(flatten(x + v)); }) ==
              "full [] x [x0.0 x0.1], 1 phase, stores row");
static_assert(schedule_of<f32<dyn, 4, 8>>([](auto x) {
                return sum(reshape(x, shape<-1, 32>), axis<1>);
              }) == "rows [x0.0] x [4 8], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) { return reshape(sum(x), shape<1, 1>) * x; }) ==
              "rows [] x [x0.0 x0.1], 1 phase, stores element");
static_assert(schedule_of<matrix>([](auto x) {
                return squeeze(sum(x, axis<1>, keepdim), axis<1>) * 2;
              }) == "rows [x0.0] x [x0.1], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) {
                return squeeze(squeeze(sum(x, keepdim), axis<0>), axis<0>) * 2;
              }) == "full [] x [x0.0 x0.1], 1 phase, stores row");
static_assert(schedule_of<scalar, vector>([](auto s, auto x) {
                return slice(broadcast_to(s, shape<8>), axis<0>, range<1>) * reshape(x, shape<7>);
              }) == "pointwise [] x [7], 0 phases, stores element");

// Rows and columns in one sweep.
static_assert(schedule_of<matrix>([](auto x) {
                return outputs(sum(x, axis<0>), sum(x, axis<1>));
              }) == "mixed [x0.0] x [x0.1], 1 phase, stores column row");
static_assert(schedule_of<matrix>([](auto x) { return sum(softmax(x, axis<1>), axis<0>); }) ==
              "mixed [x0.0] x [x0.1], 2 phases, stores column");
static_assert(schedule_of<matrix>([](auto x) { return mean(softmax(x, axis<1>), axis<0>); }) ==
              "mixed [x0.0] x [x0.1], 2 phases, stores column");
static_assert(schedule_of<matrix>([](auto x) {
                return outputs(max(x, axis<0>), max(x, axis<1>), max(x));
              }) == "mixed [x0.0] x [x0.1], 1 phase, total, stores column row total");
static_assert(schedule_of<cube>([](auto x) {
                return outputs(sum(x, axis<0, 1>), softmax(x, axis<2>));
              }) == "mixed [x0.0 x0.1] x [x0.2], 2 phases, stores column element");
static_assert(schedule_of<matrix>([](auto x) { return outputs(x * 2, sum(x, axis<0>), sum(x)); }) ==
              "nested [x0.1] x [x0.0], 1 phase, total, stores element row total");

// Without a reduction, an output that lacks axes has a value for each row of the others.
static_assert(schedule_of<matrix, vector>([](auto x, auto v) { return outputs(x * v, v + 1); }) ==
              "rows [x0.1] x [x0.0], 0 phases, stores element row");
static_assert(schedule_of<cube, matrix>([](auto x, auto m) {
                return outputs(x * unsqueeze(exp(m), axis<2>), exp(m));
              }) == "rows [x0.0 x0.1] x [x0.2], 0 phases, stores element row");

// What one kernel cannot do yet.
static_assert(schedule_of<cube>([](auto x) { return outputs(sum(x, axis<0>), sum(x, axis<1>)); }) ==
              "refused: several_axis_groups");
static_assert(schedule_of<matrix>([](auto x) {
                return outputs(sum(x, axis<1>), x - mean(x, axis<0>));
              }) == "refused: several_axis_groups");
static_assert(schedule_of<matrix, matrix>([](auto x, auto y) {
                return sum(unsqueeze(x, axis<2>) * unsqueeze(y, axis<0>), axis<1>);
              }) == "refused: several_spaces");
static_assert(schedule_of<vector, vector>([](auto x, auto y) { return outputs(x + 1, y + 1); }) ==
              "refused: several_spaces");
static_assert(schedule_of<cube, matrix, vector>([](auto x, auto m, auto v) {
                return outputs(x * m * v, m + v, v + 1);
              }) == "refused: several_spaces");
static_assert(schedule_of<matrix, vector>([](auto x, auto v) {
                return outputs(sum(x * v, axis<1>), sum(v));
              }) == "refused: several_spaces");
static_assert(schedule_of<matrix, vector>([](auto x, auto v) {
                return sum(relu(sum(x * v, axis<1>))) * sum(v);
              }) == "refused: several_spaces");
static_assert(schedule_of<matrix>([](auto x) {
                return slice(softmax(x, axis<1>), axis<1>, range<1>);
              }) == "refused: several_spaces");
static_assert(schedule_of<vector>([](auto v) {
                return sum(broadcast_to(v, shape<17, -1>), axis<0>);
              }) == "refused: several_spaces");
static_assert(schedule_of<f32<4, 6>, f32<6>>([](auto x, auto v) {
                return sum(reshape(x + v, shape<2, 12>), axis<1>);
              }) == "rows [2] x [12], 1 phase, stores row");
static_assert(schedule_of<f32<4, 6, 4>>([](auto x) {
                return sum(reshape(sum(x, axis<1>), shape<2, 8>), axis<1>);
              }) == "rows [2] x [8 6], 1 phase, stores row");

}  // namespace
}  // namespace tenon::test
