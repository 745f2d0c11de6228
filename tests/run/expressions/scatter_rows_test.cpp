// SPDX-License-Identifier: Apache-2.0
// Rows at indices of one axis, of which few or many name one row, against a plain loop: whole
// vectors and not, with a base and without.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "tenon/grad.hpp"

namespace {

using reference::doubles;

struct lengths {
  std::int64_t targets, updates, width;
};
// How many updates name each row.
enum class spread { evenly, on_few_neighbours, on_one, mostly_on_one, on_every_seventh, in_order };
constexpr spread spreads[] = {spread::evenly,        spread::on_few_neighbours, spread::on_one,
                              spread::mostly_on_one, spread::on_every_seventh,  spread::in_order};

array<int, 1> indices(lengths const& l, spread how) {
  auto result = random_array<int, 1>({l.updates}, arrangement::contiguous, 0,
                                     static_cast<double>(l.targets) - 0.01);
  doubles at = result.values();
  std::int64_t const few = std::min<std::int64_t>(l.targets, 20);
  for (std::int64_t k = 0; k < at.size(); ++k) {
    auto const drawn = static_cast<std::int64_t>(at[k]);
    if (how == spread::on_few_neighbours)
      at[k] = static_cast<double>(l.targets / 3 * 2 % (l.targets - few + 1) + drawn % few);
    if (how == spread::on_one || (how == spread::mostly_on_one && drawn % 4 > 0))
      at[k] = static_cast<double>(l.targets / 2);
    if (how == spread::on_every_seventh) at[k] = static_cast<double>(drawn / 7 * 7);
    if (how == spread::in_order) at[k] = static_cast<double>(k * l.targets / l.updates);
  }
  result.set(at);
  return result;
}
template <class T>
array<T, 2> whole_numbers(std::int64_t rows, std::int64_t width, arrangement how) {
  auto result = random_array<T, 2>({rows, width}, how, -3, 3);
  doubles x = result.values();
  for (double& v : x.values) v = std::round(v);
  result.set(x);
  return result;
}
template <class Combine>
doubles naive(doubles base, doubles const& index, doubles const& updates, std::int64_t width,
              Combine const& combine) {
  for (std::int64_t k = 0; k < updates.size(); ++k) {
    double& at = base[static_cast<std::int64_t>(index[k / width]) * width + k % width];
    at = combine(at, updates[k]);
  }
  return base;
}
constexpr auto plus = [](double x, double y) { return x + y; };
constexpr auto last = [](double, double y) { return y; };

// Rows of a few vectors and of many, of odd lengths, of one element; more updates than a block
// lists, and none.
constexpr lengths cases[] = {{5003, 700, 8},  {5003, 0, 8},      {2003, 4500, 16}, {300, 9000, 8},
                             {303, 2600, 72}, {20011, 9000, 32}, {901, 700, 264},  {40, 2500, 1032},
                             {701, 3000, 33}, {9001, 6000, 1},   {3, 5000, 1},     {60, 2500, 523}};

// Small integers: every order gives the same sum, exactly.
TEST(scatter_rows, take_in_few_and_many_updates) {
  auto const add =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  for (lengths const& l : cases)
    for (spread how : spreads) {
      if (l.updates == 0 && how == spread::in_order) continue;
      auto i = indices(l, how);
      auto b = whole_numbers<float>(l.targets, l.width, arrangement::contiguous),
           u = whole_numbers<float>(l.updates, l.width, arrangement::contiguous);
      EXPECT_EQ(result_of(add(b.view(), i.view(), u.view())).values,
                naive(b.values(), i.values(), u.values(), l.width, plus).values)
          << l.targets << " " << l.updates << " " << l.width << " " << static_cast<int>(how);
    }
}

template <class T> void check_assigned() {
  auto const assign =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter(b, tn::axis<0>, i, u); });
  for (lengths const& l : {cases[2], cases[3], cases[8]})
    for (spread how : spreads) {
      auto i = indices(l, how);
      auto b = whole_numbers<T>(l.targets, l.width, arrangement::contiguous),
           u = whole_numbers<T>(l.updates, l.width, arrangement::contiguous);
      EXPECT_EQ(result_of(assign(b.view(), i.view(), u.view())).values,
                naive(b.values(), i.values(), u.values(), l.width, last).values)
          << l.targets << " " << l.updates << " " << l.width << " " << static_cast<int>(how);
    }
}
TEST(scatter_rows, are_assigned_the_last_of_many) {
  check_assigned<float>();
  check_assigned<tn::bfloat16>();
}

