// SPDX-License-Identifier: Apache-2.0
// Views by positions that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x, z;
  tn::tensor<int, 4> labels;
  tn::tensor<int, 4, 2> index;
  tn::tensor<int, 5, tn::dyn> positions(2);

// case: pad_by_less_than_nothing
// expected-error: "tenon: pad: a width is negative; cut with tn::slice"
#ifdef TENON_CASE_pad_by_less_than_nothing
  z = tn::pad(x, tn::axis<0>, tn::widths<-1, 0>); // error here
#endif

// case: pad_by_numbers
// expected-error: "tenon: pad: the arguments are not a value, one axis, widths and what to fill with; write tn::pad(x, tn::axis<1>, tn::widths<1, 2>, 0) or tn::edge, tn::reflect, tn::wrap"
#ifdef TENON_CASE_pad_by_numbers
  z = tn::pad(x, 1, 1); // error here
#endif

// case: flip_by_number
// expected-error: "tenon: flip: the arguments are not a value and axes; write tn::flip(x, tn::axis<0>)"
#ifdef TENON_CASE_flip_by_number
  z = tn::flip(x, 0); // error here
#endif

// case: roll_without_axis
// expected-error: "tenon: roll: the arguments are not a value, one axis and a shift; write tn::roll(x, tn::axis<0>, 1)"
#ifdef TENON_CASE_roll_without_axis
  z = tn::roll(x, 1); // error here
#endif

// case: tile_fewer_axes
// expected-error: "tenon: tile: the numbers of repetitions are negative, fewer than the axes or more than 8; give one for each axis, as in tn::tile(x, tn::shape<1, 3>)"
#ifdef TENON_CASE_tile_fewer_axes
  z = tn::tile(x, tn::shape<2>); // error here
#endif

// case: tile_by_numbers
// expected-error: "tenon: tile: the arguments are not a value and numbers of repetitions; write tn::tile(x, tn::shape<1, 3>)"
#ifdef TENON_CASE_tile_by_numbers
  z = tn::tile(x, 2, 1); // error here
#endif

// case: repeat_nothing
// expected-error: "tenon: repeat_interleave: the number of repetitions is below 1; repeat each element once or more"
#ifdef TENON_CASE_repeat_nothing
  z = tn::repeat_interleave(x, tn::axis<0>, tn::ct<0>); // error here
#endif

// case: repeat_by_number
// expected-error: "tenon: repeat_interleave: the arguments are not a value, one axis and a tn::ct; write tn::repeat_interleave(x, tn::axis<0>, tn::ct<2>)"
#ifdef TENON_CASE_repeat_by_number
  z = tn::repeat_interleave(x, tn::axis<0>, 2); // error here
#endif

// case: concat_without_axis
// expected-error: "tenon: concat: the arguments are not values of one rank and then one axis; write tn::concat(x, y, tn::axis<0>)"
#ifdef TENON_CASE_concat_without_axis
  z = tn::concat(x, x); // error here
#endif

// case: stack_without_values
// expected-error: "tenon: stack: the arguments are not values and then one axis; write tn::stack(x, y, tn::axis<0>)"
#ifdef TENON_CASE_stack_without_values
  z = tn::stack(x); // error here
#endif

// case: split_by_less_than_nothing
// expected-error: "tenon: split: a length is negative; give the length of each part"
#ifdef TENON_CASE_split_by_less_than_nothing
  auto r = tn::split(x, tn::axis<1>, tn::lengths<-1, 2>); // error here
#endif

// case: split_in_less_than_all
// expected-error: "tenon: split: the lengths do not add up to that of the axis; give the length of each part, as tn::lengths<2, 3> of 5"
#ifdef TENON_CASE_split_in_less_than_all
  auto r = tn::split(x, tn::axis<1>, tn::lengths<2, 3>); // error here
#endif

// case: split_by_number
// expected-error: "tenon: split: the arguments are not a value, one axis and lengths; write auto [a, b] = tn::split(x, tn::axis<0>, tn::lengths<2, 3>)"
#ifdef TENON_CASE_split_by_number
  auto r = tn::split(x, tn::axis<1>, 2); // error here
#endif

// case: chunk_of_no_parts
// expected-error: "tenon: chunk: the number of parts is below 1, or the length is known at run time only and there are 8 axes; give another number, or use tn::split with lengths"
#ifdef TENON_CASE_chunk_of_no_parts
  auto r = tn::chunk(x, tn::axis<1>, tn::ct<0>); // error here
