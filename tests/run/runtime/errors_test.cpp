// SPDX-License-Identifier: Apache-2.0
// Every refusal of a call, word by word, before anything is written.
#include "run/support/errors.hpp"
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using matrix = tn::tensor<float, tn::dyn, tn::dyn>;

constexpr auto sum_of_two = tn::compile([](auto x, auto y) { return x + y; }, "sum_of_two");
constexpr auto twice = tn::compile([](auto x) { return x * 2; }, "twice");
constexpr auto transposed = tn::compile([](auto x) { return tn::transpose(x) + 1; }, "transposed");

TEST(call_errors, shapes_that_differ) {
  matrix x(4, 6), y(4, 5), one_row(1, 6);
  EXPECT_ERROR(sum_of_two(x, y),
               "tenon: add: lengths differ: axis 1 of operand 0 (6) and axis 1 of operand 1 (5), "
               "shapes [4, 6] and [4, 5]; make them equal; only a "
               "build-time extent of 1 repeats (expression sum_of_two, operand 1)");
  EXPECT_ERROR(sum_of_two(x, one_row),
               "tenon: add: lengths differ: axis 0 of operand 0 (4) and axis 0 of operand 1 (1), "
               "shapes [4, 6] and [1, 6]; make them equal; only a "
               "build-time extent of 1 repeats (expression sum_of_two, operand 1)");
}

TEST(call_errors, lengths_of_a_split_that_are_not_those_of_the_axis) {
  auto const f = tn::compile(
      [](auto x) {
        auto [a, b] = tn::split(x, tn::axis<0>, tn::lengths<2, 3>);
        return tn::outputs(a + 0, b + 0);
      },
      "parts");
  tn::tensor<int, tn::dyn> whole(std::vector<int>{0, 1, 2, 3, 4}, 5), few(4), many(6);
  EXPECT_EQ(tn::to_vector(tn::get<1>(f(whole))), (std::vector<int>{2, 3, 4}));
  EXPECT_ERROR(f(few),
               "tenon: split: lengths differ: axis 0 of operand 0 (4) and extent 5, shapes [4]; make them "
               "equal; only a build-time extent of 1 repeats (expression parts, operand 0)");
  EXPECT_ERROR(f(many),
               "tenon: split: lengths differ: axis 0 of operand 0 (6) and extent 5, shapes [6]; make them "
               "equal; only a build-time extent of 1 repeats (expression parts, operand 0)");
}

TEST(call_errors, named_extents_that_differ) {
  tn::tensor<float, "B", 4> x(2);
  tn::tensor<float, "B"> scale(3);
  auto const f =
      tn::compile([](auto x, auto scale) { return tn::sum(x, tn::axis<1>) * scale; }, "scaled");
  EXPECT_ERROR(f(x, scale),
               "tenon: call: axis 0 has extent 3 where B is 2, shapes [2, 4] and [3]; pass "
               "operands whose extents agree (expression scaled, operand 1)");
}

TEST(call_errors, output_of_another_shape) {
  matrix x(4, 6), out(6, 4);
  EXPECT_ERROR(twice.into(out)(x),
               "tenon: into: output 0 has shape [6, 4] where the result has [4, 6]; give a tensor "
               "of the result's shape (expression twice)");
}

TEST(call_errors, statement_of_another_shape) {
  matrix x(4, 6), z(6, 4);
  EXPECT_ERROR(z = x * 2,
               "tenon: into: output 0 has shape [6, 4] where the result has [4, 6]; give a tensor "
               "of the result's shape (expression assignment)");
}

TEST(call_errors, null_pointer) {
  matrix x(4, 6), out(4, 6);
  tn::view<float, tn::dyn, tn::dyn> nowhere(nullptr, 4, 6);
  EXPECT_ERROR(twice(nowhere),
               "tenon: call: an operand of shape [4, 6] has a null pointer; pass memory for all "
               "its elements (expression twice, operand 0)");
  EXPECT_ERROR(twice.into(nowhere)(x),
               "tenon: call: an output of shape [4, 6] has a null pointer; pass memory for all its "
               "elements (expression twice)");
  tn::view<float, tn::dyn, tn::dyn> nothing(nullptr, 0, 6);
  EXPECT_EQ(twice(nothing).size(), 0) << "no element needs memory";
}

TEST(call_errors, output_with_elements_in_one_place) {
  matrix x(4, 6), out(4, 6);
  auto repeated = tn::view<float, tn::dyn, tn::dyn>::with_strides(out.data(), {4, 6}, {0, 1});
  EXPECT_ERROR(twice.into(repeated)(x),
               "tenon: into: output 0 of shape [4, 6] holds several elements in one place; give an "
               "output without zero or overlapping strides (expression twice)");
}

