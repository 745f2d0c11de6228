// SPDX-License-Identifier: Apache-2.0
// A fixed set of expressions over extents x layouts x dtypes: shapes are known at run time, so that
// each is one kernel.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

// The ends and the inside of vectors, warps and blocks; 20011 is a prime longer than one block
// holds.
constexpr std::int64_t extents[] = {0, 1, 31, 32, 33, 1023, 1024, 1025, 2048, 4099, 20011, 70000};

std::vector<extents_of_rank<2>> shapes() {
  std::vector<extents_of_rank<2>> all;
  for (std::int64_t e : extents)
    all.push_back({1, e}), all.push_back({3, e}), all.push_back({e, 3});
  all.push_back({131, 65});
  return all;
}

std::string described(extents_of_rank<2> const& e, arrangement in, arrangement out) {
  return std::to_string(e[0]) + " x " + std::to_string(e[1]) + ", " + to_string(in) + " to " +
         to_string(out);
}

// Every layout of the operand, each with another layout of the output.
template <class Check> void for_each_layout(Check const& check) {
  for (extents_of_rank<2> const& shape : shapes())
    for (arrangement in : arrangements) {
      arrangement const out = writable_arrangements[(static_cast<std::size_t>(in) * 5 + 1) %
                                                    std::size(writable_arrangements)];
      check(shape, in, out);
      if (in == arrangement::contiguous) check(shape, in, in);
    }
}

template <class T> void check_pointwise() {
  auto const f = tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2); });
  for_each_layout([&](extents_of_rank<2> const& shape, arrangement in, arrangement out) {
    auto x = random_array<T, 2>(shape, in), y = random_array<T, 2>(shape);
    array<T, 2> z(shape, out);
    auto target = z.view();
    f.into(target)(x.view(), y.view());
    auto const exact = [](double a, double b) { return reference::relu((a + b) * 2); };
    check_close(tn::dtype_of<T>, z.result(), reference::elementwise(exact, x.values(), y.values()),
                {}, described(shape, in, out));
  });
}

template <class T> void check_softmax() {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); });
  for_each_layout([&](extents_of_rank<2> const& shape, arrangement in, arrangement out) {
    auto x = random_array<T, 2>(shape, in);
    array<T, 2> z(shape, out);
    auto target = z.view();
    f.into(target)(x.view());
    check_close(tn::dtype_of<T>, z.result(), reference::softmax(x.values(), 0b10),
                {.arithmetic = 16 + sum_roundoffs(shape[1])}, described(shape, in, out));
  });
}

// A sum along the axes of the mask, into an output of rank Rank.
template <class T, unsigned Mask, int Rank, class F> void check_sum(F const& f) {
  constexpr tn::dtype type = tn::rules::widened(tn::dtype_of<T>);
  for_each_layout([&](extents_of_rank<2> const& shape, arrangement in, arrangement out) {
    auto x = random_array<T, 2>(shape, in);
    reference::doubles const scale =
        reference::reduced(x.values(), Mask, false, reference::sum_of_magnitudes);
    extents_of_rank<Rank> kept{};
    for (int k = 0; k < Rank; ++k)
      kept[static_cast<std::size_t>(k)] = scale.extents[static_cast<std::size_t>(k)];
    array<tn::storage_t<type>, Rank> z(kept, Rank > 0 ? out : arrangement::contiguous);
    auto target = z.view();
    f.into(target)(x.view());
    check_close(type, z.result(), reference::reduced(x.values(), Mask, false, reference::sum),
                {.arithmetic = sum_roundoffs(shape[0] * shape[1]), .scale = &scale},
                described(shape, in, out));
  });
}
constexpr auto row_sum = [](auto x) { return tn::sum(x, tn::axis<1>); };
constexpr auto column_sum = [](auto x) { return tn::sum(x, tn::axis<0>); };
constexpr auto full_sum = [](auto x) { return tn::sum(x); };

TEST(layouts, pointwise_of_float) { check_pointwise<float>(); }
TEST(layouts, pointwise_of_double) { check_pointwise<double>(); }
TEST(layouts, pointwise_of_bfloat16) { check_pointwise<tn::bfloat16>(); }
TEST(layouts, pointwise_of_int32) { check_pointwise<std::int32_t>(); }
TEST(layouts, softmax_of_float) { check_softmax<float>(); }
TEST(layouts, softmax_of_half) { check_softmax<tn::half>(); }
TEST(layouts, row_sum_of_float) { check_sum<float, 0b10, 1>(tn::compile(row_sum)); }
TEST(layouts, row_sum_of_bfloat16) { check_sum<tn::bfloat16, 0b10, 1>(tn::compile(row_sum)); }
TEST(layouts, column_sum_of_float) { check_sum<float, 0b01, 1>(tn::compile(column_sum)); }
TEST(layouts, full_sum_of_float) { check_sum<float, 0b11, 0>(tn::compile(full_sum)); }
TEST(layouts, full_sum_of_bool) { check_sum<bool, 0b11, 0>(tn::compile(full_sum)); }

}  // namespace
