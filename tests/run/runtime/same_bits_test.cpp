// SPDX-License-Identifier: Apache-2.0
// What must be equal bit by bit: two runs, a row among any number of rows, an aligned and a
// misaligned operand.
#include "run/support/arrays.hpp"
#include "tenon/grad.hpp"

namespace {

using bytes = std::vector<unsigned char>;

// The last ones are rows of several blocks, and rows that no cluster holds; some are of whole
// vectors.
constexpr std::int64_t lengths[] = {1,    31,    33,    333,   512,   1000,  1023,   1025,
                                    4099, 12320, 16385, 20011, 65536, 65537, 300000, 600011};

// One result of rank 2 and one of rank 1 from the kernel families with rows.
template <class T> struct row_results { bytes softmax, layer_norm, sum; };
template <class T> row_results<T> run(array<T, 2>& x) {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); });
  auto const g = tn::compile([](auto x) {
    return tn::outputs(tn::layer_norm(x, tn::axis<-1>), tn::sum(x, tn::axis<-1>));
  });
  array<T, 2> softmax(x.extents()), layer_norm(x.extents());
  array<T, 1> sum({x.extents()[0]});
  auto a = softmax.view(), b = layer_norm.view();
  auto c = sum.view();
  f.into(a)(x.view());
  g.into(b, c)(x.view());
  return {softmax.bits(), layer_norm.bits(), sum.bits()};
}
template <class T>
void expect_same(row_results<T> const& a, row_results<T> const& b, std::string const& what) {
  EXPECT_EQ(a.softmax, b.softmax) << "softmax, " << what;
  EXPECT_EQ(a.layer_norm, b.layer_norm) << "layer_norm, " << what;
  EXPECT_EQ(a.sum, b.sum) << "sum, " << what;
}