TEST(call_errors, transposed_self) {
  auto x = random_array<float, 2>({5, 5});
  reference::doubles const before = x.values();
  auto self = x.view();
  EXPECT_ERROR(transposed.into(self)(self),
               "tenon: into: an output shares memory with an operand that is read or written "
               "elsewhere, shapes [5, 5] and [5, 5]; write to other memory; "
               "only an operand read at the very same elements may be overwritten (expression "
               "transposed, operand 0)");
  auto reversed = tn::view<float, tn::dyn, tn::dyn>::with_strides(x.data() + 24, {5, 5}, {-5, -1});
  EXPECT_ERROR(twice.into(reversed)(self),
               "tenon: into: an output shares memory with an operand that is read or written "
               "elsewhere, shapes [5, 5] and [5, 5]; write to other memory; "
               "only an operand read at the very same elements may be overwritten (expression "
               "twice, operand 0)");
  EXPECT_EQ(x.result().values, before.values) << "nothing was written";
}

TEST(call_errors, partial_overlap) {
  auto x = random_array<float, 1>({100});
  tn::view<float, tn::dyn> head(x.data(), 99), tail(x.data() + 1, 99);
  EXPECT_ERROR(
      twice.into(tail)(head),
      "tenon: into: an output shares memory with an operand that is read or written elsewhere, "
      "shapes [99] and [99]; write to other memory; only "
      "an operand read at the very same elements may be overwritten (expression twice, operand 0)");
  tn::view<float, tn::dyn> first(x.data(), 50), second(x.data() + 50, 50);
  EXPECT_EQ(message_of([&] { twice.into(second)(first); }), "nothing was raised")
      << "neighbours do not overlap";
  check_close(tn::dtype::f32, result_of(second),
              reference::elementwise([](double v) { return v * 2; }, result_of(first)));
}

// Columns of one matrix, or every second element and the others, have no element in common.
TEST(call_errors, arrays_that_lie_beside_each_other) {
  auto x = random_array<float, 2>({6, 12});
  auto const all = x.view();
  auto const expect_twice = [&](auto const& out, auto const& in) {
    reference::doubles const expected =
        reference::elementwise([](double v) { return v * 2; }, result_of(in));
    EXPECT_EQ(message_of([&] { twice.into(out)(in); }), "nothing was raised");
    check_close(tn::dtype::f32, result_of(out), expected);
  };
  auto const left = all.sliced<1>(0, 6), right = all.sliced<1>(6, 12);
  expect_twice(left, right);
  expect_twice(right, left);
  auto const even = all.sliced<1>(0, 12, 2), odd = all.sliced<1>(1, 12, 2);
  expect_twice(odd, even);
  expect_twice(even, all.sliced<1>(11, tn::end, -2));
  expect_twice(all.sliced<0>(0, 6, 2), all.sliced<0>(1, 6, 2));
  auto const both = tn::compile([](auto x) { return tn::outputs(x + 1, x * 2); }, "both");
  auto y = random_array<float, 2>({6, 6});
  EXPECT_EQ(message_of([&] { both.into(left, right)(y.view()); }), "nothing was raised");
  EXPECT_ERROR(both.into(all.sliced<1>(0, 6), all.sliced<1>(5, 11))(y.view()),
               "tenon: into: an output shares memory with another output that is read or written "
               "elsewhere, shapes [6, 6] and [6, 6]; write to other "
               "memory; only an operand read at the very same elements may be overwritten "
               "(expression both)");
}

// A row is reduced by several threads before it is written, which is later than another row is
// read.
TEST(call_errors, reduction_over_its_own_output) {
  auto x = random_array<float, 2>({5, 5});
  auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<1>); }, "row_sums");
  tn::view<float, tn::dyn> first_row(x.data(), 5);
  EXPECT_ERROR(f.into(first_row)(x.view()),
               "tenon: into: an output shares memory with an operand that is read or written "
               "elsewhere, shapes [5] and [5, 5]; write to other memory; only "
               "an operand read at the very same elements may be overwritten (expression row_sums, "
               "operand 0)");
}

// What all elements read is not to be overwritten by whoever comes first: other blocks have not begun then.
TEST(call_errors, operand_that_other_elements_read) {
  matrix x(4, 6), y(4, 6);
  tn::tensor<float> one;
  tn::tensor<float, tn::dyn> rows(4), columns(6);
  auto const message = [](std::string const& shape, std::string const& name) {
    return "tenon: into: an output shares memory with an operand that is read or written elsewhere, shapes " + shape +
           " and " + shape + "; write to other memory; only an operand read at the very same elements may be overwritten " +
           "(expression " + name + ", operand 1)";
  };
  auto const of_all = tn::compile([](auto x, auto s) { return tn::outputs(x * s, s + 1); }, "of_all");
  EXPECT_ERROR(of_all.into(y, one)(x, one), message("[]", "of_all"));
  auto const of_sums = tn::compile([](auto x, auto s) { return tn::outputs(tn::sum(x, tn::axis<1>) * s, s + 1); }, "of_sums");
  EXPECT_ERROR(of_sums.into(rows, one)(x, one), message("[]", "of_sums"));
  auto const total = tn::compile([](auto x, auto s) { return s + tn::sum(x * s); }, "total");
  EXPECT_ERROR(total.into(one)(x, one), message("[]", "total"));
  auto const of_row = tn::compile(
      [](auto x, auto r) {
        return tn::outputs(tn::softmax(x, tn::axis<1>) * tn::unsqueeze(r, tn::axis<1>), r + tn::sum(x, tn::axis<1>));
      },
      "of_row");
  EXPECT_ERROR(of_row.into(y, rows)(x, rows), message("[4]", "of_row"));
  auto const of_column = tn::compile([](auto x, auto w) { return w - tn::sum(x * w, tn::axis<0>); }, "of_column");
  EXPECT_ERROR(of_column.into(columns)(x, columns), message("[6]", "of_column"));
}

