// SPDX-License-Identifier: Apache-2.0
// Many rows of few elements, of which a warp has several at a time: with what all rows share,
// values of rows, several results and totals, and the bits that fewer of them have.
#include "run/support/arrays.hpp"

namespace {

// More than calls have whose lanes move elements by themselves.
constexpr std::int64_t more(std::int64_t columns) {
  return std::max<std::int64_t>(16411, (1 << 20) / columns + 411);
}

template <class T, int Rank>
array<T, Rank> integers(extents_of_rank<Rank> const& extents, arrangement how) {
  array<T, Rank> result(extents, how);
  std::uniform_int_distribution<int> number(-3, 3);
  reference::doubles all(reference::shape(extents.begin(), extents.end()),
                         reference::elements(static_cast<std::size_t>(result.size())));
  for (std::int64_t i = 0; i < result.size(); ++i) all[i] = number(generator());
  result.set(all);
  return result;
}

// All numbers are small integers: less = (x * w + b + row) - its largest element, and that element
// for each row.
template <class T>
void check_shared(std::int64_t columns, arrangement of_x, arrangement of_less, std::int64_t rows) {
  auto const f = tn::compile([](auto x, auto w, auto b, auto row) {
    auto const all = x * w + b + tn::unsqueeze(row, tn::axis<1>);
    auto const most = tn::amax(all, tn::axis<1>, tn::keepdim);
    return tn::outputs(all - most, tn::amax(all, tn::axis<1>));
  });
  std::string const what = std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                           to_string(of_x) + " to " + to_string(of_less);
  auto x = integers<T, 2>({rows, columns}, of_x);
  auto w = integers<T, 1>({columns}, of_x), b = integers<T, 1>({columns}, of_x);
  auto row = integers<T, 1>({rows}, arrangement::contiguous);
  array<T, 2> less({rows, columns}, of_less);
  array<T, 1> most({rows});
  auto to = less.view();
  auto to_most = most.view();
  f.into(to, to_most)(x.view(), w.view(), b.view(), row.view());
  reference::doubles const of_elements = x.values(), weights = w.values(), biases = b.values(),
                           of_rows = row.values(), found = less.result(),
                           found_most = most.result();
  for (std::int64_t i = 0; i < rows; ++i) {
    auto const value = [&](std::int64_t j) {
      return of_elements[i * columns + j] * weights[j] + biases[j] + of_rows[i];
    };
    double largest = -100;
    for (std::int64_t j = 0; j < columns; ++j) largest = std::max(largest, value(j));
    ASSERT_EQ(found_most[i], largest) << what << ", row " << i;
    for (std::int64_t j = 0; j < columns; ++j)
      ASSERT_EQ(found[i * columns + j], value(j) - largest)
          << what << ", row " << i << ", column " << j;
  }
}
TEST(brief_rows, with_what_all_rows_share) {
  for (std::int64_t columns : {1, 3, 4, 6, 7, 25, 32, 33, 48, 100}) {
    std::int64_t const rows = more(columns);
    check_shared<float>(columns, arrangement::contiguous, arrangement::misaligned, rows);
    check_shared<float>(columns, arrangement::misaligned, arrangement::misaligned, rows);
    check_shared<tn::bfloat16>(columns, arrangement::misaligned, arrangement::contiguous, rows);
    check_shared<tn::bfloat16>(columns, arrangement::contiguous, arrangement::contiguous, rows);
  }
}
TEST(brief_rows, that_lanes_move_by_themselves) {
  for (std::int64_t columns : {1, 3, 4, 6, 7, 9, 25, 32, 33, 48, 100, 255, 256})
    for (std::int64_t rows : {1, 37, 2051})
      for (auto of_less : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
        check_shared<float>(columns, arrangement::misaligned, of_less, rows);
        check_shared<tn::half>(columns, arrangement::contiguous, of_less, rows);
        check_shared<tn::bfloat16>(columns, arrangement::padded, of_less, rows);
      }
}

// The bits of rows among many are those among fewer, and in another layout.
template <class T> void check_bits() {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto const g =
      tn::compile([](auto x, auto w, auto b) { return tn::layer_norm(x, w, b, tn::axis<1>); });
  for (std::int64_t columns :
       {1, 3, 4, 5, 7, 16, 24, 25, 31, 32, 33, 36, 63, 64, 65, 100, 129, 255}) {
    auto w = random_array<T, 1>({columns}), b = random_array<T, 1>({columns});
    auto const run = [&](array<T, 2>& x, arrangement how) {
      array<T, 2> soft(x.extents(), how), norm(x.extents(), how);
      f.into(soft.view())(x.view());
      g.into(norm.view())(x.view(), w.view(), b.view());
      return std::pair(soft.result().values, norm.result().values);
    };
    std::int64_t const rows = more(columns);
    auto x = random_array<T, 2>({rows, columns}, arrangement::misaligned);
    auto all = run(x, arrangement::misaligned);
    array<T, 2> aligned({rows, columns}, arrangement::contiguous, x.values());
    ASSERT_EQ(run(aligned, arrangement::contiguous), all) << columns << " columns, aligned";
    if (columns > 33) continue;
    array<T, 2> padded({rows, columns}, arrangement::padded, x.values());
    ASSERT_EQ(run(padded, arrangement::padded), all) << columns << " columns, padded";
    reference::doubles values = x.values();
    values.values.resize(static_cast<std::size_t>(37 * columns));
    array<T, 2> few({37, columns}, arrangement::contiguous,
                    reference::doubles({37, columns}, values.values));
    all.first.resize(values.values.size()), all.second.resize(values.values.size());
    ASSERT_EQ(run(few, arrangement::contiguous), all) << "37 x " << columns;
  }
}
TEST(brief_rows, have_the_same_bits_of_float) { check_bits<float>(); }
TEST(brief_rows, have_the_same_bits_of_bfloat16) { check_bits<tn::bfloat16>(); }

}  // namespace