bytes first(bytes const& from, std::size_t count) {
  return bytes(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

template <class T> void check_rows() {
  for (std::int64_t length : lengths) {
    std::string const what = std::to_string(length) + " columns";
    // Many rows only where they are short: what matters is how rows are dealt out.
    std::int64_t const most = length > 50000 ? 8 : length > 5000 ? 200 : 1000;
    auto many = random_array<T, 2>({most, length});
    row_results<T> const all = run(many);
    expect_same(all, run(many), "second run, " + what);
    for (std::int64_t rows : {1, 7}) {
      array<T, 2> few({rows, length}, arrangement::contiguous,
                      reference::doubles({rows, length}, [&] {
                        reference::doubles values = many.values();
                        values.values.resize(static_cast<std::size_t>(rows * length));
                        return values.values;
                      }()));
      row_results<T> const some = run(few);
      row_results<T> const expected{first(all.softmax, some.softmax.size()),
                                    first(all.layer_norm, some.layer_norm.size()),
                                    first(all.sum, some.sum.size())};
      expect_same(some, expected, std::to_string(rows) + " rows, " + what);
    }
  }
}
TEST(same_bits, of_rows_of_float) { check_rows<float>(); }
TEST(same_bits, of_rows_of_bfloat16) { check_rows<tn::bfloat16>(); }
TEST(same_bits, of_rows_of_double) { check_rows<double>(); }

// Channels of images: runs of memory at a stride, which a cluster's shared memory holds, or all
// blocks share.
struct channel_results {
  bytes normal, mean;
};
channel_results normalize(array<float, 4>& x) {
  auto const f = tn::compile([](auto x) {
    constexpr auto along = tn::axis<0, 2, 3>;
    auto centre = tn::mean(x, along, tn::keepdim);
    auto variance = tn::var(x, along, tn::keepdim, tn::correction<0>);
    return tn::outputs((x - centre) * tn::rsqrt(variance + 1e-5f), tn::mean(x, along));
  });
  array<float, 4> normal(x.extents());
  array<float, 1> mean({x.extents()[1]});
  auto a = normal.view();
  auto b = mean.view();
  f.into(a, b)(x.view());
  return {normal.bits(), mean.bits()};
}
TEST(same_bits, of_channels) {
  for (auto [samples, size] :
       {std::array<std::int64_t, 2>{2, 30}, {40, 28}, {33, 57}, {64, 56}, {3, 300}, {16, 256}}) {
    std::string const what = std::to_string(samples) + " images of " + std::to_string(size);
    std::int64_t const image = size * size;
    auto three = random_array<float, 4>({samples, 3, size, size});
    channel_results const all = normalize(three);
    array<float, 4> misaligned({samples, 3, size, size}, arrangement::misaligned, three.values());
    for (auto const& again : {normalize(three), normalize(misaligned)}) {
      EXPECT_EQ(again.normal, all.normal) << what;
      EXPECT_EQ(again.mean, all.mean) << what;
    }
    // Two of the channels. One alone is no run at a stride: it has another kernel.
    reference::doubles const given = three.values();
    std::vector<double> values;
    bytes expected;
    for (std::int64_t s = 0; s < samples; ++s) {
      std::int64_t const from = s * 3 * image, end = from + 2 * image;
      for (std::int64_t i = from; i < end; ++i) values.push_back(given[i]);
      expected.insert(expected.end(), all.normal.begin() + from * 4, all.normal.begin() + end * 4);
    }
    array<float, 4> two({samples, 2, size, size}, arrangement::contiguous,
                        reference::doubles({samples, 2, size, size}, values));
    channel_results const some = normalize(two);
    EXPECT_EQ(some.normal, expected) << what;
    EXPECT_EQ(some.mean, first(all.mean, 8)) << what;
  }
}

TEST(same_bits, of_a_total_in_every_run) {
  auto const f =
      tn::compile([](auto x) { return tn::outputs(tn::sum(x), tn::var(x), tn::logsumexp(x)); });
  auto const nested = tn::compile([](auto x) { return tn::mean(tn::logsumexp(x, tn::axis<1>)); });
  for (std::int64_t length : {33, 1025, 70000}) {
    auto x = random_array<float, 2>({37, length});
    auto const once = [&] {
      auto const [sum, var, log_sum_exp] = f(x.view());
      return std::array{sum.item(), var.item(), log_sum_exp.item(), nested(x.view()).item()};
    };
    auto const expected = once();
    for (int round = 0; round < 5; ++round) EXPECT_EQ(once(), expected) << length;
  }
}

// Blocks have neighbouring tiles of the longest one.
template <class T> void check_totals() {
  auto const plain = tn::compile([](auto x) { return tn::sum(tn::cast<float>(x * x)); });
  auto const several = tn::compile([](auto x) {
    auto y = tn::cast<float>(x);
    return tn::outputs(tn::sum(y), tn::var(y), tn::logsumexp(y));
  });
  for (std::int64_t length : {33, 4096, 70001, 1 << 20, 3 << 22}) {
    auto x = random_array<T, 1>({length});
    auto const totals = [&](arrangement how) {
      array<T, 1> copy({length}, how, x.values());
      auto const [sum, var, log_sum_exp] = several(copy.view());
      return std::array{plain(copy.view()).item(), sum.item(), var.item(), log_sum_exp.item()};
    };
    auto const expected = totals(arrangement::contiguous);
    EXPECT_EQ(totals(arrangement::misaligned), expected) << length;
    EXPECT_EQ(totals(arrangement::stepped), expected) << length;
  }
}
TEST(same_bits, of_totals_in_any_arrangement) {
  check_totals<float>();
  check_totals<tn::bfloat16>();
}

// Two and three tiles of whole aligned vectors are one block's, of others a block's each.
TEST(same_bits, of_totals_of_two_operands_in_any_arrangement) {
  auto const totals = tn::compile([](auto x, auto y) {
    return tn::outputs(tn::mean(tn::relu((x + y) * 2.0f)), tn::max(x - y));
  });
  for (std::int64_t length : {4096, 4100, 8192, 10000, 12288, 12292}) {
    auto x = random_array<float, 1>({length}), y = random_array<float, 1>({length});
    auto const found = [&](arrangement how) {
      array<float, 1> first({length}, how, x.values()), second({length}, how, y.values());
      auto const [mean, max] = totals(first.view(), second.view());
      return std::array{mean.item(), max.item()};
    };
    EXPECT_EQ(found(arrangement::misaligned), found(arrangement::contiguous)) << length;
  }
}

template <class T> void check_misaligned() {
  for (std::int64_t length : lengths) {
    auto aligned = random_array<T, 2>({5, length});
    array<T, 2> misaligned({5, length}, arrangement::misaligned, aligned.values());
    expect_same(run(aligned), run(misaligned), std::to_string(length) + " columns, misaligned");
  }
}
TEST(same_bits, of_a_misaligned_operand) { check_misaligned<float>(); }
TEST(same_bits, of_a_misaligned_bfloat16) { check_misaligned<tn::bfloat16>(); }
TEST(same_bits, of_a_misaligned_double) { check_misaligned<double>(); }

// Elements of one byte, of which a vector has sixteen.
TEST(same_bits, of_misaligned_bytes) {
  using number = std::int8_t;
  auto const f = tn::compile([](auto x) {
    auto y = tn::cast<float>(x);
    return tn::outputs(tn::cast<number>(tn::round(tn::layer_norm(y, tn::axis<-1>))),
                       tn::var(y, tn::axis<-1>));
  });
  for (std::int64_t length : {33, 512, 1000, 1023, 4096, 12320}) {
    auto aligned = random_array<number, 2>({5, length}, arrangement::contiguous, -100, 100);
    array<number, 2> misaligned({5, length}, arrangement::misaligned, aligned.values());
    auto const variances = [&](array<number, 2>& x) {
      array<number, 2> normal({5, length});
      array<float, 1> result({5});
      f.into(normal.view(), result.view())(x.view());
      return result.bits();
    };
    EXPECT_EQ(variances(aligned), variances(misaligned)) << length;
  }
}

// Values and gradients whose rows every kernel must compute alike: with operands of which all lie
// well, one does not, none does, whose rows are an odd number of elements apart, and of which every
// second element is one, forwards or backwards.
template <class T, class Compute>
void check_arrangements(Compute const& compute,
                        std::vector<std::int64_t> const& lengths = {33, 100, 1000, 1024, 4097, 8192,
                                                                    16384, 65536, 524288}) {
  for (std::int64_t length : lengths) {
    auto x = random_array<T, 2>({2, length}), y = random_array<T, 2>({2, length});
    using how = arrangement;
    auto const with = [&](how of_x, how of_y) {
      array<T, 2> first({2, length}, of_x, x.values()), second({2, length}, of_y, y.values());
      auto const row =
          dyn_view<T, 1>::with_strides(second.data(), {length}, {of_y == how::stepped ? 2 : 1});
      return result_of(compute(first.view(), second.view(), row)).values;
    };
    std::vector<double> const expected = with(how::contiguous, how::contiguous);
    EXPECT_EQ(with(how::misaligned, how::contiguous), expected) << length;
    EXPECT_EQ(with(how::contiguous, how::misaligned), expected) << length;
    EXPECT_EQ(with(how::misaligned, how::misaligned), expected) << length;
    EXPECT_EQ(with(how::padded, how::padded), expected) << length;
    EXPECT_EQ(with(how::stepped, how::stepped), expected) << length;
    EXPECT_EQ(with(how::reversed, how::stepped), expected) << length;
  }
}
// The last one is held by the registers of a cluster, but only in vectors of a thread more than
// rows of whole vectors have.
TEST(same_bits, of_doubles_in_any_arrangement) {
  std::vector<std::int64_t> const all{33, 100, 513, 1000, 4097, 70001};
  check_arrangements<double>(
      [](auto x, auto, auto weight) {
        static auto const f = tn::compile([](auto x, auto w) { return tn::layer_norm(x, w, w); });
        return f(x, weight);
      },
      all);
  check_arrangements<double>(
      [](auto x, auto, auto) {
        static auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
        return f(x);
      },
      all);
}
TEST(same_bits, of_normalizations_in_any_arrangement) {
  check_arrangements<float>([](auto x, auto, auto weight) {
    static auto const f = tn::compile([](auto x, auto w) { return tn::layer_norm(x, w, w); });
    return f(x, weight);
  });
  check_arrangements<float>([](auto x, auto, auto weight) {
    static auto const f = tn::compile([](auto x, auto w) { return tn::rms_norm(x, w); });
    return f(x, weight);
  });
  check_arrangements<float>([](auto x, auto dy, auto) {
    return tn::vjp([](auto x) { return tn::layer_norm(x, tn::axis<-1>); })(x, dy);
  });
  check_arrangements<float>(
      [](auto x, auto dy, auto) { return tn::vjp([](auto x) { return tn::rms_norm(x); })(x, dy); });
}
template <class T> void check_gradient_of_softmax() {
  check_arrangements<T>([](auto x, auto dy, auto) {
    return tn::vjp([](auto x) { return tn::softmax(x, tn::axis<1>); })(x, dy);
  });
}
TEST(same_bits, of_gradients_of_softmax_in_any_arrangement) {
  check_gradient_of_softmax<float>();
  check_gradient_of_softmax<tn::bfloat16>();
}
TEST(same_bits, of_gradients_of_a_loss_in_any_arrangement) {
  check_arrangements<float>([](auto x, auto, auto) {
    static auto labels = random_array<std::int64_t, 1>({2}, arrangement::contiguous, 0, 33);
    auto const f = tn::value_and_grad([](auto x, auto t) { return tn::cross_entropy(x, t); });
    return tn::get<1>(f(x, labels.view()));
  });
}

// Sums over the first axis: of whole vectors, and in pieces of them. Of every second column the
// layout chooses another skeleton, and with it another order (docs/decisions/0008).
template <class T> void check_columns() {
  for (auto [rows, columns] :
       {std::array<std::int64_t, 2>{33, 1000}, {300, 64}, {5000, 33}, {20000, 100}}) {
    auto x = random_array<T, 2>({rows, columns});
    auto const sums = [&](arrangement how) {
      array<T, 2> copy({rows, columns}, how, x.values());
      return result_of(tn::compile([](auto x) { return tn::sum(x * x, tn::axis<0>); })(copy.view()))
          .values;
    };
    std::vector<double> const expected = sums(arrangement::contiguous);
    EXPECT_EQ(sums(arrangement::misaligned), expected) << rows << " x " << columns;
    EXPECT_EQ(sums(arrangement::padded), expected) << rows << " x " << columns;
    EXPECT_EQ(sums(arrangement::reversed), expected) << rows << " x " << columns;
  }
}
TEST(same_bits, of_columns_in_any_arrangement) {
  check_columns<float>();
  check_columns<tn::bfloat16>();
}

}  // namespace
