// SPDX-License-Identifier: Apache-2.0
// docs/operators.md: every operator of the tables, with what its struct says of it.

#include "document.hpp"

#include <tenon/special.hpp>
#include <tenon/tenon.hpp>

namespace tn = tenon;

namespace {

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%g", value);
  return buffer;
}

std::string domain_text(tn::interval domain) {
  return domain.low == tn::all_reals.low && domain.high == tn::all_reals.high ? "all" : number(domain.low) + " to " + number(domain.high);
}

// What the operator makes of a bool, an i32 and an f16.
std::string results_text(tn::dtype_rule const& rule) {
  std::string out;
  for (tn::dtype d : {tn::dtype::boolean, tn::dtype::i32, tn::dtype::f16}) out += (out.empty() ? "" : ", ") + std::string(tn::name(rule.result(d)));
  return out;
}

std::string accuracy_text(double ulp) { return ulp == 0 ? "exact" : ulp < 0.51 ? "correctly rounded" : number(ulp) + " ulp"; }

template <class Op>
std::string pointwise_row() {
  return "| `" + std::string(Op::name) + "` | " + std::to_string(Op::arity) + " | " + results_text(Op::rule) + " | " + std::to_string(Op::cost) + " | " +
         domain_text(Op::domain) + " | " + accuracy_text(Op::tolerance_ulp) + " | " + (Op::is_commutative ? "commutative" : "") +
         (Op::is_commutative && Op::is_foldable ? ", " : "") + (Op::is_foldable ? "folded" : "") + " |\n";
}
template <class... Ops>
std::string pointwise_rows(tn::type_list<Ops...>) {
  return (std::string() + ... + pointwise_row<Ops>());
}

template <class Op>
std::string reduction_row() {
  constexpr tn::op_info info = tn::describe<Op>();
  return "| `" + std::string(Op::name) + "` | " + results_text(Op::rule) + " | " + std::to_string(Op::cost) + " | " +
         (info.has_state ? "a struct, read by projections" : "one number") + " |\n";
}
template <class... Ops>
std::string reduction_rows(tn::type_list<Ops...>) {
  return (std::string() + ... + reduction_row<Ops>());
}
template <class... Ops>
std::string names(tn::type_list<Ops...>) {
  std::string out;
  ((out += (out.empty() ? "`" : ", `") + std::string(Ops::name) + '`'), ...);
  return out;
}