#endif

// case: chunk_by_number
// expected-error: "tenon: chunk: the arguments are not a value, one axis and a number of parts; write auto [a, b] = tn::chunk(x, tn::axis<0>, tn::ct<2>)"
#ifdef TENON_CASE_chunk_by_number
  auto r = tn::chunk(x, tn::axis<1>, 2); // error here
#endif

// case: arange_of_a_number
// expected-error: "tenon: arange: the argument is not a value of the expression; write tn::arange<10>(x), where x is any value of it"
#ifdef TENON_CASE_arange_of_a_number
  auto f = tn::compile([](auto a) { return a + tn::arange<6>(6); }); // error here
  auto r = f(x);
#endif

// case: full_of_a_value
// expected-error: "tenon: full: the arguments are not a value and a number; write tn::full<2, 3>(x, 1.5), where x is any value of the expression"
#ifdef TENON_CASE_full_of_a_value
  auto f = tn::compile([](auto a) { return a + tn::full<4, 6>(a, a); }); // error here
  f(x);
#endif

// case: eye_of_a_number
// expected-error: "tenon: eye: the arguments are not a value, or a value and a tn::ct; write tn::eye<3>(x), where x is any value of the expression"
#ifdef TENON_CASE_eye_of_a_number
  auto f = tn::compile([](auto a) { return a + tn::eye<4, 6>(6); }); // error here
  f(x);
#endif

// case: full_like_of_a_value
// expected-error: "tenon: full_like: the arguments are not a value and a number; write tn::full_like(x, 3), or tn::broadcast_to for a value of rank 0"
#ifdef TENON_CASE_full_like_of_a_value
  z = tn::full_like(x, x); // error here
#endif

// case: one_hot_of_floats
// expected-error: "tenon: one_hot: the classes are not integers, or their number is below 1; cast them, as in tn::one_hot(tn::cast<int>(x), tn::ct<10>)"
#ifdef TENON_CASE_one_hot_of_floats
  z = tn::one_hot(x, tn::ct<3>); // error here
#endif

// case: one_hot_by_number
// expected-error: "tenon: one_hot: the arguments are not a value and a number of classes; write tn::one_hot(x, tn::ct<10>)"
#ifdef TENON_CASE_one_hot_by_number
  z = tn::one_hot(index, 3); // error here
#endif

// case: triangle_of_a_vector
// expected-error: "tenon: triangle: the operand has fewer than two axes; tril and triu keep a part of its last two"
#ifdef TENON_CASE_triangle_of_a_vector
  z = tn::tril(labels); // error here
#endif

// case: eye_like_of_a_vector
// expected-error: "tenon: eye_like: the operand has not two axes; give a matrix"
#ifdef TENON_CASE_eye_like_of_a_vector
  z = tn::eye_like(labels); // error here
#endif

// case: diagonal_of_a_rectangle
// expected-error: "tenon: diagonal: the two axes differ in length; slice the longer one first"
#ifdef TENON_CASE_diagonal_of_a_rectangle
  z = tn::diagonal(x); // error here
#endif

// case: diagonal_by_numbers
// expected-error: "tenon: diagonal: the arguments are not a value and two axes; write tn::diagonal(x, tn::axis<0, 1>)"
#ifdef TENON_CASE_diagonal_by_numbers
  z = tn::diagonal(x, 0, 1); // error here
#endif

// case: unfold_windows_of_nothing
// expected-error: "tenon: unfold: the window or the step is below 1, or there are 8 axes already; give both at least 1"
#ifdef TENON_CASE_unfold_windows_of_nothing
  z = tn::unfold(x, tn::axis<0>, tn::ct<0>, tn::ct<1>); // error here
#endif

// case: unfold_by_numbers
// expected-error: "tenon: unfold: the arguments are not a value, one axis, a window and a step; write tn::unfold(x, tn::axis<0>, tn::ct<3>, tn::ct<1>)"
#ifdef TENON_CASE_unfold_by_numbers
  z = tn::unfold(x, tn::axis<0>, 3, 1); // error here
#endif

// case: select_by_number
// expected-error: "tenon: select: the arguments are not a value, one axis and a tn::ct; write tn::select(x, tn::axis<0>, tn::ct<2>)"
#ifdef TENON_CASE_select_by_number
  tn::function<tn::detail::select_body> select{}; z = select(x, tn::axis<0>, 2); // error here
#endif
}