// The gradient of an embedding: there is no base. Vectors of bf16 that are whole and, a row and an
// element further, not: with the same bits.
TEST(scatter_rows, of_halves_begin_with_zeros) {
  auto const f = tn::vjp([](auto table, auto index) { return tn::embedding(table, index); });
  for (lengths const& l : {lengths{3001, 2000, 128}, lengths{120, 2500, 320}, lengths{77, 300, 45},
                           lengths{200, 9000, 64}})
    for (spread how : spreads) {
      auto i = indices(l, how);
      auto table = random_array<tn::bfloat16, 2>({l.targets, l.width});
      auto u = random_array<tn::bfloat16, 2>({l.updates, l.width});
      array<tn::bfloat16, 2> elsewhere({l.updates, l.width}, arrangement::misaligned, u.values());
      doubles const sums =
          naive(doubles({l.targets, l.width}), i.values(), u.values(), l.width, plus);
      doubles const whole = result_of(f(table.view(), i.view(), u.view())),
                    singly = result_of(f(table.view(), i.view(), elsewhere.view()));
      EXPECT_EQ(whole.values, singly.values);
      for (std::int64_t k = 0; k < sums.size(); ++k)
        ASSERT_NEAR(whole[k], sums[k], std::abs(sums[k]) / 256 + 1e-5)
            << k << " " << l.width << " " << static_cast<int>(how);
    }
}

// A sum is that of its own updates: neither what other rows take in nor how long rows are changes
// its bits.
TEST(scatter_rows, have_the_same_bits_beside_others) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  lengths const l{700, 5000, 96};
  auto b = random_array<float, 2>({l.targets, l.width}),
       u = random_array<float, 2>({l.updates, l.width});
  for (spread how : {spread::on_few_neighbours, spread::on_one, spread::mostly_on_one}) {
    auto i = indices(l, how);
    doubles const all = result_of(f(b.view(), i.view(), u.view()));
    EXPECT_EQ(result_of(f(b.view(), i.view(), u.view())).values, all.values);
    doubles one({l.targets, 1}), updates({l.updates, 1});
    doubles const base = b.values(), all_updates = u.values();
    for (std::int64_t k = 0; k < l.targets; ++k) one[k] = base[k * l.width + 37];
    for (std::int64_t k = 0; k < l.updates; ++k) updates[k] = all_updates[k * l.width + 37];
    array<float, 2> c({l.targets, 1}, arrangement::contiguous, one),
        v({l.updates, 1}, arrangement::contiguous, updates);
    doubles const alone = result_of(f(c.view(), i.view(), v.view()));
    for (std::int64_t k = 0; k < l.targets; ++k) EXPECT_EQ(alone[k], all[k * l.width + 37]) << k;
  }
}

// Along an axis between others, and what is read beside the updates: for each row, for each
// column, and for each update.
TEST(scatter_rows, along_an_axis_between_others) {
  auto const f = tn::compile([](auto b, auto i, auto u, auto w, auto s) {
    return tn::relu(tn::scatter_add(b, tn::axis<1>, i, u * w * tn::reshape(s, tn::shape<-1, 1>)));
  });
  for (std::int64_t width : {8, 12, 7}) {
    std::int64_t const outer = 3, targets = 50, updates = 400;
    auto b = random_array<float, 3>({outer, targets, width}),
         u = random_array<float, 3>({outer, updates, width});
    auto i = random_array<int, 1>({updates}, arrangement::contiguous, 0, 49.9);
    auto w = random_array<float, 1>({width}), s = random_array<float, 1>({updates});
    doubles expected = b.values();
    doubles const x = u.values(), at = i.values(), of_columns = w.values(), of_updates = s.values();
    for (std::int64_t k = 0; k < x.size(); ++k) {
      std::int64_t const column = k % width, update = k / width % updates, o = k / width / updates;
      auto const target = static_cast<std::int64_t>(at[update]);
      expected[(o * targets + target) * width + column] +=
          x[k] * of_columns[column] * of_updates[update];
    }
    doubles const found = result_of(f(b.view(), i.view(), u.view(), w.view(), s.view()));
    for (std::int64_t k = 0; k < found.size(); ++k)
      ASSERT_NEAR(found[k], std::max(expected[k], 0.0), 1e-4) << width << " " << k;
  }
}

}  // namespace