// What is called, and what it gives.
struct call_form {
  char const* form;
  char const* meaning;
};
constexpr call_form index_calls[] = {
    {"iota(x, axis<k>)", "0, 1, 2, ... along an axis of x, i64; it broadcasts with x"},
    {"argmax(x), argmax(x, axis<k>), argmin", "the index of the greatest or least element, i64: the lowest of equals, NaN first; row-major over several axes"},
    {"max_with_index(x, axis<k>), min_with_index", "`auto [values, indices]`, in one pass"},
    {"take(x, index, axis<k>), index_select", "the axis is replaced by the axes of the index"},
    {"take_along_axis(x, index, axis<k>)", "element by element along the axis; the index has the rank of x; also called `gather`"},
    {"topk(x, axis<k>, ct<n>), topk(x, axis<k>, ct<n>, smallest)", "`auto [values, indices]`: the first n of the descending or ascending order; of equals the lowest index, NaN is the greatest; n above 16 with `<tenon/sort.hpp>`"},
    {"embedding(table, index)", "the rows that the index names"},
    {"searchsorted(sequence, x), bucketize(x, boundaries), (..., right)", "how many elements of a sequence, sorted along its last axis, come before each element, i64; with `right` those that equal it too; NaN comes last; integers and floating-point numbers are compared as they are. The sequence is an argument or a view of one: a vector for all, or one for each row"},
    {"gather_nd(x, index)", "the last axis of the index holds positions along the first axes of x"},
    {"scatter(base, axis<k>, index, updates)", "the base with the updates at the index along the axis, which is of one axis or of the base's; of several for one place the last"},
    {"scatter_add(base, axis<k>, index, updates), scatter_mul, scatter_max, scatter_min, index_add", "the same, combined with the base and each other in the order of the updates: the same bits in every run"},
    {"scatter_nd(base, index, updates), scatter_nd_add, scatter_nd_mul, scatter_nd_max, scatter_nd_min", "the same at positions along the first axes of the base, which the last axis of the index holds; of several axes the result is stored as it is"},
    {"scatter_mean(base, axis<k>, index, updates)", "the mean of the base's element and of the updates for it"},
};
constexpr call_form sort_calls[] = {
    {"sort(x, axis<k>), sort(x, axis<k>, descending)", "the elements in order, equal ones as they were"},
    {"argsort(x, axis<k>), argsort(x, axis<k>, descending)", "where they were, i64"},
    {"sort_with_index(x, axis<k>), sort_with_index(x, axis<k>, descending)", "`auto [values, indices]`"},
    {"median(x, axis<k>), nanmedian", "the middle element, of two the lower; NaN where there is one, or where there is nothing else; with `keepdim` too"},
    {"quantile(x, q, axis<k>)", "what a part q of the axis is below, between two elements by linear interpolation; NaN where one is, and for q outside 0 to 1; with `keepdim` too"},
};
constexpr call_form view_calls[] = {
    {"pad(x, axis<k>, widths<a, b>, 0)", "a elements before and b after: a number, or `tn::edge`, `tn::reflect`, `tn::wrap`"},
    {"flip(x, axis<...>)", "in reverse order"},
    {"roll(x, axis<k>, shift)", "element i goes to i + shift, around the end"},
    {"tile(x, shape<2, 3>)", "the whole again"},
    {"repeat_interleave(x, axis<k>, ct<n>)", "each element n times"},
    {"concat(x, y, ..., axis<k>), stack", "one after the other along an axis, or along a new one"},
    {"split(x, axis<k>, lengths<2, 3>), chunk(x, axis<k>, ct<n>)", "`auto [a, b]`; chunks of a length that the call knows are equal"},
    {"select(x, axis<k>, ct<i>)", "one position, without the axis"},
    {"diagonal(x, axis<a, b>)", "a last axis in the place of two"},
    {"unfold(x, axis<k>, ct<size>, ct<step>)", "windows; a last axis for the elements of one"},
    {"tril(x, ct<k>), triu", "the elements below or above a diagonal of the last two axes, 0 elsewhere"},
    {"one_hot(x, ct<n>)", "a last axis with 1 at the class, i64"},
    {"arange<n>(x)", "0 to n - 1, i64; x is any value"},
    {"full<2, 3>(x, number), eye<n>(x), eye<n, m>(x, ct<k>)", "a number in a shape of its own; 1 on a diagonal, f32; x is any value"},
    {"full_like(x, number), zeros_like, ones_like, eye_like", "in the shape and dtype of x"},
};
constexpr call_form random_calls[] = {
    {"rand(x, seed), rand(x, seed, ct<stream>)", "uniform in [0, 1), in the shape and dtype of x"},
    {"randn(x, seed)", "normal, mean 0 and variance 1"},
    {"bernoulli(p, seed)", "1 with probability p, else 0"},
    {"dropout(x, p, seed)", "0 with probability p, else x / (1 - p)"},
};
constexpr call_form composite_calls[] = {
    {"mean, var, stddev, logsumexp", "reductions; the variances take `correction<n>`, 1 unless given"},
    {"var_mean(x, ...)", "`auto [variance, mean]`, in one pass"},
    {"l1_norm, l2_norm, inf_norm, norm(x, ct<p>, ...), sum_of_squares, count_nonzero, amax, amin", "reductions"},
    {"softmax(x, axis<...>), softmin, log_softmax", "along the axes"},
    {"layer_norm(x), (x, axis), (x, weight, bias), (x, weight, bias, axis), (..., epsilon)", "mean 0 and variance 1 along the axes"},
    {"rms_norm(x), (x, axis), (x, weight), (x, weight, axis), (..., epsilon)", "the mean of squares 1 along the axes"},
    {"batch_norm(x), instance_norm(x), (x, weight, bias), (..., epsilon)", "per channel (axis 1), of the batch or of each sample"},
    {"batch_norm_training(x, mean, variance), (x, mean, variance, weight, bias), (..., momentum)", "`auto [values, mean, variance]`: also the running statistics after this batch"},
    {"batch_norm_inference(x, mean, variance), (x, mean, variance, weight, bias), (..., epsilon)", "by given statistics"},
    {"group_norm(x, ct<groups>), (x, ct<groups>, weight, bias), (..., epsilon)", "per group of channels of each sample"},
    {"relu6, hardtanh(x), hardtanh(x, low, high), prelu(x, slope), celu(x), celu(x, alpha), swiglu(gate, x)", "activations beside those of the table"},
    {"lerp(x, y, weight), addcmul(x, a, b), addcdiv(x, a, b), (..., factor), masked_fill(x, mask, number)", "as PyTorch has them"},
    {"fmax(x, y), fmin(x, y)", "of which one may be NaN: then it is the other one"},
    {"cross_entropy(x, labels), nll_loss(x, labels)", "with any of `axis<k>`, `ignore_index<n>`, `label_smoothing(0.1)`, `class_weights(w)`, `sum`, `none`; probabilities in the place of labels"},
    {"mse_loss, l1_loss, huber_loss, smooth_l1_loss, bce_with_logits_loss, kl_div_loss, hinge_loss", "`(x, target)`, a parameter (delta, beta, positive weight) or none, `sum` or `none` instead of the mean"},
    {"cosine_similarity(x, y, axis<k>), cosine_embedding_loss(x, y, target), (..., margin)", "along an axis; along the last one"},
    {"rope(x, cosines, sines), (..., interleaved)", "pairs of the last axis rotated by an angle"},
    {"quantize<T>(x, axis<k>), quantize<T>(x, ct<block>)", "`auto [values, scales]` of `int8` or a float8, by the greatest magnitude of each row or block"},
    {"dequantize(values, scales)", "in f32"},
    {"sgd(p, g, rate), sgd_momentum(p, g, v, rate), adam(p, g, m, v, step, rate), adamw", "one step of an optimizer, its numbers and the decay as further arguments; several outputs"},
};
template <std::size_t N>
std::string calls(call_form const (&forms)[N]) {
  std::string out;
  for (call_form const& c : forms) out += std::string("| `") + c.form + "` | " + c.meaning + " |\n";
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::string out =
      "# Operators\n\n"
      "This page is printed by `examples/documents/operators.cpp` from the tables of `ops/tables.hpp`; a test compares the two.\n\n"
      "Half types are computed in float and rounded once, where a result is stored or `cast` asks for it. `tn::bit_cast<T>(x)` reads\n"
      "the bits of x as another type of its size.\n\n"
      "The symbols `+ - * / < <= > >= == != && || ! & | ^ ~ << >>` are the operators of those names, by element; `%` is refused,\n"
      "because `tn::fmod` (C++) and `tn::remainder` (Python) differ in sign.\n\n"
      "## Pointwise\n\n"
      "*Results* are those of bool, i32 and f16 operands after promotion. *Cost* counts instruction issue slots per element in\n"
      "f32 on sm_90. *Domain* is where the accuracy was tested against a float64 reference; special values are tested apart.\n"
      "*Accuracy* is the largest error allowed in f32 and f64. *Folded* operators on literals are computed while compiling.\n\n"
      "| name | operands | results | cost | domain | accuracy | passes |\n|---|---|---|---|---|---|---|\n" +
      pointwise_rows(tn::ops::pointwise_table{}) +
      "\nOf `#include <tenon/special.hpp>`:\n\n"
      "| name | operands | results | cost | domain | accuracy | passes |\n|---|---|---|---|---|---|---|\n" +
      pointwise_rows(tn::ops::special_table{}) +
      "\n## Reductions\n\n"
      "Called as `(x)`, `(x, tn::axis<...>)` or `(x, tn::axis<...>, tn::keepdim)`; no axes means all of them. `product` is called\n"
      "`tn::prod`.\n\n"
      "| name | results | cost | state |\n|---|---|---|---|\n" +
      reduction_rows(tn::ops::reduction_table{}) +
      "\nOf elements with their positions: " + names(tn::ops::indexed_reduction_table{}) + "; they are called as such.\n"
      "\nProjections read one member of such a struct: " + names(tn::ops::projection_table{}) + ".\n\n"
      "## Composites\n\nWritten over the operators as a user would write them; they fuse like what they are made of.\n\n"
      "| called as | gives |\n|---|---|\n" +
      calls(composite_calls) + "\n"
      "## Scans\n\nAlong one axis: " + names(tn::ops::scan_table{}) + ", called as `(x, axis<k>)` with any of `tn::exclusive`\n"
      "and `tn::reversed`. Sums of integers are i64; sums and products of floats are kept in double. With the positions of their\n"
      "results: " + names(tn::ops::indexed_scan_table{}) + ", `auto [values, indices]`; of equals the latest.\n\n"
      "Of blocks: " + names(tn::ops::block_table{}) + ", called as `(x, axis<k>, ct<n>)` with n = 2, 4, ..., 128: each element becomes\n"
      "the result of its block of n along the axis, of which the last may be shorter.\n\n"
      "## Sorts\n\nOf `#include <tenon/sort.hpp>`, along one axis, stable, NaN greater than any number:\n\n"
      "| called as | gives |\n|---|---|\n" + calls(sort_calls) +
      "\nWhat is sorted may be computed, and what comes after may reduce or scan the same axis: `tn::cumsum(tn::sort(tn::softmax(x,\n"
      "tn::axis<1>), tn::axis<1>, tn::descending), tn::axis<1>)` is one launch. On CUDA a block sorts a row: up to 4096 elements in\n"
      "shared memory, longer rows (below 2^31 elements) in tiles that it merges in a workspace of 16 bytes per element (32 for 8-byte\n"
      "elements) of the rows in flight.\n\n"
      "What would have as many elements as the values say (unique, nonzero, a selection by a mask) is no result of an expression, whose\n"
      "extents follow from those of its operands: `tn::sort` beside a comparison with what comes before, or `tn::where`, mark them.\n\n"
      "## Views\n\n"
      "Nodes: " + names(tn::ops::movement_table{}) + ". Called as `tn::transpose`, `tn::slice`, `tn::reshape`, `tn::flatten`,\n"
      "`tn::squeeze`, `tn::unsqueeze` and `tn::broadcast_to`. They cost no kernel: a view is how an argument is read.\n\n"
      "## Positions and indices\n\n"
      "| called as | gives |\n|---|---|\n" +
      calls(index_calls) +
      "\n## Views by positions\n\nThey cost no kernel either; an element of `concat` reads the part that it is from, and nothing of the others. "
      "Equal parts that are\ncomputed are stored each by itself, and read once what they have in common\n"
      "([decision 81](decisions/0081-what-joins-equal-pieces-is-stored-piece-by-piece.md)).\n\n"
      "| called as | gives |\n|---|---|\n" +
      calls(view_calls) +
      "\n## Random numbers\n\nFunctions of seed, stream (0 unless given) and position: Philox 4x32-10, the same bits on every backend and in any schedule.\n"
      "Neighbouring elements of a thread share calls of it: one gives the numbers of four, or of two f64.\n\n"
      "| called as | gives |\n|---|---|\n" +
      calls(random_calls);
  return document::print_or_compare(out, argc, argv);
}