// Where nobody else reads it, it may.
TEST(call_errors, operand_that_is_read_where_it_is_written) {
  auto x = random_array<float, 2>({50, 70}), b = random_array<float, 2>({50, 70}), y = random_array<float, 2>({50, 70});
  reference::doubles const factor = b.values();
  auto const two = tn::compile([](auto x, auto b) { return tn::outputs(b + 1, x * b); });
  two.into(b.view(), y.view())(x.view(), b.view());
  check_close(tn::dtype::f32, y.result(), reference::elementwise(std::multiplies<>(), x.values(), factor));
  check_close(tn::dtype::f32, b.result(), reference::elementwise([](double v) { return v + 1; }, factor));

  auto means = random_array<float, 1>({50});
  reference::doubles const sums = reference::reduced(x.values(), 0b10, false, reference::sum);
  reference::doubles const expected =
      reference::elementwise([](double m, double s) { return m * 0.5 + s; }, means.values(), sums);
  reference::doubles const sizes =
      reference::elementwise([](double m, double s) { return std::fabs(m) * 0.5 + s; }, means.values(),
                             reference::reduced(x.values(), 0b10, false, reference::sum_of_magnitudes));
  auto const moving = tn::compile(
      [](auto x, auto m) { return tn::outputs(tn::softmax(x, tn::axis<1>), m * 0.5f + tn::sum(x, tn::axis<1>)); });
  moving.into(y.view(), means.view())(x.view(), means.view());
  check_close(tn::dtype::f32, means.result(), expected, {.arithmetic = sum_roundoffs(71), .scale = &sizes});

  array<float, 0> total({}, arrangement::contiguous, reference::doubles({}, {3}));
  auto const grown = tn::compile([](auto x, auto t) { return t + tn::sum(x); });
  grown.into(total.view())(x.view(), total.view());
  reference::elements const all = x.values().values;
  reference::doubles const size({}, {3 + reference::sum_of_magnitudes(all)});
  check_close(tn::dtype::f32, total.result(), reference::doubles({}, {3 + reference::sum(all)}),
              {.arithmetic = sum_roundoffs(3501), .scale = &size});
}

TEST(call_errors, outputs_that_overlap) {
  matrix x(4, 6), out(4, 6);
  auto const f = tn::compile([](auto x) { return tn::outputs(x + 1, x * 2); }, "both");
  EXPECT_ERROR(f.into(out, out)(x),
               "tenon: into: an output shares memory with another output that is read or written "
               "elsewhere, shapes [4, 6] and [4, 6]; write to other "
               "memory; only an operand read at the very same elements may be overwritten "
               "(expression both)");
}

TEST(call_errors, reshape_of_strided_memory) {
  auto x = random_array<float, 2>({4, 6}, arrangement::transposed);
  auto y = random_array<float, 1>({24});
  auto const f = tn::compile([](auto x, auto y) { return tn::flatten(x) + y; }, "flattened");
  EXPECT_ERROR(f(x.view(), y.view()),
               "tenon: reshape: the operand of shape [4, 6] is not contiguous along the axes that "
               "become shape [24]; pass a contiguous tensor (expression "
               "flattened, operand 0)");
}

// Then the elements are computed in the operand's shape, and only the result is presented in the
// other.
TEST(call_errors, reshape_of_strided_memory_as_the_last_step_is_legal) {
  auto x = random_array<float, 2>({4, 6}, arrangement::transposed);
  auto const f = tn::compile([](auto x) { return tn::flatten(x * 2); });
  EXPECT_EQ(result_of(f(x.view())).values,
            reference::elementwise([](double v) { return v * 2; }, x.values()).values);
}

TEST(call_errors, one_of_without_the_value) {
  EXPECT_ERROR(
      (tn::one_of<1, 2>(3)),
      "tenon: one_of: the value is none of the constants; list every value that can occur");
}

TEST(call_errors, location_and_fields) {
  matrix x(4, 6), y(4, 5);
  try {
    sum_of_two(x, y);
    FAIL() << "nothing was raised";
  } catch (tn::error const& e) {
    EXPECT_EQ(e.operation(), "add");
    EXPECT_EQ(e.expression(), "sum_of_two");
    EXPECT_EQ(e.operand(), 1);
    EXPECT_EQ(e.shapes(), "[4, 6] and [4, 5]");
    EXPECT_EQ(std::string(e.location().file_name())
                  .substr(std::string(e.location().file_name()).rfind('/') + 1),
              "errors_test.cpp");
  }
}

}  // namespace
