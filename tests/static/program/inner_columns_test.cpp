// SPDX-License-Identifier: Apache-2.0
// What the types of a call say of its columns: whether they lie inside the rows, and beside each
// other.
#include "tenon/program/inner_columns.hpp"

#include "static/support.hpp"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

// All arguments are tensors but number `Other`.
template <class... Arguments, class Function>
constexpr column_order order(Function, int other = -1) {
  bool are_tensors[sizeof...(Arguments)];
  for (int k = 0; bool& is_tensor : are_tensors) is_tensor = k++ != other;
  return detail::order_of_columns(detail::lowered<Function, Arguments...>::chosen::about,
                                  are_tensors);
}
template <class... Arguments, class Function> constexpr bool is_inner(Function f, int other = -1) {
  return order<Arguments...>(f, other) >= column_order::inner;
}
template <class... Arguments, class Function> constexpr bool is_contiguous(Function f) {
  return order<Arguments...>(f) >= column_order::contiguous;
}

constexpr auto over_columns = [](auto x) { return softmax(x, axis<-1>); };
constexpr auto with_vector = [](auto x, auto w) { return softmax(x, axis<-1>) * w; };

static_assert(is_inner<matrix>(over_columns));
static_assert(is_inner<matrix, vector>(with_vector));
// A view may have any strides, whichever of the arguments it is.
static_assert(!is_inner<matrix>(over_columns, 0));
static_assert(!is_inner<matrix, vector>(with_vector, 1));
// The reduced axis is the outer one; in the argument, in the result, or where a transpose puts it.
static_assert(!is_inner<matrix>([](auto x) { return softmax(x, axis<0>); }));
static_assert(!is_inner<matrix>([](auto x) { return sum(transpose(x), axis<-1>); }));
static_assert(!is_inner<matrix>([](auto x) { return transpose(softmax(x, axis<1>)); }));
// Columns of two axes with a row axis between them.
static_assert(!is_inner<cube>([](auto x) { return softmax(x, axis<0, 2>); }));
static_assert(is_inner<cube>([](auto x) { return softmax(x, axis<1, 2>); }));
// Positions, which a part of a result is found by, are of no argument.
static_assert(!is_inner<matrix>([](auto x) {
  return slice(softmax(x, axis<-1>), axis<-1>, range<0, -1>);
}));

// A row's elements follow each other in every operand that has columns.
static_assert(is_contiguous<matrix, vector>(with_vector));
static_assert(is_contiguous<cube>([](auto x) { return softmax(x, axis<1, 2>); }));
static_assert(is_contiguous<matrix, matrix>([](auto x, auto y) { return x + y; }));
static_assert(is_contiguous<matrix>([](auto x) { return sum(x * 2.0f); }));
static_assert(order<matrix, vector>(with_vector, 1) == column_order::any);
// A tensor's memory is aligned, and with it rows of whole vectors; a view begins anywhere.
static_assert(!may_begin_anywhere(order<matrix, vector>(with_vector)));
static_assert(may_begin_anywhere(order<matrix, vector>(with_vector, 0)));
static_assert(may_begin_anywhere(order<matrix, vector>([](auto x, auto w) { return x + w; })));
// What is known of the extents may make whole vectors of every row.
template <class... Arguments, class Function> constexpr bool is_whole(Function f) {
  return order<Arguments...>(f) == column_order::whole;
}
template <extent... E> using known = tensor_argument<dtype::f32, E...>;
static_assert(!is_whole<matrix>(over_columns));
static_assert(is_whole<known<dyn, 512>>(over_columns));
static_assert(!is_whole<known<512, dyn>>(over_columns));
static_assert(!is_whole<known<dyn, 510>>(over_columns));
static_assert(!is_whole<known<dyn, 8>>(over_columns));  // of elements of one byte half a vector
static_assert(is_whole<known<"B", "T", 48>, known<48>>(with_vector));
static_assert(is_whole<known<dyn, 4, 12>>([](auto x) { return softmax(x, axis<1, 2>); }));
static_assert(is_whole<known<dyn, 0>>([](auto x) { return sum(x, axis<1>); }));
static_assert(may_be_odd(order<matrix>(over_columns)));
static_assert(!may_be_odd(order<known<dyn, 512>>(over_columns)));
static_assert(may_be_odd(order<known<dyn, 512>>(over_columns, 0)));
// One operand is repeated along some of the columns, or has them in another order.
static_assert(!is_contiguous<matrix, vector>([](auto x, auto w) { return x + w; }));
static_assert(!is_contiguous<cube, vector>([](auto x, auto w) {
  return softmax(x, axis<1, 2>) * w;
}));
static_assert(!is_contiguous<matrix, matrix>([](auto x, auto y) { return x + transpose(y); }));
// The elements of one part of a result have those of others between them.
static_assert(!is_contiguous<matrix, matrix>([](auto x, auto y) { return stack(x, y, axis<-1>); }));
static_assert(!is_contiguous<matrix, matrix>([](auto x, auto y) { return stack(x, y, axis<0>); }));
// Positions and slices are none of an argument's elements in its own order.
static_assert(!is_contiguous<matrix>([](auto x) { return argmax(x, axis<1>); }));
static_assert(!is_contiguous<matrix>([](auto x) { return flip(x, axis<1>) + x; }));

}  // namespace
}  // namespace tenon::test
